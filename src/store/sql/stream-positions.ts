// Reading and moving the stored positions of streams, in SQL both databases read.
import type { Database } from '../database.ts';
import type { UpsertOutcome } from '../record-store.ts';
import type { StreamPosition, StreamStep } from '../stream-store.ts';

const SELECT =
  'SELECT stream, partition_no AS "partition", dataset_id, next_offset, messages, skipped, tombstones, lost FROM stream_position';

export function streamPositions(database: Database, datasetId?: string): Promise<StreamPosition[]> {
  if (datasetId === undefined) return database.all<StreamPosition>(`${SELECT} ORDER BY stream, partition_no`);
  return database.all<StreamPosition>(`${SELECT} WHERE dataset_id = ? ORDER BY stream, partition_no`, [datasetId]);
}

/** Parameters: dataset, stream, partition. */
export const POSITION_SQL =
  'SELECT next_offset FROM stream_position WHERE dataset_id = ? AND stream = ? AND partition_no = ?';

/** Parameters: dataset, stream, partition, position, messages, skipped, tombstones, lost. */
export const MOVE_SQL = `INSERT INTO stream_position (dataset_id, stream, partition_no, next_offset, messages, skipped, tombstones, lost)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (dataset_id, stream, partition_no) DO UPDATE SET next_offset = excluded.next_offset,
    messages = stream_position.messages + excluded.messages, skipped = stream_position.skipped + excluded.skipped,
    tombstones = stream_position.tombstones + excluded.tombstones, lost = stream_position.lost + excluded.lost`;

export function moveParams(datasetId: string, step: StreamStep, outcomes: readonly UpsertOutcome[]) {
  const refused = outcomes.filter((outcome) => outcome !== 'stored').length;
  const { stream, partition, next, messages, skipped, tombstones, lost } = step;
  return [datasetId, stream, partition, next, messages, skipped + refused, tombstones, lost];
}
