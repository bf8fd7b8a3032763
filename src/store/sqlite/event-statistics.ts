// Counts of a dataset's events, block by block on the reader thread: between two blocks, reads of other accounts have their turn.
import { MAX_LISTED_TYPES } from '../event-store.ts';
import type { NumberedDataset } from './dataset-numbers.ts';
import { momentAt, tsOf } from './event-moment.ts';
import { shardStart } from './event-place.ts';
import type { EventRanges } from './event-ranges.ts';
import type { EventCounts } from './event-reader.ts';
import type { SqliteReader } from './reader.ts';

/** Events counted at a time, which takes some tens of milliseconds. */
const COUNTED_AT_ONCE = 16_384;

const COUNT_SQL = `SELECT count(*) AS count, max(moment) AS last
  FROM (SELECT moment FROM event_time WHERE moment >= ? AND moment < ? ORDER BY moment LIMIT ${COUNTED_AT_ONCE})`;

export interface CountedEvents {
  readonly firstTs: number;
  readonly lastTs: number;
  /** the most frequent types */
  readonly types: readonly [no: number, count: number][];
  /** number of events per bucket, with equal buckets from the first to the last event */
  readonly overTime: readonly number[];
}

/** Returns null if there are no events. Events written meanwhile may be counted or not. */
export async function countEvents(
  reader: SqliteReader,
  ranges: EventRanges,
  { datasetNo, numShards }: NumberedDataset,
  buckets: number,
): Promise<CountedEvents | null> {
  const [from, to] = [momentAt(datasetNo, 0), momentAt(datasetNo + 1, 0)];
  const first = ranges.oldestMoments(from, to, 1).next();
  const last = ranges.newestMoments(from, to, 1);
  if (first.done || last.length === 0) return null;
  const [firstTs, lastTs] = [tsOf(first.value), tsOf(last)];
  const time = { firstTs, width: (lastTs - firstTs) / buckets || 1, buckets };

  const types = new Map<number, number>();
  const overTime = new Array<number>(buckets).fill(0);
  const end = shardStart(datasetNo, numShards);
  for (let after: Uint8Array | null = shardStart(datasetNo, 0); after !== null; ) {
    const block: EventCounts = await reader.call('counts', after, end, COUNTED_AT_ONCE, time);
    for (const [no, count] of block.types) types.set(no, (types.get(no) ?? 0) + count);
    block.overTime.forEach((count, bucket) => {
      overTime[bucket] += count;
    });
    after = block.last;
  }
  const mostFrequent = [...types].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MAX_LISTED_TYPES);
  return { firstTs, lastTs, types: mostFrequent, overTime };
}

/** Counts the moments in [from, to). */
export async function countMoments(reader: SqliteReader, from: Uint8Array, to: Uint8Array): Promise<number> {
  let sum = 0;
  for (let after = from; ; ) {
    const [{ count, last }] = await reader.all<{ count: number; last: Uint8Array }>(COUNT_SQL, [after, to]);
    sum += count;
    if (count < COUNTED_AT_ONCE) return sum;
    // The smallest moment above the last one.
    after = Buffer.concat([last, new Uint8Array(1)]);
  }
}
