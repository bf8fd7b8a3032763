// Reads outcomes of lists as rows: the counts of /get-placement-report, in periods short enough that no block is large.
import { HOUR_MS } from '../../base/durations.ts';
import type { Project } from '../../domain/project.ts';
import type { OutcomeCounts } from '../../store/outcome-store.ts';
import type { Store } from '../../store/store.ts';

const MAX_DAYS = 400;
const STRETCH_HOURS = 31 * 24;

/** Yields the oldest hours first. */
export async function* reportBlocks(
  { outcomes }: Pick<Store, 'outcomes'>,
  { project_id: projectId }: Pick<Project, 'project_id'>,
  { by, nowMs }: { by: 'day' | 'hour'; nowMs: number },
): AsyncGenerator<object[]> {
  const unit = by === 'day' ? 24 : 1;
  const end = (Math.floor(nowMs / HOUR_MS / unit) + 1) * unit;
  for (let fromHour = end - MAX_DAYS * 24; fromHour < end; fromHour += STRETCH_HOURS) {
    const toHour = Math.min(end, fromHour + STRETCH_HOURS);
    const rows = await outcomes.counts({ projectId, fromHour, toHour, by });
    if (rows.length > 0) yield rows.sort((a, b) => a.hour - b.hour).map(rowOf);
  }
}

function rowOf(counts: OutcomeCounts): object {
  const { placement, experiment_id, variant, hour, served, served_items, shown_lists, shown } = counts;
  return {
    placement,
    experiment_id,
    variant,
    ts: hour * HOUR_MS,
    served,
    served_items,
    shown_lists,
    shown,
    clicked: counts.clicked,
    converted: counts.converted,
    target_events: counts.targets,
    value: counts.value,
    assisted_clicked: counts.assisted_clicked,
    assisted_converted: counts.assisted_converted,
    assisted_target_events: counts.assisted_targets,
    assisted_value: counts.assisted_value,
  };
}
