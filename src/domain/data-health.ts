// The result of a data check. src/insight/health makes it; the API, the command line and the console show it.

export const HEALTH_CODES = [
  'NO_EVENTS',
  'NO_TARGET_EVENTS',
  'TIMES_IN_SECONDS',
  'TIMES_BEFORE_2000',
  'TIMES_IN_FUTURE',
  'TIMES_EQUAL',
  'TIMES_WITHOUT_CLOCK',
  'SIMILAR_TYPES',
  'UNKNOWN_ITEMS',
  'ITEMS_WITHOUT_ATTRIBUTES',
  'TEXTS_AMONG_NUMBERS',
  'USERS_WITH_ONE_EVENT',
  'DUPLICATE_EVENTS',
] as const;
export type HealthCode = (typeof HEALTH_CODES)[number];

/** `warning`: recommendations are clearly worse for it. `note`: good to know, or too rare to matter. */
export const HEALTH_LEVELS = ['warning', 'note'] as const;
export type HealthLevel = (typeof HEALTH_LEVELS)[number];

export interface HealthFinding {
  code: HealthCode;
  level: HealthLevel;
  /** what was found, in one sentence */
  title: string;
  /** events, items or users, as the title says */
  count: number;
  /** share of all events, items or users, from 0 to 1 */
  share: number;
  /** the effect on quality */
  cost: string;
  /** the steps that fix it */
  fix: string;
  /** ids, types, times or attributes; never ids of users */
  examples: string[];
}

export interface TypeHealth {
  event_type: string;
  count: number;
}

/** Events per hour of the most frequent types, up to the newest hour that is not in the future. */
export interface HealthHours {
  /** start of the first hour, in milliseconds */
  from_ts: number;
  types: { event_type: string; counts: number[] }[];
}

export interface DataHealth {
  checked_ts: number;
  took_ms: number;
  events: number;
  /** number of users with events */
  users: number;
  /** number of items with events */
  items: number;
  item_records: number;
  users_with_one_event: number;
  first_ts: number | null;
  last_ts: number | null;
  /** the most frequent first, at most MAX_HEALTH_TYPES */
  types: TypeHealth[];
  hours: HealthHours | null;
  findings: HealthFinding[];
}

export const MAX_HEALTH_TYPES = 50;
/** Types with a row of hours; the others are one row, with an empty name. */
export const MAX_HOUR_TYPES = 8;
export const HEALTH_HOURS = 14 * 24;
export const MAX_HEALTH_EXAMPLES = 5;
