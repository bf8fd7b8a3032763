// What recommendations led to, added up for the overview: over all placements, by hour or day, and compared with the holdout of an
// experiment (a variant that shows popular items).
import type { AnswerOf } from '../../../src/client/index.ts';
import { alwaysValidLift, MISS_CHANCE } from '../../../src/domain/always-valid.ts';
import { type Interval, shareInterval } from '../../../src/domain/intervals.ts';

type Report = AnswerOf<'/get-placement-report'>;
type Row = Report['totals'][number];
type Experiments = AnswerOf<'/list-experiments'>['experiments'];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

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

/** How much better visitors do who see recommendations than those who see popular items. */
export interface HoldoutComparison {
  experimentId: string;
  name: string;
  clicks: Interval | null;
  conversions: Interval | null;
  clickRate: Interval | null;
  conversionRate: Interval | null;
}

export interface Outcomes {
  total: OutcomeSums;
  points: OutcomePoint[];
  clickRate: Interval | null;
  conversionRate: Interval | null;
  ratesOf: 'shown' | 'served';
  holdout: HoldoutComparison | null;
}

export function sumOutcomes(report: Report, experiments: Experiments): Outcomes {
  const total = sum(report.totals);
  return {
    total,
    points: pointsOf(report),
    clickRate: shareInterval(total.clicked, total.items),
    conversionRate: shareInterval(total.converted, total.items),
    ratesOf: report.totals.some(({ rates_of }) => rates_of === 'shown') ? 'shown' : 'served',
    holdout: compareWithHoldout(report.totals, experiments),
  };
}

/** Of the running experiment with the most lists that has a holdout. */
function compareWithHoldout(rows: readonly Row[], experiments: Experiments): HoldoutComparison | null {
  const compared = experiments
    .filter(({ status }) => status === 'RUNNING')
    .flatMap(({ experiment_id, name, variants }) => {
      const holdouts = variants.filter(({ overrides }) => overrides.kind === 'popular').map((variant) => variant.name);
      const own = rows.filter((row) => row.experiment_id === experiment_id);
      const isHoldout = ({ variant }: Row) => variant !== null && holdouts.includes(variant);
      const [held, rest] = [sum(own.filter(isHoldout)), sum(own.filter((row) => !isHoldout(row)))];
      return held.served === 0 || rest.served === 0 ? [] : [{ experimentId: experiment_id, name, held, rest }];
    })
    .sort((a, b) => b.held.served + b.rest.served - a.held.served - a.rest.served);
  if (compared.length === 0) return null;
  const [{ experimentId, name, held, rest }] = compared;
  const lift = (read: (sums: OutcomeSums) => number) => {
    const [control, variant] = [held, rest].map((sums) => {
      const converted = read(sums);
      // By item instead of by visitor: the report does not count visitors.
      return { visitors: sums.items, sum: converted, sumOfSquares: converted, converted };
    });
    return alwaysValidLift(control, variant, MISS_CHANCE);
  };
  return {
    ...{ experimentId, name },
    clicks: lift(({ clicked }) => clicked),
    conversions: lift(({ converted }) => converted),
    clickRate: shareInterval(held.clicked, held.items),
    conversionRate: shareInterval(held.converted, held.items),
  };
}

/** One point per hour or day of the span, those without lists too. */
function pointsOf({ rows, by, from_ts, to_ts }: Report): OutcomePoint[] {
  const stepMs = by === 'hour' ? HOUR_MS : DAY_MS;
  const byTime = Map.groupBy(rows, ({ ts }) => ts);
  return Array.from({ length: Math.max(0, Math.round((to_ts - from_ts) / stepMs)) }, (_, n) => {
    const ts = from_ts + n * stepMs;
    return { ts, ...sum(byTime.get(ts) ?? []) };
  });
}

function sum(rows: readonly Row[]): OutcomeSums {
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
