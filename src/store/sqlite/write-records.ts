// Upserts and deletes users and items inside the writer's transaction. Every record carries the dataset version of its last
// write; deletions leave a mark with theirs, the newest of which are kept, so that caches can follow the changes.
import type { DatabaseSync } from 'node:sqlite';
import { capacityOf } from '../../domain/dataset.ts';
import { textsOf } from '../../domain/record-columns.ts';
import { KEPT_DELETIONS, type UpsertOutcome } from '../record-store.ts';
import { datasetCountTable } from './dataset-counts.ts';
import type { DeleteRecordsCommand, UpsertRecordsCommand } from './write-protocol.ts';

export interface RecordWriter {
  upsert(command: UpsertRecordsCommand): UpsertOutcome[];
  delete(command: DeleteRecordsCommand): number;
}

export function recordWriter(db: DatabaseSync): RecordWriter {
  const datasetCounts = datasetCountTable(db);
  const update = db.prepare('UPDATE record SET version = ?, attributes = ? WHERE dataset_no = ? AND id = ?');
  const insert = db.prepare('INSERT INTO record (dataset_no, id, version, attributes) VALUES (?, ?, ?, ?)');
  const remove = db.prepare('DELETE FROM record WHERE dataset_no = ? AND id = ?');
  const mark = db.prepare('INSERT INTO record_deletion (dataset_no, version, id) VALUES (?, ?, ?)');
  const oldestKept = db.prepare(
    'SELECT version FROM record_deletion WHERE dataset_no = ? ORDER BY version DESC LIMIT 1 OFFSET ?',
  );
  const forgetMarks = db.prepare('DELETE FROM record_deletion WHERE dataset_no = ? AND version <= ?');

  return {
    upsert({ target, columns }) {
      const attributes = textsOf(columns.attributes);
      const counts = datasetCounts.read(target);
      const capacity = capacityOf(target);
      const outcomes = textsOf(columns.ids).map((id, i): UpsertOutcome => {
        const version = counts.version + 1;
        if (update.run(version, attributes[i], counts.dataset_no, id).changes === 0) {
          if (counts.num_records >= capacity) return 'full';
          insert.run(counts.dataset_no, id, version, attributes[i]);
          counts.num_records++;
        }
        counts.version = version;
        return 'stored';
      });
      datasetCounts.write(counts);
      return outcomes;
    },

    delete({ target, ids }) {
      const counts = datasetCounts.read(target);
      let deleted = 0;
      for (const id of ids) {
        if (remove.run(counts.dataset_no, id).changes === 0) continue;
        mark.run(counts.dataset_no, ++counts.version, id);
        deleted++;
      }
      const forgotten = oldestKept.get(counts.dataset_no, KEPT_DELETIONS) as { version: number } | undefined;
      if (forgotten) {
        forgetMarks.run(counts.dataset_no, forgotten.version);
        counts.changes_from = forgotten.version;
      }
      counts.num_records -= deleted;
      datasetCounts.write(counts);
      return deleted;
    },
  };
}
