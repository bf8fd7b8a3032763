// Numbers, times and attribute values as people read them.
import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';

export { evenPercents as formatAffinities, percent as formatAffinity } from '../../src/base/percent.ts';

import { plural } from '../../src/base/plural.ts';

export { plural };

const wholeFormat = new Intl.NumberFormat('en');
const compactFormat = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const dateTimeFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
const dateFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const utcDayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const formatWhole = (value: number): string => wholeFormat.format(value);
export const formatCompact = (value: number): string => compactFormat.format(value);
export const formatDateTime = (ms: number): string => (isDate(ms) ? dateTimeFormat.format(ms) : String(ms));
export const formatDate = (ms: number): string => (isDate(ms) ? dateFormat.format(ms) : String(ms));
/** A day that begins at midnight UTC, as those of reports do. */
export const formatUtcDay = (ms: number): string => `${utcDayFormat.format(ms)} (UTC)`;

/** A share as a percentage, with one decimal below 10%. */
export function formatShare(value: number): string {
  const percent = value * 100;
  return `${Math.abs(percent) < 10 ? Number(percent.toFixed(1)) : Math.round(percent)}%`;
}

export function formatNumber(value: number, digits = 3): string {
  return Number.isInteger(value) ? formatWhole(value) : value.toLocaleString('en', { maximumFractionDigits: digits });
}

export function formatDuration(ms: number): string {
  const seconds = ms < 60_000 ? ms / 1000 : Math.round(ms / 1000);
  if (seconds < 1) return `${Math.round(ms)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** How long something has not happened: in hours up to two days, then in days. */
export function formatSilence(ms: number): string {
  return ms < 2 * DAY_MS ? plural(Math.floor(ms / HOUR_MS), 'hour') : plural(Math.floor(ms / DAY_MS), 'day');
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

export function formatAgo(ms: number, nowMs: number = Date.now()): string {
  const seconds = (ms - nowMs) / 1000;
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relativeFormat.format(Math.round(seconds / length), unit);
  }
  return Math.abs(seconds) < 10 ? 'just now' : relativeFormat.format(Math.round(seconds), 'second');
}

export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.map(formatValue).join(', ');
  // Without grouping: 1995 is a year as often as a count.
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : String(Number(value.toFixed(2)));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isDate(ms: number): boolean {
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15;
}

const BYTE_UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** 1,234,567 bytes → 1.2 MB */
export function formatBytes(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${formatNumber(bytes / 1000 ** power, power === 0 ? 0 : 1)} ${BYTE_UNITS[power]}`;
}
