// The steps of outcomes on PostgreSQL, one query each, under the dataset's lock; see store/outcomes/outcome-tables.ts.
import { originKey, type RecommendationOrigin } from '../../domain/recommendation.ts';
import { addCountersSql, addUserSumsSql, COUNTERS, USER_SUMS } from '../outcomes/outcome-sums.ts';
import {
  type AsyncStepRunner,
  byUnit,
  COUNTER_TABLES,
  ITEM_COLUMNS,
  type ItemRow,
  type Series,
  storedUser,
  type UserRow,
} from '../outcomes/outcome-tables.ts';
import { binaryBigintArray, binaryDoubleArray } from './binary-array.ts';
import type { WriteContext } from './write-context.ts';

/** Rows as one array per column, as unnest takes them. */
function columnsOf<T>(rows: readonly T[], names: readonly (keyof T & string)[]): Buffer[] {
  return names.map((name) => {
    const column = rows.map((row) => row[name] as number | null);
    return isDouble(name) ? binaryDoubleArray(column) : binaryBigintArray(column);
  });
}

const isDouble = (name: string): boolean => name.includes('value') && !name.endsWith('_users');
const typed = (names: readonly string[], first: number): string =>
  names.map((name, at) => `$${first + at}::${isDouble(name) ? 'double precision' : 'bigint'}[]`).join(', ');

const ITEM_NAMES = ITEM_COLUMNS.split(', ') as (keyof ItemRow)[];
const ITEM_KEY = ['created_ms', 'random', 'item_hash'] as const;
const ITEM_CHANGES = ['user_hash', 'shown_ts', 'assist_hours', 'events', 'targets', 'assists', 'assisted_targets'];
const isItem = (other: string): string =>
  `i.dataset_no = $1 AND ${ITEM_KEY.map((name) => `i.${name} = ${other}.${name}`).join(' AND ')}`;
const STORED_ITEM = ITEM_NAMES.map((name) => `i.${name}`).join(', ');

/**
 * Rows of a table found one by one by its index. OFFSET keeps it from becoming a join: planned while the table is small, that would
 * read all of the dataset's rows for every batch until the server counts them again.
 */
const lookUp = (table: string, condition: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM ${table} i WHERE ${condition} OFFSET 0) AS i`;

/**
 * Columns of an item with an event but no impression, which most rows are. All other columns have the same value in
 * these rows.
 */
const EVENT_ITEM_NAMES = ['created_ms', 'random', 'item_hash', 'series_no', 'events', 'targets'] as const;
const OF_EVENT_ITEMS: Partial<Record<keyof ItemRow, string>> = { shown_ts: 'NULL', assist_hours: 'NULL' };

/** The SELECT runs first, under the dataset's lock: ON CONFLICT would cost twice as much for a new row. */
const addItemsSql = (names: readonly (keyof ItemRow)[]): string => `
  WITH given AS (SELECT * FROM unnest(${typed(names, 2)}) AS g (${names.join(', ')})), stored AS MATERIALIZED (
    SELECT ${STORED_ITEM} FROM given ${lookUp('outcome_item', isItem('given'))}
  ), added AS (
    INSERT INTO outcome_item (dataset_no, ${ITEM_COLUMNS})
    SELECT $1, ${ITEM_NAMES.map((name) => (names.includes(name) ? name : (OF_EVENT_ITEMS[name] ?? '0'))).join(', ')} FROM given
    WHERE NOT EXISTS (SELECT FROM stored WHERE ${ITEM_KEY.map((name) => `stored.${name} = given.${name}`).join(' AND ')})
  )
  SELECT * FROM stored`;
const ADD_EVENT_ITEMS_SQL = addItemsSql(EVENT_ITEM_NAMES);
const ADD_SHOWN_ITEMS_SQL = addItemsSql(ITEM_NAMES);

const asStored = (row: ItemRow): ItemRow => ({ ...row, user_hash: storedUser(row) });
const USER_NAMES = ['series_no', 'user_hash', 'clicks', 'targets', 'value'] as const;
const HOUR_NAMES = ['series_no', 'hour', ...COUNTERS] as const;
const SUM_NAMES = ['series_no', ...USER_SUMS] as const;

/** Adds to all tables of counters in one statement. */
const ADD_HOURS_SQL = COUNTER_TABLES.map(({ table, unit }, at) => {
  const insert = `INSERT INTO ${table} (series_no, ${unit}, ${COUNTERS.join(', ')})
    SELECT * FROM unnest(${typed(HOUR_NAMES, 1 + at * HOUR_NAMES.length)}) ON CONFLICT (series_no, ${unit}) DO UPDATE SET
      ${addCountersSql({ stored: (name) => `${table}.${name}`, change: (name) => `excluded.${name}` })}`;
  return at === COUNTER_TABLES.length - 1 ? insert : `${at === 0 ? 'WITH ' : ', '}${table}_added AS (${insert})`;
}).join('\n');

const SERIES_KEY = 'project_id, placement, experiment_id, variant';
const WANTED_SERIES = `
  SELECT w.*, p.target_event_type, p.assist_window_hours FROM unnest($2::text[], $3::text[], $4::text[], $5::text[])
    WITH ORDINALITY AS w (${SERIES_KEY}, at)
  JOIN project p ON p.project_id = w.project_id AND p.event_dataset_id = $1`;
const SERIES_SQL = `
  SELECT w.at, w.target_event_type, w.assist_window_hours, s.series_no FROM (${WANTED_SERIES}) w
  LEFT JOIN outcome_series s USING (${SERIES_KEY})`;
/** Run only for new series, because each conflict would use up a number of the sequence. */
const MAKE_SERIES_SQL = `
  INSERT INTO outcome_series (${SERIES_KEY}) SELECT ${SERIES_KEY} FROM (${WANTED_SERIES}) w
  ON CONFLICT (${SERIES_KEY}) DO NOTHING`;

interface SeriesRow {
  at: number;
  target_event_type: string;
  /** null if it is not stored yet */
  series_no: number | null;
  assist_window_hours: number | null;
}

/** Runs the steps of one transaction. */
export function outcomeSteps({ client, counts, target }: WriteContext): AsyncStepRunner {
  const { dataset_no } = counts;
  const known = new Map<string, Series | null>();

  /** Prepared once on a connection: planning these costs as much as running them. */
  async function run<T extends object>(name: string, text: string, values: unknown[]): Promise<T[]> {
    return (await client.query<T>({ name: `outcome-${name}`, text, values })).rows;
  }

  async function loadSeries(origins: readonly RecommendationOrigin[]): Promise<void> {
    const wanted = [
      target.dataset_id,
      origins.map(({ projectId }) => projectId),
      origins.map(({ placement }) => placement ?? ''),
      origins.map(({ experimentId }) => experimentId ?? ''),
      origins.map(({ variant }) => variant ?? ''),
    ];
    let rows = await run<SeriesRow>('series', SERIES_SQL, wanted);
    if (rows.some(({ series_no }) => series_no === null)) {
      await run('make-series', MAKE_SERIES_SQL, wanted);
      rows = await run<SeriesRow>('series', SERIES_SQL, wanted);
    }
    for (const origin of origins) known.set(originKey(origin), null);
    for (const { at, target_event_type, series_no, assist_window_hours: assistHours } of rows) {
      const origin = origins[at - 1];
      const isExperiment = !!origin.experimentId;
      known.set(originKey(origin), { series_no: series_no!, target_event_type, isExperiment, assistHours });
    }
  }

  return {
    async series(origins) {
      const unknown = new Map(origins.map((origin) => [originKey(origin), origin]));
      for (const key of known.keys()) unknown.delete(key);
      if (unknown.size > 0) await loadSeries([...unknown.values()]);
      return origins.map((origin) => known.get(originKey(origin)) ?? null);
    },
    async seriesByNo(numbers) {
      return run<Series>(
        'series-by-no',
        `SELECT s.series_no, p.target_event_type, s.experiment_id <> '' AS "isExperiment",
           p.assist_window_hours AS "assistHours"
         FROM outcome_series s JOIN project p ON p.project_id = s.project_id WHERE s.series_no = ANY($1)`,
        [numbers],
      );
    },
    async items(keys) {
      return run<ItemRow>(
        'items',
        `SELECT ${STORED_ITEM} FROM unnest(${typed(ITEM_KEY, 2)}) AS k (${ITEM_KEY.join(', ')})
         ${lookUp('outcome_item', isItem('k'))}`,
        [dataset_no, ...columnsOf(keys, ITEM_KEY)],
      );
    },
    async shown(touches) {
      return run<ItemRow>(
        'shown',
        `SELECT ${STORED_ITEM} FROM unnest($2::bigint[], $3::bigint[]) AS k (user_hash, item_hash)
         ${lookUp('outcome_item', 'i.dataset_no = $1 AND i.user_hash = k.user_hash AND i.item_hash = k.item_hash AND i.shown_ts IS NOT NULL')}`,
        [dataset_no, ...columnsOf(touches, ['userHash', 'itemHash'])],
      );
    },
    async addItems(rows) {
      const areShown = rows.some(({ shown_ts }) => shown_ts !== null);
      return areShown
        ? run<ItemRow>('add-shown', ADD_SHOWN_ITEMS_SQL, [dataset_no, ...columnsOf(rows.map(asStored), ITEM_NAMES)])
        : run<ItemRow>('add-items', ADD_EVENT_ITEMS_SQL, [dataset_no, ...columnsOf(rows, EVENT_ITEM_NAMES)]);
    },
    async changeItems(rows) {
      await run(
        'change-items',
        // Not an UPDATE: it would be planned as a join, which may read the whole table.
        `INSERT INTO outcome_item (dataset_no, ${ITEM_COLUMNS}) SELECT $1, * FROM unnest(${typed(ITEM_NAMES, 2)})
         ON CONFLICT (dataset_no, created_ms, random, item_hash) DO UPDATE SET
           ${ITEM_CHANGES.map((name) => `${name} = excluded.${name}`).join(', ')}`,
        [dataset_no, ...columnsOf(rows.map(asStored), ITEM_NAMES)],
      );
    },
    async addHours(changes) {
      const columns = COUNTER_TABLES.flatMap(({ hours }) => columnsOf(byUnit(changes, hours), HOUR_NAMES));
      await run('add-hours', ADD_HOURS_SQL, columns);
    },
    async users(keys) {
      return run<UserRow>(
        'users',
        `SELECT i.* FROM unnest($1::bigint[], $2::bigint[]) AS k (series_no, user_hash)
         ${lookUp('outcome_user', 'i.series_no = k.series_no AND i.user_hash = k.user_hash')}`,
        columnsOf(keys, ['series_no', 'user_hash']),
      );
    },
    async saveUsers(rows) {
      await run(
        'save-users',
        `INSERT INTO outcome_user (${USER_NAMES.join(', ')}) SELECT * FROM unnest(${typed(USER_NAMES, 1)})
         ON CONFLICT (series_no, user_hash) DO UPDATE SET
           clicks = excluded.clicks, targets = excluded.targets, value = excluded.value`,
        columnsOf(rows, USER_NAMES),
      );
    },
    async addUserSums(sums) {
      await run(
        'add-user-sums',
        `UPDATE outcome_series s SET ${addUserSumsSql({ stored: (name) => `s.${name}`, change: (name) => `a.${name}` })}
         FROM unnest(${typed(SUM_NAMES, 1)}) AS a (${SUM_NAMES.join(', ')}) WHERE s.series_no = a.series_no`,
        columnsOf(sums, SUM_NAMES),
      );
    },
  };
}
