// Between ids and their numbers, on the reading side. Pairs never change, so those asked for often are kept.
import { INTERNED_KIND_NO, type InternedKind } from '../event-store.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/** Of each direction; about 100 bytes an entry. When there are so many it starts anew: cheaper than keeping an order of use. */
const MAX_CACHED = 200_000;
const BLOCK = 10_000;

/** The ids of one kind in one dataset, by number. */
export interface IdsByNumber {
  at(no: number): string;
}

export class InternedIds {
  readonly #database: SqliteDatabase;
  readonly #numbers = new Map<string, number>();
  readonly #ids = new Map<number, KnownIds>();
  #knownIds = 0;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  numberOf(datasetNo: number, kind: InternedKind, id: string): number | undefined {
    const kindNo = INTERNED_KIND_NO[kind];
    const key = `${datasetNo} ${kindNo} ${id}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const row = this.#database
      .reading('SELECT no FROM interned WHERE dataset_no = ? AND kind = ? AND id = ?')
      .get(datasetNo, kindNo, id) as { no: number } | undefined;
    // That there is none may change.
    if (row === undefined) return undefined;
    if (this.#numbers.size >= MAX_CACHED) this.#numbers.clear();
    this.#numbers.set(key, row.no);
    return row.no;
  }

  idsOf(datasetNo: number, kind: InternedKind): IdsByNumber {
    const key = datasetNo * 4 + INTERNED_KIND_NO[kind];
    let ids = this.#ids.get(key);
    if (ids === undefined) {
      ids = new KnownIds((no) => this.#readId(datasetNo, kind, no));
      this.#ids.set(key, ids);
    }
    return ids;
  }

  *blocks(datasetNo: number, kind: InternedKind, range: { from: number; to: number }): Generator<string[]> {
    // One value for many rows: a row at a time costs six times as much. Ids have no character 0: the API refuses it.
    const statement = this.#database.reading(
      `SELECT CAST(group_concat(id, char(0)) AS BLOB) AS ids
       FROM (SELECT id FROM interned WHERE dataset_no = ? AND kind = ? AND no >= ? AND no < ? ORDER BY no)`,
    );
    for (let from = range.from; from < range.to; from += BLOCK) {
      const to = Math.min(from + BLOCK, range.to);
      const row = statement.get(datasetNo, INTERNED_KIND_NO[kind], from, to) as { ids: Uint8Array | null };
      const ids = row.ids === null ? [] : textOf(row.ids).split('\0');
      if (ids.length > 0) yield ids;
      if (ids.length < to - from) return;
    }
  }

  #readId(datasetNo: number, kind: InternedKind, no: number): string {
    const { id } = this.#database
      .reading('SELECT id FROM interned WHERE dataset_no = ? AND kind = ? AND no = ?')
      .get(datasetNo, INTERNED_KIND_NO[kind], no) as { id: string };
    if (++this.#knownIds > MAX_CACHED) {
      for (const ids of this.#ids.values()) ids.forget();
      this.#knownIds = 1;
    }
    return id;
  }
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

/** Numbers are dense: an array finds an id without hashing, and a history asks for many. */
class KnownIds implements IdsByNumber {
  #ids: (string | undefined)[] = [];
  readonly #read: (no: number) => string;

  constructor(read: (no: number) => string) {
    this.#read = read;
  }

  at(no: number): string {
    return (no < this.#ids.length ? this.#ids[no] : undefined) ?? this.#learn(no);
  }

  forget(): void {
    this.#ids = [];
  }

  #learn(no: number): string {
    const id = this.#read(no);
    if (no >= this.#ids.length) this.#ids.length = Math.max(no + 1, this.#ids.length * 2);
    this.#ids[no] = id;
    return id;
  }
}
