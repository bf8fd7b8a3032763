// The report of results of lists, from counters alone: the work grows with placements, variants and hours, not with events.

import { HOUR_MS } from '../base/durations.ts';
import { type Interval, meanInterval, shareInterval } from '../domain/intervals.ts';
import type { Project } from '../domain/project.ts';
import { OUTCOME_FIGURES, type OutcomeCounts, type OutcomeFigures, type OutcomeStore } from '../store/outcome-store.ts';

export const REPORT_SPANS = ['hour', 'day', 'total'] as const;
export type ReportSpan = (typeof REPORT_SPANS)[number];
const DAY_HOURS = 24;
/** Longer periods have too many rows for one response. */
export const MAX_REPORT_DAYS: Readonly<Record<ReportSpan, number>> = { hour: 31, day: 400, total: 400 };
export const DEFAULT_REPORT_DAYS = 30;

export interface ReportQuery {
  readonly placement?: string | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly by: ReportSpan;
}

/** Figures of events that carry the id of the list, or that follow it within a day. */
interface Effect {
  readonly clicked: number;
  readonly converted: number;
  readonly target_events: number;
  readonly value: number;
  readonly click_rate: Interval | null;
  readonly target_rate: Interval | null;
  readonly value_per_list: Interval | null;
}

type RatesOf = 'shown' | 'served';

export interface ReportRow {
  readonly placement: string | null;
  readonly experiment_id: string | null;
  readonly variant: string | null;
  /** start of the hour or day; null: the whole time */
  readonly ts: number | null;
  readonly served: number;
  readonly served_items: number;
  readonly shown_lists: number;
  readonly shown: number;
  /** the number that rates are divided by */
  readonly rates_of: RatesOf;
  readonly direct: Effect;
  readonly assisted: Effect;
}

export interface PlacementReport {
  readonly from_ts: number;
  readonly to_ts: number;
  readonly rows: ReportRow[];
  /** one row per placement and variant over the whole period */
  readonly totals: ReportRow[];
}

export async function placementReport(
  outcomes: Pick<OutcomeStore, 'counts'>,
  { project_id: projectId }: Pick<Project, 'project_id'>,
  { placement, fromMs, toMs, by }: ReportQuery,
): Promise<PlacementReport> {
  // Days begin at midnight UTC. The hours or days at both ends count whole.
  const unitHours = by === 'hour' ? 1 : DAY_HOURS;
  const fromHour = Math.floor(fromMs / HOUR_MS / unitHours) * unitHours;
  const toHour = Math.ceil(toMs / HOUR_MS / unitHours) * unitHours;
  const counts = await outcomes.counts({
    projectId,
    placement,
    fromHour,
    toHour,
    by,
  });
  return {
    from_ts: fromHour * HOUR_MS,
    to_ts: toHour * HOUR_MS,
    rows: by === 'total' ? [] : counts.map((row) => reportRow(row, row.hour * HOUR_MS)),
    totals: addUp(counts).map((row) => reportRow(row, null)),
  };
}

function addUp(counts: readonly OutcomeCounts[]): OutcomeCounts[] {
  const totals = new Map<string, OutcomeCounts>();
  for (const row of counts) {
    const key = JSON.stringify([row.placement, row.experiment_id, row.variant]);
    const total = totals.get(key);
    if (total === undefined) totals.set(key, { ...row });
    else for (const figure of OUTCOME_FIGURES) total[figure] += row[figure];
  }
  return [...totals.values()];
}

function reportRow(counts: OutcomeCounts, ts: number | null): ReportRow {
  const { placement, experiment_id, variant, served, served_items, shown_lists, shown } = counts;
  const rates_of = ratesOf(counts);
  const [items, lists] = rates_of === 'shown' ? [shown, shown_lists] : [served_items, served];
  const of = { items, lists };
  return {
    placement,
    experiment_id,
    variant,
    ts,
    served,
    served_items,
    shown_lists,
    shown,
    rates_of,
    direct: effectOf(directOf(counts), of),
    assisted: effectOf(assistedOf(counts), of),
  };
}

/**
 * What rates are shares of. Clicks count whether the list has an impression or not, so items shown are the base only where impressions
 * cover the lists: those of at least half of them were sent, and no item was clicked that was not shown.
 */
function ratesOf(counts: Pick<OutcomeFigures, 'served' | 'shown_lists' | 'shown' | 'clicked'>): RatesOf {
  const { served, shown_lists, shown, clicked } = counts;
  return shown > 0 && shown_lists * 2 >= served && shown >= clicked ? 'shown' : 'served';
}

type Counted = Pick<OutcomeFigures, 'clicked' | 'converted' | 'targets' | 'value' | 'value_squares'>;

const directOf = (counts: OutcomeFigures): Counted => counts;

const assistedOf = (counts: OutcomeFigures): Counted => ({
  clicked: counts.assisted_clicked,
  converted: counts.assisted_converted,
  targets: counts.assisted_targets,
  value: counts.assisted_value,
  value_squares: counts.assisted_value_squares,
});

function effectOf(counted: Counted, { items, lists }: { items: number; lists: number }): Effect {
  const { clicked, converted, targets, value, value_squares } = counted;
  return {
    clicked,
    converted,
    target_events: targets,
    value,
    click_rate: shareInterval(clicked, items),
    target_rate: shareInterval(converted, items),
    value_per_list: meanInterval(value, value_squares, lists),
  };
}
