// A Parquet file that is written row by row: one group of rows is in memory, the rest is on disk.
import { type FileHandle, open } from 'node:fs/promises';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

export const PARQUET_TYPES = ['text', 'whole', 'number', 'boolean', 'time', 'json', 'floats'] as const;
/** `whole`: 32 bits; `time`: milliseconds; `json`: any value, as text; `floats`: a list of 32-bit floats. */
export type ParquetType = (typeof PARQUET_TYPES)[number];

export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetType;
  /** values come again: each is written once for a group */
  readonly repeats?: boolean;
}

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** Readers want groups of at least some ten thousand rows; with long texts it is their length that counts. */
export const GROUP_ROWS = 65_536;
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
    const root: SchemaElement = { name: 'root', num_children: columns.length };
    const schema = [root, ...columns.flatMap(elementsOf)];
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema });
  }

  /** A group is encoded at a stretch. */
  static async create(path: string, columns: readonly ParquetColumn[], groupRows = GROUP_ROWS): Promise<ParquetFile> {
    return new ParquetFile(await open(path, 'wx', 0o600), columns, groupRows);
  }

  /** Cells in the order of the columns; null where there is none. A promise comes back only when a group is written. */
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

  /** Without it the file has no end and cannot be read. */
  async finish(): Promise<void> {
    if (this.#cells[0].length > 0) await this.#writeGroup();
    this.#writer.finish();
    await this.#flush();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #writeGroup(): Promise<void> {
    const columnData = this.#columns.map(({ name, repeats }, n) => ({
      ...{ name, data: this.#cells[n], offsetIndex: false },
      ...(repeats && { encoding: 'RLE_DICTIONARY' as const }),
    }));
    this.#cells = this.#columns.map(() => []);
    this.#length = 0;
    await this.#writer.write({ columnData, rowGroupSize: this.#groupRows });
    await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = this.#bytes.getBytes();
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, written);
      written += bytesWritten;
    }
    this.#bytes.index = 0;
  }
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

/** What does not fit the column's type is null. */
function cellOf(value: unknown, type: ParquetType): unknown {
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
