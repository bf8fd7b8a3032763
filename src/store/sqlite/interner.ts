// Gives user ids, item ids and event types of a dataset their numbers: 0, 1, 2 … in order of first sight, never reused.
// A number once committed never changes, so the cache needs no invalidation but after a rollback.
import type { DatabaseSync } from 'node:sqlite';
import { INTERNED_KIND_NO, type InternedKind } from '../event-store.ts';
import type { DatasetCounts } from './dataset-counts.ts';

/** About 150 bytes an entry. */
const MAX_CACHED = 500_000;

const COUNTER = { user: 'num_users', item: 'num_items', type: 'num_types' } as const;

export interface Interner {
  /** The id's number; raises the dataset's counter when it is new. */
  numberOf(counts: DatasetCounts, kind: InternedKind, id: string): number;
  /** Must be called when a transaction was rolled back. */
  forget(): void;
}

export function interner(db: DatabaseSync): Interner {
  const select = db.prepare('SELECT no FROM interned WHERE dataset_no = ? AND kind = ? AND id = ?');
  const insert = db.prepare('INSERT INTO interned (dataset_no, kind, id, no) VALUES (?, ?, ?, ?)');
  const cache = new Map<number, Map<string, number>>();
  let cached = 0;

  function forget(): void {
    cache.clear();
    cached = 0;
  }

  return {
    forget,
    numberOf(counts, kind, id) {
      const kindNo = INTERNED_KIND_NO[kind];
      const cacheKey = counts.dataset_no * 4 + kindNo;
      let numbers = cache.get(cacheKey);
      const known = numbers?.get(id);
      if (known !== undefined) return known;
      const found = select.get(counts.dataset_no, kindNo, id) as { no: number } | undefined;
      const no = found ? found.no : counts[COUNTER[kind]]++;
      if (!found) insert.run(counts.dataset_no, kindNo, id, no);
      if (cached >= MAX_CACHED) {
        forget();
        numbers = undefined;
      }
      if (!numbers) {
        numbers = new Map();
        cache.set(cacheKey, numbers);
      }
      numbers.set(id, no);
      cached++;
      return no;
    },
  };
}
