// Reading stored positions of streams, in SQL both databases read.
import type { Database } from '../database.ts';
import type { StreamPosition } from '../stream-store.ts';

const SELECT =
  'SELECT stream, partition_no AS "partition", dataset_id, next_offset, messages, skipped, tombstones, lost FROM stream_position';

export function streamPositions(database: Database, datasetId?: string): Promise<StreamPosition[]> {
  if (datasetId === undefined) return database.all<StreamPosition>(`${SELECT} ORDER BY stream, partition_no`);
  return database.all<StreamPosition>(`${SELECT} WHERE dataset_id = ? ORDER BY stream, partition_no`, [datasetId]);
}
