// Maps ids to numbers and back, on the reading side. Pairs of items and types never change, so frequent ones are cached.
// A user may be forgotten and come back with another number, so users are looked up every time.
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';
import { ownTurn } from '../../base/turns.ts';
import { INTERNED_KIND_NO, type InternedKind } from '../event-store.ts';
import { KnownNumbers, keyOf } from '../known-numbers.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/** Size of each cache: ids to numbers, and numbers to ids. */
const CACHE_BYTES = 32 * 1024 * 1024;
/** Bytes of a slot in the array of ids. */
const PLACE_BYTES = 8;
const TABLE_BYTES = 200;
const BLOCK = 10_000;
/** Ids looked up before other calls get their turn: a millisecond or two if they are read for the first time. */
const IDS_A_STRETCH = 500;

/** The ids of one kind in one dataset, by number. */
export interface IdsByNumber {
  at(no: number): string;
}

export class InternedIds {
  readonly #database: SqliteDatabase;
  readonly #numbers = new KnownNumbers(CACHE_BYTES);
  readonly #ids = new BoundedCache<number, KnownIds>({
    name: 'ids_by_number',
    maxBytes: CACHE_BYTES,
    bytesOf: () => TABLE_BYTES,
  });

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  numberOf(datasetNo: number, kind: InternedKind, id: string): number | undefined {
    const dataset = { dataset_no: datasetNo, erasures: 0, merges: 0 };
    const known = kind === 'user' ? undefined : this.#numbers.get(dataset, kind, id);
    if (known !== undefined) return known;
    const row = this.#database
      .reading('SELECT no FROM interned WHERE dataset_no = ? AND kind = ? AND id = ?')
      .get(datasetNo, INTERNED_KIND_NO[kind], id) as { no: number } | undefined;
    // A missing id is not cached, because it may be added later.
    if (row === undefined) return undefined;
    if (kind !== 'user') this.#numbers.set(dataset, kind, id, row.no);
    return row.no;
  }

  idsOf(datasetNo: number, kind: InternedKind): IdsByNumber {
    const key = keyOf(datasetNo, kind);
    return this.#ids.getOrMake(key, () => {
      const read = (no: number): string => this.#readId(datasetNo, kind, no);
      return new KnownIds(read, (bytes) => this.#ids.grow(key, bytes));
    });
  }

  /** The ids behind numbers, in the same order. */
  async manyIds(datasetNo: number, kind: InternedKind, numbers: readonly number[]): Promise<string[]> {
    const known = this.idsOf(datasetNo, kind);
    const ids: string[] = [];
    for (let from = 0; from < numbers.length; from += IDS_A_STRETCH) {
      if (from > 0) await ownTurn();
      const some = numbers.slice(from, from + IDS_A_STRETCH);
      // Jobs look up each of millions of users once, so user ids are not cached.
      const found = kind === 'user' ? this.#usersOf(datasetNo, some) : some.map((no) => known.at(no));
      for (const id of found) ids.push(id);
    }
    return ids;
  }

  *blocks(datasetNo: number, kind: InternedKind, range: { from: number; to: number }): Generator<string[]> {
    const statement = this.#database.reading(
      `SELECT CAST(group_concat(id, char(0)) AS BLOB) AS ids
       FROM (SELECT id FROM interned WHERE dataset_no = ? AND kind = ? AND no >= ? AND no < ? ORDER BY no)`,
    );
    for (let from = range.from; from < range.to; from += BLOCK) {
      const to = Math.min(from + BLOCK, range.to);
      const row = statement.get(datasetNo, INTERNED_KIND_NO[kind], from, to) as { ids: Uint8Array | null };
      const ids = idsIn(row.ids);
      if (ids.length > 0) yield ids;
      if (ids.length < to - from) return;
    }
  }

  #usersOf(datasetNo: number, numbers: readonly number[]): string[] {
    const { ids } = this.#database
      .reading(
        `SELECT CAST(group_concat(id, char(0)) AS BLOB) AS ids FROM (SELECT interned.id FROM json_each(?) AS wanted
           CROSS JOIN interned ON dataset_no = ? AND kind = ? AND no = wanted.value ORDER BY wanted.key)`,
      )
      .get(JSON.stringify(numbers), datasetNo, INTERNED_KIND_NO.user) as { ids: Uint8Array | null };
    return idsIn(ids);
  }

  #readId(datasetNo: number, kind: InternedKind, no: number): string {
    const { id } = this.#database
      .reading('SELECT id FROM interned WHERE dataset_no = ? AND kind = ? AND no = ?')
      .get(datasetNo, INTERNED_KIND_NO[kind], no) as { id: string };
    return id;
  }
}

/** Ids of many rows in one value: a row at a time costs two to six times as much. Ids have no character 0: the API refuses it. */
function idsIn(joined: Uint8Array | null): string[] {
  if (joined === null) return [];
  const { buffer, byteOffset, byteLength } = joined;
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8').split('\0');
}

class KnownIds implements IdsByNumber {
  /** ids by number; a dataset's numbers have no gaps */
  readonly #ids: (string | undefined)[] = [];
  readonly #read: (no: number) => string;
  readonly #onGrowth: (bytes: number) => void;

  constructor(read: (no: number) => string, onGrowth: (bytes: number) => void) {
    this.#read = read;
    this.#onGrowth = onGrowth;
  }

  at(no: number): string {
    return this.#ids[no] ?? this.#learn(no);
  }

  #learn(no: number): string {
    const id = this.#read(no);
    const { length } = this.#ids;
    while (this.#ids.length <= no) this.#ids.push(undefined);
    this.#ids[no] = id;
    this.#onGrowth(textBytes(id) + (this.#ids.length - length) * PLACE_BYTES);
    return id;
  }
}
