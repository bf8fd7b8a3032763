// The rules of what counts as an outcome, in one place for both databases.
//
// - Shown: an item of a list by an impression; once per list, however often it is sent. An impression without items shows the
//   whole list. Never more than the list had.
// - Clicked: an item of a list that has an event which carries the id of the list. Several events count once; an event that is
//   replaced or deleted is taken back. Converted: the same for events of the project's target type, whose number and values are
//   counted too. A value counts up to MAX_COUNTED_VALUE either way.
// - Assisted: the item was shown to the user of the event in the hours before it, and the event does not carry the id of that
//   list. Every list that showed the item gets it, in whichever order event and impression arrive. How many hours is a setting
//   of the project; an item keeps the one it was shown with, so that events are taken back as they were counted.
// - All of it belongs to the hour in which the list was made. Lists older than MAX_LIST_AGE_MS no longer count.
import { HOUR_MS } from '../../base/durations.ts';
import { itemHash, userHash } from '../../base/id-hash.ts';
import { DEFAULT_ASSIST_HOURS, MAX_ASSIST_HOURS } from '../../domain/project.ts';
import { MAX_LIST_AGE_MS, type Recommendation, readRecommendation } from '../../domain/recommendation.ts';
import type { Impression, ImpressionOutcome, ServedBatch } from '../outcome-store.ts';
import { OutcomeLedger, WHOLE_LIST } from './outcome-ledger.ts';
import { squareOf } from './outcome-sums.ts';
import type { ItemKey, ItemRow, Series, Steps, Touch } from './outcome-tables.ts';

export const MAX_ASSIST_MS = MAX_ASSIST_HOURS * HOUR_MS;
/** Larger than any real amount of money in small units, yet sums of squares stay finite for any number of events. */
export const MAX_COUNTED_VALUE = 1e12;
/** Rows of old lists removed with a write: usually more than the write adds. */
export const REMOVED_AT_ONCE = 5000;

/** An event that was stored (1) or deleted (-1). */
export interface EventChange extends Touch {
  /** hash of its user; only used where the event may be assisted */
  readonly userHash: number;
  readonly change: 1 | -1;
  readonly ts: number;
  readonly event_type: string;
  readonly value: number;
  /** the list whose id the event carries */
  readonly list: Recommendation | null;
}

/** Reads the list an event refers to. null if there is none, it is unreadable or it is too old to count. */
export function countedList(recommendationId: string | null, nowMs: number): Recommendation | null {
  const list = recommendationId ? readRecommendation(recommendationId) : null;
  return list !== null && list.createdMs >= nowMs - MAX_LIST_AGE_MS ? list : null;
}

/** First and last time items of the dataset's lists were shown; null: never. */
export interface ShownSpan {
  shown_from_ts: number | null;
  shown_to_ts: number | null;
}

/** Whether an event of this time may be assisted, whatever the window of its item is. */
export const mayBeAssisted = ({ shown_from_ts, shown_to_ts }: ShownSpan, ts: number): boolean =>
  shown_from_ts !== null && ts >= shown_from_ts && ts <= shown_to_ts! + MAX_ASSIST_MS;

export function* countEvents(changes: readonly EventChange[], span: ShownSpan): Steps<void> {
  const ledger = new OutcomeLedger();
  yield* ledger.loadSeries(changes.flatMap(({ list }) => list ?? []));
  const assisted = changes.filter(({ ts }) => mayBeAssisted(span, ts));
  // Only rows that lose events are loaded. For rows that gain events, the insert tells which existed already; most are
  // new.
  const gone = changes.flatMap(({ change, list, itemHash }) => (change < 0 && list ? keyOf(list, itemHash) : []));
  yield* ledger.loadItems(gone, assisted);
  for (const event of changes) countDirect(ledger, event);
  for (const event of assisted) {
    for (const row of ledger.shownTo(event)) {
      if (event.list === null || !isOf(row, event.list)) countAssisted(ledger, row, event);
    }
  }
  yield* ledger.save();
}

function countDirect(ledger: OutcomeLedger, { change, list, itemHash, event_type, value }: EventChange): void {
  const series = list && ledger.seriesOf(list);
  if (!list || !series) return;
  const row = ledger.rowOf(list, itemHash, series.series_no);
  row.events = Math.max(0, row.events + change);
  if (event_type !== series.target_event_type) return;
  row.targets = Math.max(0, row.targets + change);
  const figures = ledger.hourOf(series.series_no, list.createdMs);
  figures.targets += change;
  const counted = countedValue(value);
  figures.value += change * counted;
  const { high, rest } = squareOf(counted);
  figures.value_squares += change * rest;
  figures.value_squares_high += change * high;
  if (!series.isExperiment || list.userHash === 0) return;
  const user = ledger.userOf(series.series_no, list.userHash);
  user.targets += change;
  user.value += change * counted;
}

function countAssisted(ledger: OutcomeLedger, row: ItemRow, { change, ts, event_type, value }: EventChange): void {
  if (row.shown_ts === null || ts < row.shown_ts) return;
  if (ts > row.shown_ts + (row.assist_hours ?? DEFAULT_ASSIST_HOURS) * HOUR_MS) return;
  const series = ledger.seriesByNo(row.series_no);
  // An event from before its impression was forgotten, or from before two users were merged, was never counted.
  if (series === null || (change < 0 && row.assists === 0)) return;
  ledger.change(row);
  row.assists += change;
  if (event_type !== series.target_event_type || (change < 0 && row.assisted_targets === 0)) return;
  row.assisted_targets += change;
  const figures = ledger.hourOf(row.series_no, row.created_ms);
  figures.assisted_targets += change;
  const counted = countedValue(value);
  figures.assisted_value += change * counted;
  const { high, rest } = squareOf(counted);
  figures.assisted_value_squares += change * rest;
  figures.assisted_value_squares_high += change * high;
}

const countedValue = (value: number): number => Math.max(-MAX_COUNTED_VALUE, Math.min(MAX_COUNTED_VALUE, value));

/** A stored event of the user of an impression. */
export type StoredTouch = Omit<EventChange, 'change'>;

/**
 * The list of each impression, by position; null if it is too old to count. A list for no particular user belongs to whoever saw
 * it.
 */
export function listsOf(impressions: readonly Impression[], nowMs: number): (Recommendation | null)[] {
  return impressions.map(({ recommendationId, userId }) => {
    const list = countedList(recommendationId, nowMs);
    if (list === null || list.userHash !== 0 || userId === null) return list;
    return { ...list, userHash: userHash(list.accountId, userId) };
  });
}

/** Extends the span to include the impressions. */
export function widenSpan(span: ShownSpan, impressions: readonly Impression[]): void {
  for (const { ts } of impressions) {
    span.shown_from_ts = Math.min(span.shown_from_ts ?? ts, ts);
    span.shown_to_ts = Math.max(span.shown_to_ts ?? ts, ts);
  }
}

export interface ImpressionInput {
  readonly impressions: readonly Impression[];
  readonly lists: readonly (Recommendation | null)[];
  /** events of the impressions' users in the hours after them */
  readonly touches: readonly StoredTouch[];
}

export function* countImpressions({ impressions, lists, touches }: ImpressionInput): Steps<ImpressionOutcome[]> {
  const ledger = new OutcomeLedger();
  const counted = lists.filter((list) => list !== null);
  yield* ledger.loadSeries(counted);
  const keys: ItemKey[] = impressions.flatMap(({ itemIds }, at) => {
    const list = lists[at];
    return list ? [keyOf(list, WHOLE_LIST), ...(itemIds ?? []).map((id) => keyOf(list, itemHash(id)))] : [];
  });
  yield* ledger.loadItems(keys, []);
  const byUser = new Map<string, StoredTouch[]>();
  for (const touch of touches) {
    const key = `${touch.userHash}:${touch.itemHash}`;
    const known = byUser.get(key);
    if (known) known.push(touch);
    else byUser.set(key, [touch]);
  }
  const outcomes = impressions.map((impression, at): ImpressionOutcome => {
    const list = lists[at];
    if (list === null) return 'recorded';
    const series = ledger.seriesOf(list);
    if (series === null) return 'foreign';
    for (const row of show(ledger, impression, list, series)) {
      for (const touch of byUser.get(`${row.user_hash}:${row.item_hash}`) ?? []) {
        if (touch.list === null || !isOf(row, touch.list)) countAssisted(ledger, row, { ...touch, change: 1 });
      }
    }
    return 'recorded';
  });
  yield* ledger.save();
  return outcomes;
}

/** Returns the items that were not shown before. */
function show(
  ledger: OutcomeLedger,
  { itemIds, ts }: Impression,
  list: Recommendation,
  { series_no: seriesNo, assistHours }: Series,
): readonly ItemRow[] {
  const whole = ledger.rowOf(list, WHOLE_LIST, seriesNo);
  const figures = ledger.hourOf(seriesNo, list.createdMs);
  if (whole.shown_ts === null) {
    whole.shown_ts = ts;
    whole.isShownNow = true;
    figures.shown_lists++;
  }
  const fresh: ItemRow[] = [];
  for (const itemId of itemIds ?? []) {
    if (whole.targets >= list.items) break;
    const row = ledger.rowOf(list, itemHash(itemId), seriesNo);
    if (row.shown_ts !== null) continue;
    row.shown_ts = ts;
    row.assist_hours = assistHours;
    row.isShownNow = true;
    whole.targets++;
    fresh.push(row);
  }
  const shown = itemIds === null ? list.items : Math.max(whole.events, whole.targets);
  figures.shown += shown - whole.events;
  whole.events = shown;
  return fresh;
}

export function* countServed({ counts, visitors }: ServedBatch): Steps<void> {
  const ledger = new OutcomeLedger();
  yield* ledger.loadSeries([...counts, ...visitors].map(({ origin }) => origin));
  for (const { origin, hour, lists, items } of counts) {
    const series = ledger.seriesOf(origin);
    if (series === null) continue;
    const figures = ledger.hourOfNumber(series.series_no, hour);
    figures.served += lists;
    figures.served_items += items;
  }
  for (const { origin, userHash } of visitors) {
    const series = ledger.seriesOf(origin);
    if (series?.isExperiment) ledger.visit(series.series_no, userHash);
  }
  yield* ledger.save();
}

const keyOf = ({ createdMs, random }: Recommendation, item_hash: number): ItemKey => ({
  created_ms: createdMs,
  random,
  item_hash,
});

const isOf = (row: ItemRow, { createdMs, random }: Recommendation): boolean =>
  row.created_ms === createdMs && row.random === random;
