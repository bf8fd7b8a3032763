// The spans of time of the overview, in whole units of the report: hours, or days that begin at midnight UTC.
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';

export const SPANS = [
  { value: '1', label: '24 hours' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
] as const;
export type SpanName = (typeof SPANS)[number]['value'];

/** Up to the end of this hour or day. The report counts the units at both ends whole, so a span that cut them would be longer. */
export function outcomeSpan(span: SpanName, nowMs: number) {
  const [by, unitMs] = span === '1' ? (['hour', HOUR_MS] as const) : (['day', DAY_MS] as const);
  const to_ts = Math.ceil(nowMs / unitMs) * unitMs;
  return { from_ts: to_ts - Number(span) * DAY_MS, to_ts, by };
}
