// Between ids and their numbers, on the reading side. Pairs never change, so those asked for often are kept.
import { INTERNED_KIND_NO, type InternedKind } from '../event-store.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

const MAX_CACHED = 200_000;
const BLOCK = 10_000;

export class InternedIds {
  readonly #database: SqliteDatabase;
  readonly #cache = new Map<number, Map<number, string>>();
  #cached = 0;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  numberOf(datasetNo: number, kind: InternedKind, id: string): number | undefined {
    const row = this.#database
      .reading('SELECT no FROM interned WHERE dataset_no = ? AND kind = ? AND id = ?')
      .get(datasetNo, INTERNED_KIND_NO[kind], id) as { no: number } | undefined;
    return row?.no;
  }

  idOf(datasetNo: number, kind: InternedKind, no: number): string {
    const kindNo = INTERNED_KIND_NO[kind];
    const cacheKey = datasetNo * 4 + kindNo;
    let ids = this.#cache.get(cacheKey);
    const known = ids?.get(no);
    if (known !== undefined) return known;
    const { id } = this.#database
      .reading('SELECT id FROM interned WHERE dataset_no = ? AND kind = ? AND no = ?')
      .get(datasetNo, kindNo, no) as { id: string };
    if (this.#cached >= MAX_CACHED) {
      this.#cache.clear();
      this.#cached = 0;
      ids = undefined;
    }
    if (!ids) {
      ids = new Map();
      this.#cache.set(cacheKey, ids);
    }
    ids.set(no, id);
    this.#cached++;
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
