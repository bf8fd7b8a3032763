// Gives user ids, item ids and event types of a dataset their numbers: 0, 1, 2 … in order of first sight, never reused.
// A pair once committed stays but for forgotten and merged users, which the cache sees by the dataset's `erasures` and `merges`,
// and after a rollback.
import type { DatabaseSync } from 'node:sqlite';
import type { DatasetCounts } from '../dataset-counts.ts';
import { INTERNED_KIND_NO, type InternedKind } from '../event-store.ts';
import { KnownNumbers } from '../known-numbers.ts';
import { idRowBytes } from '../stored-bytes.ts';

const CACHE_BYTES = 64 * 1024 * 1024;

const COUNTER = { user: 'num_users', item: 'num_items', type: 'num_types' } as const;

export interface Interner {
  /** The id's number; raises the dataset's counter when it is new. */
  numberOf(counts: DatasetCounts, kind: InternedKind, id: string): number;
  /** The id's number, if it has one. */
  find(counts: DatasetCounts, kind: InternedKind, id: string): number | undefined;
  /** Must be called when a transaction was rolled back. */
  forget(): void;
}

export function interner(db: DatabaseSync): Interner {
  const select = db.prepare('SELECT no FROM interned WHERE dataset_no = ? AND kind = ? AND id = ?');
  const insert = db.prepare('INSERT INTO interned (dataset_no, kind, id, no) VALUES (?, ?, ?, ?)');
  const known = new KnownNumbers(CACHE_BYTES);

  return {
    forget: () => known.clear(),
    find: (counts, kind, id) =>
      known.get(counts, kind, id) ??
      (select.get(counts.dataset_no, INTERNED_KIND_NO[kind], id) as { no: number } | undefined)?.no,
    numberOf(counts, kind, id) {
      const { dataset_no } = counts;
      const no = known.get(counts, kind, id);
      if (no !== undefined) return no;
      const kindNo = INTERNED_KIND_NO[kind];
      const found = select.get(dataset_no, kindNo, id) as { no: number } | undefined;
      const given = found ? found.no : counts[COUNTER[kind]]++;
      if (!found) {
        insert.run(dataset_no, kindNo, id, given);
        counts.stored_bytes += idRowBytes(id);
      }
      known.set(counts, kind, id, given);
      return given;
    },
  };
}
