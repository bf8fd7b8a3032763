// Counters as 50 million events with ids leave them: one row per placement and hour, one per placement and day. A report reads
// nothing else, so the events themselves are not made.

import { HOUR_MS } from '../../src/base/durations.ts';
import { openStore } from '../../src/store/open-store.ts';
import { OUTCOME_FIGURES } from '../../src/store/outcome-store.ts';
import type { ServiceProcess } from '../../test/support/service.ts';

const EVENTS = 50_000_000;
const COLUMNS = OUTCOME_FIGURES.join(', ');
const SUMS = OUTCOME_FIGURES.map((name) => `sum(${name})`).join(', ');

export async function plantCounters(
  service: ServiceProcess,
  { days, placements, ...place }: { dataDir: string; databaseUrl: string | null; days: number; placements: number },
) {
  const datasets: Record<string, string> = {};
  for (const kind of ['user', 'item', 'event']) {
    const field = `${kind}_dataset_id`;
    datasets[field] = (await service.ok('POST', `/create-${kind}-dataset`, { name: kind }))[field];
  }
  const about = { name: 'bench', project_type: 'RECOMMEND_ITEMS_TO_USER', target_event_type: 'purchase' };
  const { project_id: projectId } = await service.ok('POST', '/create-project', { ...about, ...datasets });
  const toHour = Math.floor(Date.now() / HOUR_MS);
  const hours = days * 24;
  const perHour = Math.round(EVENTS / (hours * placements));
  const store = await openStore(place);
  await store.database.atomic(
    Array.from({ length: placements }, (_, n) => [
      {
        sql: `INSERT INTO outcome_series (series_no, project_id, placement, experiment_id, variant) VALUES (?, ?, ?, '', '')`,
        params: [n + 1, projectId, `placement-${n}`],
      },
      {
        sql: `WITH RECURSIVE hours (hour) AS (
                SELECT CAST(? AS INTEGER) UNION ALL SELECT hour + 1 FROM hours WHERE hour < ?)
              INSERT INTO outcome_hour (series_no, hour, served, served_items, shown_lists, shown, clicked, converted, targets, value,
                value_squares) SELECT CAST(? AS INTEGER), hour, ${Array(9).fill('CAST(? AS BIGINT)').join(', ')} FROM hours`,
        params: [
          toHour - hours,
          toHour - 1,
          n + 1,
          4 * perHour,
          40 * perHour,
          4 * perHour,
          30 * perHour,
          perHour,
          Math.ceil(perHour / 10),
          Math.ceil(perHour / 10),
          perHour,
          20 * perHour,
        ],
      },
      {
        sql: `INSERT INTO outcome_day (series_no, day, ${COLUMNS}) SELECT series_no, hour / 24, ${SUMS} FROM outcome_hour
              WHERE series_no = ? GROUP BY series_no, hour / 24`,
        params: [n + 1],
      },
    ]).flat(),
  );
  await store.close();
  return { projectId: projectId as string, toMs: toHour * HOUR_MS, events: EVENTS };
}
