// The steps of outcomes on SQLite, inside the writer's transaction; see store/outcomes/outcome-tables.ts.
import type { DatabaseSync } from 'node:sqlite';
import { originKey, type RecommendationOrigin } from '../../domain/recommendation.ts';
import { addCountersSql, addUserSumsSql, COUNTERS, USER_SUMS } from '../outcomes/outcome-sums.ts';
import {
  byUnit,
  COUNTER_TABLES,
  ITEM_COLUMNS,
  type ItemRow,
  type Series,
  type StepRunner,
  storedUser,
  type UserRow,
} from '../outcomes/outcome-tables.ts';

export interface SqliteOutcomeSteps {
  of(dataset: { dataset_no: number; dataset_id: string }): StepRunner;
  /** Must be called when a transaction or a savepoint has ended: rows made in it may be undone, and projects may change. */
  ended(): void;
}

interface ProjectRow {
  event_dataset_id: string;
  target_event_type: string;
  assist_window_hours: number | null;
}

const SUM_NAMES: readonly string[] = USER_SUMS;
const marks = (count: number): string => Array(count).fill('?').join(', ');

export function outcomeSteps(db: DatabaseSync): SqliteOutcomeSteps {
  const project = db.prepare(
    'SELECT event_dataset_id, target_event_type, assist_window_hours FROM project WHERE project_id = ?',
  );
  const findSeries = db.prepare(
    `SELECT series_no FROM outcome_series
     WHERE project_id = ? AND placement = ? AND experiment_id = ? AND variant = ?`,
  );
  const insertSeries = db.prepare(
    'INSERT INTO outcome_series (project_id, placement, experiment_id, variant) VALUES (?, ?, ?, ?) RETURNING series_no',
  );
  const seriesByNo = db.prepare(
    `SELECT s.series_no, p.target_event_type, s.experiment_id <> '' AS isExperiment,
       p.assist_window_hours AS assistHours
     FROM outcome_series s JOIN project p ON p.project_id = s.project_id WHERE s.series_no = ?`,
  );
  const item = db.prepare(
    `SELECT ${ITEM_COLUMNS} FROM outcome_item WHERE dataset_no = ? AND created_ms = ? AND random = ? AND item_hash = ?`,
  );
  const shown = db.prepare(
    `SELECT ${ITEM_COLUMNS} FROM outcome_item
     WHERE dataset_no = ? AND user_hash = ? AND item_hash = ? AND shown_ts IS NOT NULL`,
  );
  // Most rows are items with an event but no impression.
  const addItem = db.prepare(
    `INSERT INTO outcome_item (dataset_no, created_ms, random, item_hash, user_hash, series_no, events, targets, assists,
       assisted_targets) VALUES (?, ?, ?, ?, 0, ?, ?, ?, 0, 0) ON CONFLICT DO NOTHING`,
  );
  const addShown = db.prepare(
    `INSERT INTO outcome_item (dataset_no, ${ITEM_COLUMNS}) VALUES (${marks(12)}) ON CONFLICT DO NOTHING`,
  );
  const changeItem = `UPDATE outcome_item SET events = ?, targets = ?, assists = ?, assisted_targets = ?`;
  const ofItem = 'WHERE dataset_no = ? AND created_ms = ? AND random = ? AND item_hash = ?';
  const changeCounts = db.prepare(`${changeItem} ${ofItem}`);
  // A separate statement, because setting an indexed column would rewrite its index entry each time.
  const changeShown = db.prepare(`${changeItem}, user_hash = ?, shown_ts = ?, assist_hours = ? ${ofItem}`);
  const counters = COUNTER_TABLES.map(({ table, unit, hours }) => ({
    hours,
    add: db.prepare(
      `INSERT INTO ${table} (series_no, ${unit}, ${COUNTERS.join(', ')}) VALUES (${marks(2 + COUNTERS.length)})
       ON CONFLICT (series_no, ${unit}) DO UPDATE SET
         ${addCountersSql({ stored: (name) => name, change: (name) => `excluded.${name}` })}`,
    ),
  }));
  const user = db.prepare(
    'SELECT series_no, user_hash, clicks, targets, value FROM outcome_user WHERE series_no = ? AND user_hash = ?',
  );
  const saveUser = db.prepare(
    `INSERT INTO outcome_user (series_no, user_hash, clicks, targets, value) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (series_no, user_hash) DO UPDATE SET
       clicks = excluded.clicks, targets = excluded.targets, value = excluded.value`,
  );
  const addSums = db.prepare(
    `UPDATE outcome_series SET ${addUserSumsSql({ stored: (name) => name, change: (name) => `?${SUM_NAMES.indexOf(name) + 1}` })}
     WHERE series_no = ?${USER_SUMS.length + 1}`,
  );
  /** series of one transaction */
  const known = new Map<string, Series>();

  function seriesOf(origin: RecommendationOrigin, datasetId: string): Series | null {
    const key = `${datasetId}\n${originKey(origin)}`;
    const found = known.get(key);
    if (found) return found;
    const { projectId, placement, experimentId, variant } = origin;
    const owner = project.get(projectId) as ProjectRow | undefined;
    if (owner?.event_dataset_id !== datasetId) return null;
    const names = [projectId, placement ?? '', experimentId ?? '', variant ?? ''];
    const { series_no } = (findSeries.get(...names) ?? insertSeries.get(...names)) as { series_no: number };
    const { target_event_type, assist_window_hours: assistHours } = owner;
    const series = { series_no, target_event_type, isExperiment: !!experimentId, assistHours };
    known.set(key, series);
    return series;
  }

  return {
    ended: () => known.clear(),
    of: ({ dataset_no, dataset_id }) => ({
      series: (origins) => origins.map((origin) => seriesOf(origin, dataset_id)),
      seriesByNo: (numbers) =>
        numbers.flatMap((no) => {
          const row = seriesByNo.get(no) as (Omit<Series, 'isExperiment'> & { isExperiment: number }) | undefined;
          return row ? { ...row, isExperiment: row.isExperiment === 1 } : [];
        }),
      items: (keys) =>
        keys.flatMap(
          ({ created_ms, random, item_hash }) =>
            (item.get(dataset_no, created_ms, random, item_hash) as unknown as ItemRow | undefined) ?? [],
        ),
      shown: (touches) =>
        touches.flatMap(({ userHash, itemHash }) => shown.all(dataset_no, userHash, itemHash) as unknown as ItemRow[]),
      addItems(rows) {
        const stored: ItemRow[] = [];
        for (const row of rows) {
          const { created_ms, random, item_hash, user_hash, series_no, shown_ts, assist_hours, events, targets } = row;
          const { changes } =
            shown_ts === null
              ? addItem.run(dataset_no, created_ms, random, item_hash, series_no, events, targets)
              : addShown.run(
                  dataset_no,
                  created_ms,
                  random,
                  item_hash,
                  user_hash,
                  series_no,
                  shown_ts,
                  assist_hours,
                  events,
                  targets,
                  row.assists,
                  row.assisted_targets,
                );
          if (changes === 0) stored.push(item.get(dataset_no, created_ms, random, item_hash) as unknown as ItemRow);
        }
        return stored;
      },
      changeItems(rows) {
        for (const row of rows) {
          const { created_ms, random, item_hash, shown_ts, assist_hours } = row;
          const counts = [row.events, row.targets, row.assists, row.assisted_targets];
          const key = [dataset_no, created_ms, random, item_hash];
          if (row.isShownNow) changeShown.run(...counts, storedUser(row), shown_ts, assist_hours, ...key);
          else changeCounts.run(...counts, ...key);
        }
      },
      addHours(changes) {
        for (const { add, hours } of counters) {
          for (const change of byUnit(changes, hours)) {
            add.run(change.series_no, change.hour, ...COUNTERS.map((name) => change[name]));
          }
        }
      },
      users: (keys) =>
        keys.flatMap(
          ({ series_no, user_hash }) => (user.get(series_no, user_hash) as unknown as UserRow | undefined) ?? [],
        ),
      saveUsers(rows) {
        for (const { series_no, user_hash, clicks, targets, value } of rows) {
          saveUser.run(series_no, user_hash, clicks, targets, value);
        }
      },
      addUserSums(sums) {
        for (const sum of sums) addSums.run(...USER_SUMS.map((name) => sum[name]), sum.series_no);
      },
    }),
  };
}
