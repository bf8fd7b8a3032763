// Folds the log of counts into runs under the dataset's lock; see store/tallies/tally-runs.ts. On the API thread, so other calls
// get their turn in between.
import type { ClientBase } from 'pg';
import { ownTurn } from '../../base/turns.ts';
import { FOLD_EVERY, foldLogs, joinRuns, oldestBucket, RUN_GROWTH, SPAN_MINUTES } from '../tallies/tally-runs.ts';

/** Bytes of the log folded at a stretch: some milliseconds. */
const STRETCH_BYTES = 32 * 1024;

interface Run {
  run: number;
  entries: Uint8Array;
}

/** Folds the logs of the last FOLD_EVERY versions into tallies. */
export async function foldTallies(
  client: ClientBase,
  { dataset_no, version }: { dataset_no: number; version: number },
  nowMs: number,
): Promise<void> {
  const { rows } = await client.query<{ counts: Uint8Array }>(
    'SELECT counts FROM event_change WHERE dataset_no = $1 AND version > $2 AND version <= $3 AND counts IS NOT NULL',
    [dataset_no, version - FOLD_EVERY, version],
  );
  let portion: Uint8Array[] = [];
  let bytes = 0;
  for (const [n, { counts }] of rows.entries()) {
    portion.push(counts);
    bytes += counts.length;
    if (bytes < STRETCH_BYTES && n < rows.length - 1) continue;
    await addTallies(client, dataset_no, portion, nowMs);
    await ownTurn();
    portion = [];
    bytes = 0;
  }
  for (const span of SPAN_MINUTES.keys()) {
    await client.query('DELETE FROM event_tally WHERE dataset_no = $1 AND span = $2 AND bucket < $3', [
      dataset_no,
      span,
      oldestBucket(span, nowMs),
    ]);
  }
}

/** Adds logs that are not in the log of changes. */
export async function addTallies(
  client: ClientBase,
  datasetNo: number,
  logs: readonly Uint8Array[],
  nowMs: number,
): Promise<void> {
  const fresh = [...foldLogs(logs, nowMs)];
  if (fresh.length === 0) return;
  const spans = fresh.map(({ span }) => span);
  const buckets = fresh.map(({ bucket }) => bucket);
  // Reads all runs of these buckets at once: a statement for each would cost a round trip each.
  const { rows } = await client.query<Run & { span: number; bucket: number }>(
    `SELECT t.span, t.bucket, t.run, t.entries FROM unnest($2::smallint[], $3::bigint[]) AS touched (span, bucket)
     JOIN event_tally t ON t.dataset_no = $1 AND t.span = touched.span AND t.bucket = touched.bucket ORDER BY t.run`,
    [datasetNo, spans, buckets],
  );
  const runs = Map.groupBy(rows, ({ span, bucket }) => `${span} ${bucket}`);
  const written: { span: number; bucket: number; run: number; entries: Uint8Array }[] = [];
  const removed: { span: number; bucket: number; run: number }[] = [];
  for (const { span, bucket, entries: added } of fresh) {
    const stored: Run[] = runs.get(`${span} ${bucket}`) ?? [];
    let entries = added;
    let last = stored.pop();
    while (last !== undefined && last.entries.length <= RUN_GROWTH * entries.length) {
      removed.push({ span, bucket, run: last.run });
      entries = joinRuns(last.entries, entries);
      last = stored.pop();
    }
    if (entries.length > 0) written.push({ span, bucket, run: (last?.run ?? -1) + 1, entries });
  }
  if (removed.length > 0) {
    await client.query(
      `DELETE FROM event_tally t USING unnest($2::smallint[], $3::bigint[], $4::integer[]) AS gone (span, bucket, run)
       WHERE t.dataset_no = $1 AND t.span = gone.span AND t.bucket = gone.bucket AND t.run = gone.run`,
      [datasetNo, ...columnsOf(removed)],
    );
  }
  if (written.length > 0) {
    await client.query(
      `INSERT INTO event_tally (dataset_no, span, bucket, run, entries)
       SELECT $1, * FROM unnest($2::smallint[], $3::bigint[], $4::integer[], $5::bytea[])`,
      [datasetNo, ...columnsOf(written), written.map(({ entries }) => entries)],
    );
  }
}

const columnsOf = (rows: readonly { span: number; bucket: number; run: number }[]) => [
  rows.map(({ span }) => span),
  rows.map(({ bucket }) => bucket),
  rows.map(({ run }) => run),
];
