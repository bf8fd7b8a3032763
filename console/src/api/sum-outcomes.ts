// What recommendations led to, added up for the overview: over all placements, by hour or day.
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import type { PlacementReport, PlacementReportRow } from '../../../src/client/index.ts';
import { type Interval, shareInterval } from '../../../src/domain/intervals.ts';

/** Sums over lists. */
export interface OutcomeSums {
  served: number;
  /** what rates are shares of */
  items: number;
  clicked: number;
  converted: number;
  value: number;
}

export interface OutcomePoint extends OutcomeSums {
  ts: number;
}

export interface Outcomes {
  total: OutcomeSums;
  points: OutcomePoint[];
  clickRate: Interval | null;
  conversionRate: Interval | null;
  ratesOf: 'shown' | 'served' | 'shown or served';
}

export function sumOutcomes(report: PlacementReport): Outcomes {
  const total = sum(report.totals);
  return {
    total,
    points: pointsOf(report),
    clickRate: shareInterval(total.clicked, total.items),
    conversionRate: shareInterval(total.converted, total.items),
    ratesOf: ratesOf(report.totals),
  };
}

/** The report says it for each placement. */
function ratesOf(rows: readonly PlacementReportRow[]): Outcomes['ratesOf'] {
  const found = new Set(rows.map(({ rates_of }) => rates_of));
  if (found.size > 1) return 'shown or served';
  return found.has('shown') ? 'shown' : 'served';
}

/** One point per hour or day of the span, those without lists too. */
function pointsOf({ rows, by, from_ts, to_ts }: PlacementReport): OutcomePoint[] {
  const stepMs = by === 'hour' ? HOUR_MS : DAY_MS;
  const byTime = Map.groupBy(rows, ({ ts }) => ts);
  return Array.from({ length: Math.max(0, Math.round((to_ts - from_ts) / stepMs)) }, (_, n) => {
    const ts = from_ts + n * stepMs;
    return { ts, ...sum(byTime.get(ts) ?? []) };
  });
}

function sum(rows: readonly PlacementReportRow[]): OutcomeSums {
  const sums: OutcomeSums = { served: 0, items: 0, clicked: 0, converted: 0, value: 0 };
  for (const { served, served_items, shown, rates_of, direct } of rows) {
    sums.served += served;
    sums.items += rates_of === 'shown' ? shown : served_items;
    sums.clicked += direct.clicked;
    sums.converted += direct.converted;
    sums.value += direct.value;
  }
  return sums;
}
