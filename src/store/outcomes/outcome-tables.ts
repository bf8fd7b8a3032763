// The queries that the rules of outcomes need, as steps: SQLite runs them at once, PostgreSQL one query each. The rules
// are written once, as generators that yield a step and receive its rows.
import type { RecommendationOrigin } from '../../domain/recommendation.ts';
import { COUNTERS, type Counters, type UserSums } from './outcome-sums.ts';

/** Lists of one origin, whatever the model. */
export interface Series {
  readonly series_no: number;
  readonly target_event_type: string;
  readonly isExperiment: boolean;
  /** the project's assist window; null: the default */
  readonly assistHours: number | null;
}

/**
 * An item of a list. Item 0 stands for the list itself: its `events` are the items that count as shown, and its `targets` those
 * with rows.
 */
export interface ItemRow {
  readonly created_ms: number;
  readonly random: number;
  readonly item_hash: number;
  /** stored only of items that were shown; else 0 */
  user_hash: number;
  readonly series_no: number;
  shown_ts: number | null;
  /** Hours in which it may assist events, as configured when it was shown; null: the default. */
  assist_hours: number | null;
  /** true if this write records the first impression */
  isShownNow?: boolean;
  /** true if the row was not loaded and is assumed to be new */
  isFresh?: boolean;
  /**
   * The user for whom the list was made, only on rows whose events this write changes; 0: no particular user. Not
   * stored.
   */
  listUser?: number;
  events: number;
  targets: number;
  assists: number;
  assisted_targets: number;
}

/** The user hash to store: only shown items keep one. */
export const storedUser = ({ shown_ts, user_hash }: ItemRow): number => (shown_ts === null ? 0 : user_hash);

export type ItemKey = Pick<ItemRow, 'created_ms' | 'random' | 'item_hash'>;

export interface Touch {
  readonly userHash: number;
  readonly itemHash: number;
}

export interface HourChange extends Counters {
  readonly series_no: number;
  readonly hour: number;
}

export interface UserRow {
  readonly series_no: number;
  readonly user_hash: number;
  clicks: number;
  targets: number;
  value: number;
}

export interface UserSumsChange extends UserSums {
  readonly series_no: number;
}

/** The counters by hour, and the same by day. */
export const COUNTER_TABLES = [
  { table: 'outcome_hour', unit: 'hour', hours: 1 },
  { table: 'outcome_day', unit: 'day', hours: 24 },
] as const;

/** Changes of hours, added up by `hours` of them. */
export function byUnit(changes: readonly HourChange[], hours: number): HourChange[] {
  if (hours === 1) return [...changes];
  const units = new Map<string, HourChange>();
  for (const change of changes) {
    const hour = Math.floor(change.hour / hours);
    const key = `${change.series_no}:${hour}`;
    const unit = units.get(key);
    if (unit === undefined) units.set(key, { ...change, hour });
    else for (const name of COUNTERS) unit[name] += change[name];
  }
  return [...units.values()];
}

/** A step, its input and its result. Results of reads may be in any order. */
export interface OutcomeSteps {
  /** Finds the series of these origins, by position; null if the project does not use the dataset. Creates those that are new. */
  series: [readonly RecommendationOrigin[], readonly (Series | null)[]];
  /** Finds series by number. Those of deleted projects are left out. */
  seriesByNo: [readonly number[], readonly Series[]];
  items: [readonly ItemKey[], readonly ItemRow[]];
  /** Items that were shown to these users. */
  shown: [readonly Touch[], readonly ItemRow[]];
  /** Stores new rows and returns the stored versions of the others. */
  addItems: [readonly ItemRow[], readonly ItemRow[]];
  /** Updates rows that are stored. */
  changeItems: [readonly ItemRow[], undefined];
  /** Adds to every table of counters. */
  addHours: [readonly HourChange[], undefined];
  users: [readonly Pick<UserRow, 'series_no' | 'user_hash'>[], readonly UserRow[]];
  saveUsers: [readonly UserRow[], undefined];
  addUserSums: [readonly UserSumsChange[], undefined];
}

export type StepName = keyof OutcomeSteps;

export interface Step<N extends StepName = StepName> {
  readonly name: N;
  readonly input: OutcomeSteps[N][0];
}

export type Steps<T> = Generator<Step, T, unknown>;

/** Runs one step, unless its input is empty. */
export function* ask<N extends StepName>(name: N, input: OutcomeSteps[N][0]): Steps<OutcomeSteps[N][1]> {
  if (input.length === 0) return [] as unknown as OutcomeSteps[N][1];
  return (yield { name, input }) as OutcomeSteps[N][1];
}

export type StepRunner = { [N in StepName]: (input: OutcomeSteps[N][0]) => OutcomeSteps[N][1] };
export type AsyncStepRunner = { [N in StepName]: (input: OutcomeSteps[N][0]) => Promise<OutcomeSteps[N][1]> };

export function runSteps<T>(steps: Steps<T>, runner: StepRunner): T {
  let next = steps.next();
  while (!next.done) {
    const { name, input } = next.value;
    next = steps.next((runner[name] as (given: unknown) => unknown)(input));
  }
  return next.value;
}

export async function runStepsAsync<T>(steps: Steps<T>, runner: AsyncStepRunner): Promise<T> {
  let next = steps.next();
  while (!next.done) {
    const { name, input } = next.value;
    next = steps.next(await (runner[name] as (given: unknown) => Promise<unknown>)(input));
  }
  return next.value;
}

export const ITEM_COLUMNS =
  'created_ms, random, item_hash, user_hash, series_no, shown_ts, assist_hours, events, targets, assists, assisted_targets';
