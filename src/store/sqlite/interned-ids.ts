// Between ids and their numbers, on the reading side. Pairs never change, so those asked for often are kept.
import { INTERNED_KIND_NO, type InternedKind } from '../event-store.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/** Of each direction; about 150 bytes an entry. */
const MAX_CACHED = 200_000;
const BLOCK = 10_000;

export class InternedIds {
  readonly #database: SqliteDatabase;
  readonly #numbers = new PairCache<string, number>();
  readonly #ids = new PairCache<number, string>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  numberOf(datasetNo: number, kind: InternedKind, id: string): number | undefined {
    const kindNo = INTERNED_KIND_NO[kind];
    const known = this.#numbers.get(datasetNo, kindNo, id);
    if (known !== undefined) return known;
    const row = this.#database
      .reading('SELECT no FROM interned WHERE dataset_no = ? AND kind = ? AND id = ?')
      .get(datasetNo, kindNo, id) as { no: number } | undefined;
    // That there is none may change.
    if (row) this.#numbers.set(datasetNo, kindNo, id, row.no);
    return row?.no;
  }

  idOf(datasetNo: number, kind: InternedKind, no: number): string {
    const kindNo = INTERNED_KIND_NO[kind];
    const known = this.#ids.get(datasetNo, kindNo, no);
    if (known !== undefined) return known;
    const { id } = this.#database
      .reading('SELECT id FROM interned WHERE dataset_no = ? AND kind = ? AND no = ?')
      .get(datasetNo, kindNo, no) as { id: string };
    this.#ids.set(datasetNo, kindNo, no, id);
    return id;
  }

  *blocks(datasetNo: number, kind: InternedKind, range: { from: number; to: number }): Generator<string[]> {
    const statement = this.#database.reading(
      'SELECT id FROM interned WHERE dataset_no = ? AND kind = ? AND no >= ? AND no < ? ORDER BY no',
    );
    for (let from = range.from; from < range.to; from += BLOCK) {
      const to = Math.min(from + BLOCK, range.to);
      const rows = statement.all(datasetNo, INTERNED_KIND_NO[kind], from, to) as { id: string }[];
      if (rows.length > 0) yield rows.map(({ id }) => id);
      if (rows.length < to - from) return;
    }
  }
}

/** A bounded map per dataset and kind. When it is full it starts anew: cheaper than keeping an order of use. */
class PairCache<Key, Value> {
  readonly #maps = new Map<number, Map<Key, Value>>();
  #size = 0;

  get(datasetNo: number, kindNo: number, key: Key): Value | undefined {
    return this.#maps.get(datasetNo * 4 + kindNo)?.get(key);
  }

  set(datasetNo: number, kindNo: number, key: Key, value: Value): void {
    if (this.#size >= MAX_CACHED) {
      this.#maps.clear();
      this.#size = 0;
    }
    let map = this.#maps.get(datasetNo * 4 + kindNo);
    if (!map) {
      map = new Map();
      this.#maps.set(datasetNo * 4 + kindNo, map);
    }
    map.set(key, value);
    this.#size++;
  }
}
