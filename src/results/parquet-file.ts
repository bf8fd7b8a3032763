// A Parquet file that is written row by row: one group of rows is in memory, the rest is on disk. Groups can also be encoded
// elsewhere, by several threads, and joined.
import { type FileHandle, open } from 'node:fs/promises';
import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

const PARQUET_TYPES = ['text', 'whole', 'number', 'boolean', 'time', 'json', 'floats'] as const;
/** `whole`: 32 bits; `time`: milliseconds; `json`: any value, as text; `floats`: a list of 32-bit floats. */
export type ParquetType = (typeof PARQUET_TYPES)[number];

export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetType;
}

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];
type RowGroup = ParquetWriter['row_groups'][number];

/** The metadata of a row group, as if the group were the first in the file. */
export interface ParquetGroup {
  readonly bytes: number;
  readonly about: RowGroup;
}

/** Zstandard is native code; the library's own Snappy is JavaScript, takes more time and leaves larger files. */
const COMPRESSION = { codec: 'ZSTD', compressors: { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes) } } as const;

/** Bytes before the first group. */
const HEAD_BYTES = 4;

/** Readers want groups of at least some ten thousand rows; with long texts it is their length that counts. */
const GROUP_ROWS = 65_536;
const GROUP_CELLS_LENGTH = 16 * 1024 * 1024;

export class ParquetFile {
  readonly #file: FileHandle;
  readonly #columns: readonly ParquetColumn[];
  readonly #groupRows: number;
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  #cells: unknown[][];
  #length = 0;

  private constructor(file: FileHandle, columns: readonly ParquetColumn[], groupRows: number) {
    this.#file = file;
    this.#groupRows = groupRows;
    this.#columns = columns;
    this.#cells = columns.map(() => []);
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema: schemaOf(columns), ...COMPRESSION });
  }

  /** A group of rows is encoded without a break. */
  static async create(path: string, columns: readonly ParquetColumn[], groupRows = GROUP_ROWS): Promise<ParquetFile> {
    return new ParquetFile(await open(path, 'wx', 0o600), columns, groupRows);
  }

  /** Adds a row: cells in the order of the columns, null for an empty one. Returns a promise only if a group is written. */
  add(row: readonly unknown[]): Promise<void> | undefined {
    for (const [n, { type }] of this.#columns.entries()) {
      const cell = cellOf(row[n], type);
      this.#cells[n].push(cell);
      this.#length += typeof cell === 'string' ? cell.length : Array.isArray(cell) ? cell.length * 4 : 8;
    }
    return this.#cells[0].length < this.#groupRows && this.#length < GROUP_CELLS_LENGTH
      ? undefined
      : this.#writeGroup();
  }

  /** Adds groups that were encoded elsewhere, whose bytes come one after the other. */
  async append(groups: readonly ParquetGroup[], content: AsyncIterable<Uint8Array>): Promise<void> {
    for (const { bytes, about } of groups) {
      this.#writer.row_groups.push(moved(about, this.#bytes.offset - HEAD_BYTES));
      this.#writer.num_rows += about.num_rows;
      // The start of the next group.
      this.#bytes.offset += bytes;
    }
    await this.#flush();
    for await (const chunk of content) await this.#write(chunk);
  }

  /** Writes the end of the file, without which it cannot be read. */
  async finish(): Promise<void> {
    if (this.#cells[0].length > 0) await this.#writeGroup();
    this.#writer.finish();
    await this.#flush();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #writeGroup(): Promise<void> {
    const columnData = columnDataOf(this.#columns, this.#cells);
    this.#cells = this.#columns.map(() => []);
    this.#length = 0;
    await this.#writer.write({ columnData, rowGroupSize: this.#groupRows });
    await this.#flush();
  }

  async #flush(): Promise<void> {
    await this.#write(this.#bytes.getBytes());
    this.#bytes.index = 0;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#file.writeFile(bytes);
  }
}

/**
 * Encodes one group of rows, given by columns: at least one cell, each as `cellOf` returns it. Texts can also be given as bytes.
 */
export function encodeGroup(
  columns: readonly ParquetColumn[],
  cells: readonly unknown[][],
): { bytes: Uint8Array<ArrayBuffer>; about: RowGroup } {
  const bytes = new ByteWriter();
  // Rows come in the order of the store: the smallest and largest values of a group would let readers skip nothing.
  const writer = new ParquetWriter({ writer: bytes, schema: schemaOf(columns), statistics: false, ...COMPRESSION });
  writer.write({ columnData: columnDataOf(columns, cells), rowGroupSize: cells[0].length });
  return { bytes: bytes.getBytes().slice(HEAD_BYTES), about: writer.row_groups[0] };
}

function columnDataOf(columns: readonly ParquetColumn[], cells: readonly unknown[][]) {
  return columns.map(({ name }, n) => ({ name, data: cells[n], offsetIndex: false }));
}

/** A group that begins this many bytes later. */
function moved(group: RowGroup, bytes: number): RowGroup {
  const later = (offset: bigint) => offset + BigInt(bytes);
  return {
    ...group,
    columns: group.columns.map(({ file_offset, meta_data, ...column }) => ({
      ...column,
      file_offset: later(file_offset),
      meta_data: meta_data && {
        ...meta_data,
        data_page_offset: later(meta_data.data_page_offset),
        ...(meta_data.dictionary_page_offset !== undefined && {
          dictionary_page_offset: later(meta_data.dictionary_page_offset),
        }),
      },
    })),
  };
}

function schemaOf(columns: readonly ParquetColumn[]): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns.flatMap(elementsOf)];
}

function elementsOf({ name, type }: ParquetColumn): SchemaElement[] {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  switch (type) {
    case 'text':
    case 'json':
      return [{ ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' }];
    case 'whole':
      return [{ ...optional, type: 'INT32' }];
    case 'number':
      return [{ ...optional, type: 'DOUBLE' }];
    case 'boolean':
      return [{ ...optional, type: 'BOOLEAN' }];
    case 'time':
      return [{ ...optional, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }];
    case 'floats':
      return [
        { ...optional, converted_type: 'LIST', num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', repetition_type: 'REQUIRED', type: 'FLOAT' },
      ];
    default:
      return type satisfies never;
  }
}

/** A value as a cell of the column's type. What does not fit it is null. */
export function cellOf(value: unknown, type: ParquetType): unknown {
  if (value === null || value === undefined) return null;
  switch (type) {
    case 'text':
      return typeof value === 'string' ? value : JSON.stringify(value);
    case 'json':
      return JSON.stringify(value);
    case 'whole':
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'time':
      return new Date(value as number);
    default:
      return value;
  }
}
