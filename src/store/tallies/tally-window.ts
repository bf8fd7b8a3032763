// Finds the buckets that make up a window of time, and sums their stored counts by item or by type.
import { ownTurn } from '../../base/turns.ts';
import { type EventWindow, MAX_MINUTE_WINDOW } from '../event-window.ts';
import { readLog } from './tally-log.ts';
import { DAYS, FOLD_EVERY, HOURS, MINUTES, readRun } from './tally-runs.ts';

const DAY_HOURS = 24;
/** Bytes of runs read at a stretch: a millisecond or two. */
const STRETCH_BYTES = 128 * 1024;

/** Buckets [from, to) of a span. */
export interface BucketRange {
  span: number;
  from: number;
  to: number;
}

/** Returns the fewest buckets that make up the window. */
export function bucketsOf({ from, to }: EventWindow): BucketRange[] {
  if (to - from <= MAX_MINUTE_WINDOW) return [{ span: MINUTES, from, to }];
  const firstHour = from / 60;
  const endHour = to / 60;
  const firstDay = Math.ceil(firstHour / DAY_HOURS);
  const endDay = Math.floor(endHour / DAY_HOURS);
  if (firstDay >= endDay) return [{ span: HOURS, from: firstHour, to: endHour }];
  const ranges: BucketRange[] = [
    { span: HOURS, from: firstHour, to: firstDay * DAY_HOURS },
    { span: DAYS, from: firstDay, to: endDay },
    { span: HOURS, from: endDay * DAY_HOURS, to: endHour },
  ];
  return ranges.filter((range) => range.from < range.to);
}

/** One statement, so that runs and log are of one moment. Its parameters come from `tallyParams`. */
export function tallySql(ranges: readonly BucketRange[]): string {
  const runs = ranges.map(
    () => `SELECT 0 AS is_log, entries FROM event_tally
      WHERE dataset_no = ? AND span = ? AND bucket >= ? AND bucket < ?`,
  );
  return `${runs.join('\nUNION ALL\n')}
    UNION ALL
    SELECT 1 AS is_log, e.counts AS entries FROM dataset_count c JOIN event_change e ON e.dataset_no = c.dataset_no
      AND e.version > c.version - (c.version % ${FOLD_EVERY}) AND e.counts IS NOT NULL
    WHERE c.dataset_no = ?`;
}

export function tallyParams(datasetNo: number, ranges: readonly BucketRange[]): number[] {
  return [...ranges.flatMap(({ span, from, to }) => [datasetNo, span, from, to]), datasetNo];
}

export interface TallyRow {
  is_log: number;
  entries: Uint8Array;
}

/** Says which number an event of the type and the item is counted for, both given by their numbers; null: not counted. */
export type TallyKey = (type: number, item: number) => number | null;

/** `type`: only events of this type; null: of every type. */
export const byItem =
  (type: number | null): TallyKey =>
  (ofType, item) =>
    type === null || ofType === type ? item : null;
export const byType: TallyKey = (type) => type;

/** Returns counts above 0. */
export async function sumTallies(
  rows: readonly TallyRow[],
  { from, to }: EventWindow,
  keyOf: TallyKey,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const add = (type: number, item: number, count: number): void => {
    const key = keyOf(type, item);
    if (key !== null) counts.set(key, (counts.get(key) ?? 0) + count);
  };
  let bytes = 0;
  for (const { is_log, entries } of rows) {
    if (is_log === 0) readRun(entries, add);
    else
      readLog(entries, (minute, ofType, item, count) => {
        if (minute >= from && minute < to) add(ofType, item, count);
      });
    bytes += entries.length;
    if (bytes < STRETCH_BYTES) continue;
    bytes = 0;
    await ownTurn();
  }
  for (const [key, count] of counts) if (count <= 0) counts.delete(key);
  return counts;
}
