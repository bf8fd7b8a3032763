// Outcomes over the Database seam: counters are read here, and written where events are (sqlite/write-outcomes.ts,
// postgres/write-outcomes.ts).
import type { Database, Row } from '../database.ts';
import {
  type CountQuery,
  OUTCOME_FIGURES,
  type OutcomeCounts,
  type OutcomeFigures,
  type OutcomeStore,
  type VariantUsers,
} from '../outcome-store.ts';
import { figureSql, USER_FIGURES } from '../outcomes/outcome-sums.ts';
import { COUNTER_TABLES } from '../outcomes/outcome-tables.ts';

/** Most items looked at for one user: those of a month, with far more lists than people look at. */
const MAX_SHOWN = 20_000;

export type OutcomeReads = Pick<OutcomeStore, 'counts' | 'usersOf' | 'shownInVain'>;

export class SqlOutcomeReads implements OutcomeReads {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async counts({ projectId, placement, fromHour, toHour, by = 'hour' }: CountQuery): Promise<OutcomeCounts[]> {
    const { table, unit, hours } = COUNTER_TABLES.find((counters) => counters.unit === (by === 'hour' ? by : 'day'))!;
    const column = (name: string) => (by === 'total' ? `sum(h.${name})` : `h.${name}`);
    const figures = OUTCOME_FIGURES.map((name) => `${figureSql(name, column)} AS ${name}`).join(', ');
    const rows = await this.#database.all(
      `SELECT s.placement, s.experiment_id, s.variant, ${by === 'total' ? `min(h.${unit}) AS ${unit}` : `h.${unit}`}, ${figures}
       FROM outcome_series s JOIN ${table} h ON h.series_no = s.series_no
       WHERE s.project_id = ? AND h.${unit} >= ? AND h.${unit} < ? ${placement === undefined ? '' : 'AND s.placement = ?'}
       ${by === 'total' ? 'GROUP BY s.series_no' : ''}
       ORDER BY s.placement, s.experiment_id, s.variant${by === 'total' ? '' : `, h.${unit}`}`,
      [
        projectId,
        Math.floor(fromHour / hours),
        Math.ceil(toHour / hours),
        ...(placement === undefined ? [] : [placement ?? '']),
      ],
    );
    return rows.map((row) => ({
      placement: textOf(row.placement),
      experiment_id: textOf(row.experiment_id),
      variant: textOf(row.variant),
      hour: Number(row[unit]) * hours,
      ...figuresOf(row),
    }));
  }

  async usersOf(projectId: string, experimentId: string): Promise<VariantUsers[]> {
    const figures = USER_FIGURES.map((name) => `${figureSql(name, (column) => `sum(${column})`)} AS ${name}`).join(
      ', ',
    );
    const rows = await this.#database.all(
      `SELECT variant, ${figures} FROM outcome_series
       WHERE project_id = ? AND experiment_id = ? GROUP BY variant HAVING sum(users) > 0 ORDER BY variant`,
      [projectId, experimentId],
    );
    return rows.map((row) => ({
      variant: String(row.variant),
      ...(Object.fromEntries(USER_FIGURES.map((name) => [name, Number(row[name])])) as Omit<VariantUsers, 'variant'>),
    }));
  }

  async shownInVain(
    datasetId: string,
    { userHash, after, sinceTs }: { userHash: number; after: number; sinceTs: number },
  ): Promise<Set<number>> {
    const rows = await this.#database.all<{ item_hash: number }>(
      `SELECT item_hash FROM (
         SELECT item_hash, events, assists FROM outcome_item
         WHERE dataset_no = (SELECT dataset_no FROM dataset_count WHERE dataset_id = ?)
           AND user_hash = ? AND item_hash <> 0 AND shown_ts >= ? LIMIT ${MAX_SHOWN}) AS shown
       GROUP BY item_hash HAVING count(*) >= ? AND sum(events) = 0 AND sum(assists) = 0`,
      [datasetId, userHash, sinceTs, after],
    );
    return new Set(rows.map(({ item_hash }) => item_hash));
  }
}

const textOf = (value: Row[string]): string | null => (value === '' ? null : String(value));

function figuresOf(row: Row): OutcomeFigures {
  const figures = {} as OutcomeFigures;
  for (const name of OUTCOME_FIGURES) figures[name] = Number(row[name]);
  return figures;
}
