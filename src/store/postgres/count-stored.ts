// Counts the events of the last days that were stored before there were counts; a part of a migration.
import type { ClientBase } from 'pg';
import { MINUTE_MS } from '../../base/durations.ts';
import { COUNTED_MINUTES, TallyLog } from '../tallies/tally-log.ts';
import { addTallies } from './write-tallies.ts';

const CHUNK = 50_000;

interface StoredEvent {
  ts: number;
  seq: number;
  item: number;
  type: number;
  value: number;
}

export async function countStoredInPostgres(client: ClientBase, nowMs: number): Promise<void> {
  const { rows: datasets } = await client.query<{ dataset_no: number }>('SELECT dataset_no FROM dataset_count');
  for (const { dataset_no } of datasets) await countDatasetInPostgres(client, dataset_no, nowMs);
}

/** Counts the recent events of a dataset that has no counts yet. */
export async function countDatasetInPostgres(client: ClientBase, datasetNo: number, nowMs: number): Promise<void> {
  for (let after = { ts: nowMs - COUNTED_MINUTES * MINUTE_MS, seq: 0 }; ; ) {
    const { rows } = await client.query<StoredEvent>(
      `SELECT ts, seq, item_no AS item, type_no AS type, value FROM event
       WHERE dataset_no = $1 AND (ts, seq) > ($2, $3) ORDER BY ts, seq LIMIT ${CHUNK}`,
      [datasetNo, after.ts, after.seq],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    const log = new TallyLog(nowMs);
    for (const event of rows) log.add(event, 1);
    const counted = log.take();
    if (counted !== null) await addTallies(client, datasetNo, [counted], nowMs);
    after = last;
  }
}
