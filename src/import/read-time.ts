// The time column of a file: its unit, guessed from the first rows, and its cells in milliseconds. A date without a time zone is
// UTC, so that a file gives the same events on every machine.
import { timeOf } from '../domain/filter/filter-number.ts';
import type { TsUnit } from '../domain/import-job.ts';
import { isEmpty } from './empty-cell.ts';
import { readNumber } from './read-number.ts';

export interface TimeFormat {
  unit: TsUnit;
  /** 3/4/2026 is April 3, not March 4. With dots the day is always first. */
  dayFirst: boolean;
}

/** 14/11/2026 22:13, 11/14/2026, 14.11.2026, and with two digits of the year, which are the last ones after `/` and `.`. */
const NUMBERED = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|(?<!-)\d{2})(?:[ T,]+(.*))?$/;
/** 26-11-14, 4.3 and 11/14/126: which number is the year is a guess. */
const UNCLEAR = /^\d{1,3}[./-]\d/;
/** Dates such as 20261114. */
const COMPACT = /^((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;
const ISO_DATE = /^\d{4}-\d\d-\d\d$/;
const ISO_WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/;
/** 2026-11-14, 2026/11/14 and 20261114, whatever follows. */
const YEAR_FIRST = /^(\d{4})([-/.]?)(\d{1,2})\2(\d{1,2})(?!\d)/;
/** 14 Nov 2026, November 14, 2026 and 2026-Nov-14, whatever is around. */
const WITH_MONTH_NAME =
  /\b(?:(?:\d{1,2}[ -][a-z]{3,9}[ -]|[a-z]{3,9} \d{1,2},? )\d{4}|\d{4}[ -][a-z]{3,9}[ -]\d{1,2})\b/i;
/** 14-Nov-26, 14 Nov 26 and Nov 14, 26. */
const SHORT_YEAR = /\b(\d{1,2}[ -][a-z]{3,9}[ -]|[a-z]{3,9} \d{1,2}, ?)(\d\d)(?![\d:])/i;
/** An offset comes after a time of day: -2026 and -15 also end dates. */
const ENDS_WITH_ZONE = /(?:z|(?:\d:\d\d|[ap]m|gmt|utc).*[+-]\d\d(?::?\d\d)?|\b(?!am|pm)[a-z]{3,4}|\))$/i;

/** A date with a time of day: 2026-11-14 22:13:00 +0100, and as in mails and RSS Sat, 14 Nov 2026 22:13:00 GMT. */
const WITH_TIME =
  /^(?:\d{4}-\d\d-\d\d[T ]|(?:[a-z]{3}, )?\d{1,2} [a-z]{3} \d{4} )\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:[a-z]{1,4}|[+-]\d\d:?\d\d))?$/i;

/** Of a tie the first one. */
const UNITS: TsUnit[] = ['s', 'ms', 'us', 'date'];

/** The unit is what most of the first cells show, so that a few wrong cells do not decide. */
export function guessTimeFormat(cells: unknown[]): TimeFormat {
  const filled = cells.filter((cell) => !isEmpty(cell));
  const counts: Record<TsUnit, number> = { s: 0, ms: 0, us: 0, date: 0 };
  for (const cell of filled) {
    const unit = unitOf(cell);
    if (unit !== null) counts[unit] += 1;
  }
  const unit = UNITS.reduce((most, one) => (counts[one] > counts[most] ? one : most));
  return { unit, dayFirst: unit === 'date' && isDayFirst(filled.map((cell) => String(cell).trim())) };
}

/** Null for 0, which is the same time in each unit. */
function unitOf(cell: unknown): TsUnit | null {
  const text = String(cell).trim();
  const size = cell instanceof Date || COMPACT.test(text) ? Number.NaN : Math.abs(readNumber(text, 'plain'));
  if (size === 0) return null;
  // 1e11 is the year 5138 in seconds and 1973 in milliseconds; likewise a thousand times that.
  return Number.isNaN(size) ? 'date' : size < 1e11 ? 's' : size < 1e14 ? 'ms' : 'us';
}

function isDayFirst(texts: string[]): boolean {
  const dates = texts.map((text) => NUMBERED.exec(text)).filter((match) => match !== null);
  return dates.some(([, first]) => Number(first) > 12) && dates.every(([, , , second]) => Number(second) <= 12);
}

/** Returns milliseconds; NaN if it is not a valid date, such as February 30. */
export function parseDate(text: string, dayFirst: boolean): number {
  const full = text.replace(SHORT_YEAR, (_, day: string, year: string) => day + fullYear(year));
  return isInCalendar(full) ? readDate(full, dayFirst) : Number.NaN;
}

/** Whether all are dates with a time of day, and filters do not read some of them as they are. */
export function needIsoTimes(cells: unknown[]): boolean {
  const filled = cells.filter((cell) => !isEmpty(cell));
  return filled.every((cell) => isoTimeOf(cell) !== cell || isReadByFilters(cell)) && !filled.every(isReadByFilters);
}

const isReadByFilters = (cell: unknown): boolean => typeof cell === 'string' && !Number.isNaN(timeOf(cell.trim()));

/** A date with a time of day in ISO 8601. Anything else stays as it is. */
export function isoTimeOf(cell: unknown): unknown {
  if (typeof cell !== 'string' || !WITH_TIME.test(cell.trim())) return cell;
  const ms = parseDate(cell.trim(), false);
  return Number.isNaN(ms) ? cell : new Date(ms).toISOString().replace('.000Z', 'Z');
}

const fullYear = (year: string): string => (year.length === 4 ? year : `${Number(year) < 70 ? 20 : 19}${year}`);

/** The engine reads February 30 as March 2. */
function isInCalendar(text: string): boolean {
  const yearFirst = YEAR_FIRST.exec(text);
  if (yearFirst !== null) {
    const [year, month, day] = [yearFirst[1], yearFirst[3], yearFirst[4]].map(Number);
    return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  }
  const named = WITH_MONTH_NAME.exec(text);
  if (named === null) return true;
  const day = Number(/\b\d{1,2}\b/.exec(named[0])?.[0]);
  return new Date(Date.parse(`${named[0]} UTC`)).getUTCDate() === day;
}

function readDate(text: string, dayFirst: boolean): number {
  const compact = COMPACT.exec(text);
  if (compact !== null) return Date.parse(`${compact[1]}-${compact[2]}-${compact[3]}`);
  const numbered = NUMBERED.exec(text);
  if (numbered !== null) {
    const [, first, mark, second, year, time = ''] = numbered;
    const [month, day] = dayFirst || mark === '.' ? [second, first] : [first, second];
    return parseDate(`${fullYear(year)}-${month.padStart(2, '0')}-${day.padStart(2, '0')} ${time}`.trim(), dayFirst);
  }
  if (UNCLEAR.test(text)) return Number.NaN;
  const iso = ISO_WITHOUT_ZONE.exec(text);
  if (iso !== null) return Date.parse(`${iso[1]}T${iso[2]}Z`);
  return Date.parse(ISO_DATE.test(text) || ENDS_WITH_ZONE.test(text) ? text : `${text} UTC`);
}
