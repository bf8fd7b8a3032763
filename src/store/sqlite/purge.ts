// Removes what deleted datasets left behind, a chunk a transaction; see purge-after-delete.ts.
import type { DatabaseSync } from 'node:sqlite';
import { momentAt } from './event-moment.ts';
import { shardStart } from './event-place.ts';
import type { Erasure } from './remains-cleaner.ts';

export interface Purger {
  /** Removes up to about `maxRows` rows and returns whether more is left. */
  run(maxRows: number): boolean;
}

export function purger(db: DatabaseSync, erasure: Erasure): Purger {
  const orphan = db.prepare(
    `SELECT dataset_no FROM dataset_count c
     WHERE NOT EXISTS (SELECT 1 FROM dataset d WHERE d.dataset_id = c.dataset_id) LIMIT 1`,
  );
  const places = db.prepare(
    'DELETE FROM event_place WHERE place IN (SELECT place FROM event_place WHERE place >= ? AND place < ? LIMIT ?)',
  );
  const moments = db.prepare(
    'DELETE FROM event_time WHERE moment IN (SELECT moment FROM event_time WHERE moment >= ? AND moment < ? LIMIT ?)',
  );
  const byDataset = [
    'DELETE FROM event WHERE seq IN (SELECT seq FROM event WHERE dataset_no = ? LIMIT ?)',
    'DELETE FROM record WHERE record_no IN (SELECT record_no FROM record WHERE dataset_no = ? LIMIT ?)',
    `DELETE FROM event_change WHERE (dataset_no, version) IN
       (SELECT dataset_no, version FROM event_change WHERE dataset_no = ? LIMIT ?)`,
    `DELETE FROM event_tally WHERE (dataset_no, span, bucket, run) IN
       (SELECT dataset_no, span, bucket, run FROM event_tally WHERE dataset_no = ? LIMIT ?)`,
    `DELETE FROM outcome_item WHERE (dataset_no, created_ms, random, item_hash) IN
       (SELECT dataset_no, created_ms, random, item_hash FROM outcome_item WHERE dataset_no = ? LIMIT ?)`,
    'DELETE FROM outcome_served WHERE batch_id IN (SELECT batch_id FROM outcome_served WHERE dataset_no = ? LIMIT ?)',
    `DELETE FROM record_deletion WHERE (dataset_no, version) IN
       (SELECT dataset_no, version FROM record_deletion WHERE dataset_no = ? LIMIT ?)`,
    `DELETE FROM interned WHERE (dataset_no, kind, id) IN
       (SELECT dataset_no, kind, id FROM interned WHERE dataset_no = ? LIMIT ?)`,
  ].map((sql) => db.prepare(sql));
  const forget = db.prepare('DELETE FROM dataset_count WHERE dataset_no = ?');

  return {
    run(maxRows) {
      const found = orphan.get() as { dataset_no: number } | undefined;
      if (!found) return false;
      const { dataset_no } = found;
      if (places.run(shardStart(dataset_no, 0), shardStart(dataset_no + 1, 0), maxRows).changes === maxRows)
        return true;
      if (moments.run(momentAt(dataset_no, 0), momentAt(dataset_no + 1, 0), maxRows).changes === maxRows) return true;
      for (const statement of byDataset) {
        if (statement.run(dataset_no, maxRows).changes === maxRows) return true;
      }
      forget.run(dataset_no);
      erasure.due();
      return true;
    },
  };
}
