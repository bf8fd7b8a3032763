// Counts by item and type in a stretch of time (a bucket): a minute, an hour or a day. A bucket has several runs, each a quarter
// as large as the one before or smaller; their sum is the count. What is new comes as a run of its own and is joined with those
// that are not much larger, so that a bucket has few runs and an entry is rewritten a few times only, whatever order events
// come in. Minutes are kept for two hours, hours and days for 31 days.
//
// A run: for each type, in order, its number, how many items follow, and for each of these the step from the item before and
// its count. Counts that are 0 are left out.
import { MINUTE_MS } from '../../base/durations.ts';
import { COUNTED_MINUTES, readLog } from './tally-log.ts';
import { VarintReader, VarintWriter } from './varints.ts';

/** Versions of a dataset after which the log is folded. */
export const FOLD_EVERY = 64;

/** Lengths of buckets in minutes, by their number in `event_tally`. */
export const SPAN_MINUTES = [1, 60, 24 * 60] as const;
export const [MINUTES, HOURS, DAYS] = [0, 1, 2] as const;
/**
 * How long buckets of each span are kept, in minutes. Those of a minute last half an hour longer than the longest
 * window counted by the minute.
 */
const KEPT_MINUTES = [150, COUNTED_MINUTES, COUNTED_MINUTES + 24 * 60] as const;

/** A run that is larger than this many times the new one is not merged with it. */
export const RUN_GROWTH = 4;

const TWO_32 = 2 ** 32;

/** Type × 2^32 + item, in order, and the count of each. */
interface SortedCounts {
  keys: Float64Array;
  counts: Float64Array;
}

export interface TallyBucket {
  span: number;
  bucket: number;
  entries: Uint8Array;
}

/** Buckets before this one have expired. */
export function oldestBucket(span: number, nowMs: number): number {
  return Math.floor((Math.floor(nowMs / MINUTE_MS) - KEPT_MINUTES[span]) / SPAN_MINUTES[span]);
}

/** What a bucket gained and lost, one key per event. */
class BucketChanges {
  readonly gained: number[] = [];
  readonly lost: number[] = [];

  add(key: number, count: number): void {
    for (let left = count; left > 0; left--) this.gained.push(key);
    for (let left = count; left < 0; left++) this.lost.push(key);
  }

  /** Sorting numbers is several times faster than counting them in a map. */
  sum(): SortedCounts {
    const gained = countSorted(Float64Array.from(this.gained).sort(), 1);
    return this.lost.length === 0 ? gained : join(gained, countSorted(Float64Array.from(this.lost).sort(), -1));
  }
}

/** The runs of some logs: one for each bucket that they touch and that is still kept. */
export function* foldLogs(logs: readonly Uint8Array[], nowMs: number): Generator<TallyBucket> {
  for (const span of SPAN_MINUTES.keys()) {
    const minutes = SPAN_MINUTES[span];
    const oldest = oldestBucket(span, nowMs);
    const buckets = new Map<number, BucketChanges>();
    for (const log of logs) {
      readLog(log, (minute, type, item, count) => {
        const bucket = Math.floor(minute / minutes);
        if (bucket < oldest) return;
        let changes = buckets.get(bucket);
        if (changes === undefined) {
          changes = new BucketChanges();
          buckets.set(bucket, changes);
        }
        changes.add(type * TWO_32 + item, count);
      });
    }
    for (const [bucket, changes] of buckets) {
      const entries = writeRun(changes.sum());
      if (entries.length > 0) yield { span, bucket, entries };
    }
  }
}

function countSorted(sorted: Float64Array, sign: 1 | -1): SortedCounts {
  const keys = new Float64Array(sorted.length);
  const counts = new Float64Array(sorted.length);
  let length = 0;
  for (let n = 0; n < sorted.length; n++) {
    const key = sorted[n];
    if (length === 0 || keys[length - 1] !== key) keys[length++] = key;
    counts[length - 1] += sign;
  }
  return { keys: keys.subarray(0, length), counts: counts.subarray(0, length) };
}

function join(a: SortedCounts, b: SortedCounts): SortedCounts {
  const keys = new Float64Array(a.keys.length + b.keys.length);
  const counts = new Float64Array(keys.length);
  let [length, i, j] = [0, 0, 0];
  while (i < a.keys.length || j < b.keys.length) {
    const key = Math.min(a.keys[i] ?? Infinity, b.keys[j] ?? Infinity);
    keys[length] = key;
    if (a.keys[i] === key) counts[length] += a.counts[i++];
    if (b.keys[j] === key) counts[length] += b.counts[j++];
    length++;
  }
  return { keys: keys.subarray(0, length), counts: counts.subarray(0, length) };
}

export function joinRuns(a: Uint8Array, b: Uint8Array): Uint8Array {
  return writeRun(join(sortedOf(a), sortedOf(b)));
}

function sortedOf(run: Uint8Array): SortedCounts {
  const keys: number[] = [];
  const counts: number[] = [];
  readRun(run, (type, item, count) => {
    keys.push(type * TWO_32 + item);
    counts.push(count);
  });
  return { keys: Float64Array.from(keys), counts: Float64Array.from(counts) };
}

/** Returns an empty array if every count is 0. */
function writeRun({ keys, counts }: SortedCounts): Uint8Array {
  const writer = new VarintWriter();
  for (let from = 0; from < keys.length; ) {
    const type = Math.floor(keys[from] / TWO_32);
    let [to, items] = [from, 0];
    for (; to < keys.length && keys[to] < (type + 1) * TWO_32; to++) if (counts[to] !== 0) items++;
    if (items > 0) {
      writer.unsigned(type);
      writer.unsigned(items);
    }
    let last = 0;
    for (; from < to; from++) {
      if (counts[from] === 0) continue;
      const item = keys[from] - type * TWO_32;
      writer.unsigned(item - last);
      writer.signed(counts[from]);
      last = item;
    }
  }
  return writer.take();
}

export function readRun(run: Uint8Array, visit: (type: number, item: number, count: number) => void): void {
  const reader = new VarintReader(run);
  while (!reader.isAtEnd) {
    const type = reader.unsigned();
    let item = 0;
    for (let left = reader.unsigned(); left > 0; left--) {
      item += reader.unsigned();
      visit(type, item, reader.signed());
    }
  }
}
