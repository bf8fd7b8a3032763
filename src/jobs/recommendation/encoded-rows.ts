// Rows of the table of lists (list-table.ts) that are encoded where the lists are made, batch by batch, so that the table needs no
// thread of its own in the end. The pieces of a job leave them as a body without head and end; joining puts those around it.
import { type FileHandle, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { csvLine } from '../../base/csv-line.ts';
import type { ListFormat } from '../../domain/recommendation-job.ts';
import { filesOf, type Piece } from '../../pieces/piece.ts';
import { chunksOf } from '../../results/files/chunks-of.ts';
import { csvRow, type ListColumns, ownNames, parquetColumns, tableColumns } from '../../results/list-table.ts';
import { cellOf, encodeGroup, type ParquetColumn, ParquetFile, type ParquetGroup } from '../../results/parquet-file.ts';

export type TableFormat = Exclude<ListFormat, 'jsonl'>;
type Columns = Pick<ListColumns, 'attributes' | 'types'>;

/** Rows in the encoding of the file. */
export interface EncodedRows {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** set for a Parquet file */
  readonly about?: ParquetGroup['about'];
}

export const BODY_FILES = ['table.body', 'table.groups'] as const;
const [BODY, GROUPS] = BODY_FILES;
const encoder = new TextEncoder();

/** Columns before those of the attributes. */
const FIXED = 4;

/** Gathers the rows of a batch. */
export class ListRows {
  /** null for a CSV file */
  readonly #columns: readonly ParquetColumn[] | null;
  readonly #names: readonly string[];
  #cells: unknown[][] = [];

  constructor(format: TableFormat, columns: Columns) {
    this.#columns = format === 'parquet' ? parquetColumns(columns) : null;
    this.#names = ownNames(columns.attributes);
    this.#clear();
  }

  /** The item's id and attributes, ready to be encoded. Call it once per item. */
  cellsOf(item: Readonly<Record<string, unknown>>): readonly unknown[] {
    const columns = this.#columns;
    if (columns === null) return [item.item_id, ...this.#names.map((name) => item[name])];
    const attributes = this.#names.map((name, n) => cellOf(item[name], columns[FIXED + n].type));
    return [encoder.encode(String(item.item_id)), ...attributes];
  }

  /** The next item of the user's list, from rank 1, by `cellsOf`. `score`: null for an item without one. */
  add(userId: string, rank: number, item: readonly unknown[], score: number | null): void {
    const cells = this.#cells;
    cells[0].push(userId);
    cells[1].push(rank);
    cells[2].push(item[0]);
    cells[3].push(score);
    for (let n = 1; n < item.length; n++) cells[FIXED + n - 1].push(item[n]);
  }

  /** Returns all rows added since the last call; null if there are none. */
  take(): EncodedRows | null {
    const cells = this.#cells;
    const rows = cells[0].length;
    if (rows === 0) return null;
    this.#clear();
    if (this.#columns !== null) return encodeGroup(this.#columns, cells);
    const lines = Array.from({ length: rows }, (_, n) => csvRow(cells.map((own) => own[n])));
    return { bytes: encoder.encode(lines.join('')) };
  }

  #clear(): void {
    this.#cells = Array.from({ length: FIXED + this.#names.length }, () => []);
  }
}

/** The rows of a piece, in the order they are written. */
export class TableBody {
  readonly #folder: string;
  readonly #file: FileHandle;
  readonly #groups: ParquetGroup[] = [];

  private constructor(folder: string, file: FileHandle) {
    this.#folder = folder;
    this.#file = file;
  }

  static async create(folder: string): Promise<TableBody> {
    return new TableBody(folder, await open(join(folder, BODY), 'wx', 0o600));
  }

  async write({ bytes, about }: EncodedRows): Promise<void> {
    await this.#file.writeFile(bytes);
    if (about) this.#groups.push({ bytes: bytes.length, about });
  }

  async finish(): Promise<void> {
    await writeFile(join(this.#folder, GROUPS), serialize(this.#groups), { flag: 'wx', mode: 0o600 });
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** The table of all pieces, in order. */
export async function joinBodies(
  format: TableFormat,
  columns: Columns,
  pieces: readonly Piece<unknown>[],
  target: string,
): Promise<void> {
  if (format === 'csv') {
    const chunks = async function* () {
      yield encoder.encode(csvLine(tableColumns(columns.attributes)));
      yield* chunksOf(filesOf(pieces, BODY));
    };
    return writeFile(target, chunks(), { flag: 'wx', mode: 0o600 });
  }
  const file = await ParquetFile.create(target, parquetColumns(columns));
  try {
    for (const piece of pieces) {
      const groups = deserialize(await readFile(await piece.file(GROUPS))) as ParquetGroup[];
      await file.append(groups, chunksOf(filesOf([piece], BODY)));
    }
    await file.finish();
  } finally {
    await file.close();
  }
}
