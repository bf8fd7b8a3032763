// Experiments over the Database seam.
import {
  type Experiment,
  type ExperimentDecision,
  type ExperimentMetric,
  type ExperimentStatus,
  MAX_EXPERIMENTS,
} from '../../domain/experiment.ts';
import { ConstraintViolation, type Database, type Row, type Statement } from '../database.ts';
import type { ExperimentEnd, ExperimentPoint, ExperimentStore } from '../experiment-store.ts';
import type { Page, PageRequest } from '../page.ts';
import type { PlacementName } from '../placement-store.ts';
import { listRows } from './list-rows.ts';
import { RAISE_EPOCH } from './serving-epoch.ts';
import { changePlacement } from './sql-placement-store.ts';
import { announceNews } from './sql-webhook-store.ts';
import { refuseLargeObject, storedObject } from './stored-json.ts';

/** Most points per experiment: hourly for two weeks, then daily for a year, and some spare. */
const MAX_POINTS = 2000;
/** Rows about users deleted by one statement, which other writes wait for on SQLite. */
const REMOVED_AT_ONCE = 5000;
const USERS_OF_SERIES = 'SELECT 1 FROM outcome_user WHERE outcome_user.series_no = outcome_series.series_no';
const PROJECT_OF_SERIES = 'SELECT 1 FROM project WHERE project.project_id = outcome_series.project_id';

export class SqlExperimentStore implements ExperimentStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(experiment: Experiment): Promise<number | 'missing-placement' | 'running'> {
    refuseLargeObject('experiment', experiment);
    const { account_id, project_id, experiment_id, placement } = experiment;
    const ended = `SELECT experiment_id FROM experiment WHERE project_id = ? AND status = 'STOPPED'
      ORDER BY created_ts DESC LIMIT ${MAX_EXPERIMENTS} OFFSET ${MAX_EXPERIMENTS - 1}`;
    try {
      const results = await this.#database.atomic([
        // Locks the placement: it cannot be deleted before it is part of an experiment.
        {
          sql: 'UPDATE placement SET name = name WHERE account_id = ? AND project_id = ? AND name = ?',
          params: [account_id, project_id, placement],
        },
        ...['experiment_point', 'experiment'].map((table) => ({
          sql: `DELETE FROM ${table} WHERE experiment_id IN (${ended})`,
          params: [project_id],
        })),
        {
          sql: `INSERT INTO experiment (experiment_id, account_id, project_id, placement, name, variants, metric, min_days,
                  status, created_ts)
                SELECT ?, account_id, project_id, name, ?, ?, ?, CAST(? AS BIGINT), 'RUNNING', CAST(? AS BIGINT)
                FROM placement WHERE account_id = ? AND project_id = ? AND name = ? RETURNING experiment_id`,
          params: [
            experiment_id,
            experiment.name,
            JSON.stringify(experiment.variants),
            experiment.metric,
            experiment.min_days,
            experiment.created_ts,
            account_id,
            project_id,
            placement,
          ],
        },
        RAISE_EPOCH,
      ]);
      return results[3].length === 1 ? Number(results[4][0].epoch) : 'missing-placement';
    } catch (error) {
      if (error instanceof ConstraintViolation) return 'running';
      throw error;
    }
  }

  async get(accountId: string, projectId: string, experimentId: string): Promise<Experiment | null> {
    const rows = await this.#database.all(
      'SELECT * FROM experiment WHERE account_id = ? AND project_id = ? AND experiment_id = ?',
      [accountId, projectId, experimentId],
    );
    return rows.length === 0 ? null : experimentOf(rows[0]);
  }

  async list(
    accountId: string,
    projectId: string,
    placement: string | undefined,
    page: PageRequest,
  ): Promise<Page<Experiment>> {
    const ofPlacement = placement === undefined ? '' : ' AND placement = ?';
    const listing = {
      table: 'experiment',
      select: 'SELECT * FROM experiment',
      idColumn: 'experiment_id',
      read: experimentOf,
      where: `account_id = ? AND project_id = ?${ofPlacement}`,
      params: [accountId, projectId, ...(placement === undefined ? [] : [placement])],
      jsonColumns: ['variants', 'decided'],
    };
    return listRows(this.#database, listing, page);
  }

  async running({ accountId, projectId, name }: PlacementName): Promise<Experiment | null> {
    const rows = await this.#database.all(
      `SELECT * FROM experiment WHERE account_id = ? AND project_id = ? AND placement = ? AND status = 'RUNNING'`,
      [accountId, projectId, name],
    );
    return rows.length === 0 ? null : experimentOf(rows[0]);
  }

  async allRunning(afterExperimentId: string, limit: number): Promise<Experiment[]> {
    const rows = await this.#database.all(
      `SELECT * FROM experiment WHERE status = 'RUNNING' AND experiment_id > ? ORDER BY experiment_id LIMIT ?`,
      [afterExperimentId, limit],
    );
    return rows.map(experimentOf);
  }

  async stop(experiment: Experiment, { nowMs, promote }: ExperimentEnd): Promise<number | null> {
    const { account_id, project_id, experiment_id, placement } = experiment;
    const name = { accountId: account_id, projectId: project_id, name: placement };
    // Checks that nothing was promoted meanwhile: promoting a second variant would combine both, and the same one would
    // make a second version.
    const isOpen = {
      sql: 'EXISTS (SELECT 1 FROM experiment WHERE experiment_id = ? AND account_id = ? AND promoted IS NULL)',
      params: [experiment_id, account_id],
    };
    const statements: Statement[] = promote === null ? [] : changePlacement(name, promote.version, isOpen);
    const holds = `promoted IS NULL AND EXISTS (SELECT 1 FROM placement WHERE account_id = ? AND project_id = ? AND name = ?
      AND version = ? AND changed_ts = ? AND definition = ?)`;
    const results = await this.#database.atomic([
      ...statements,
      {
        sql: `UPDATE experiment SET status = 'STOPPED', stopped_ts = COALESCE(stopped_ts, CAST(? AS BIGINT)),
                promoted = COALESCE(CAST(? AS TEXT), promoted)
              WHERE experiment_id = ? AND account_id = ? ${promote === null ? '' : `AND ${holds}`} RETURNING experiment_id`,
        params: [
          nowMs,
          promote?.variant ?? null,
          experiment_id,
          account_id,
          ...(promote === null
            ? []
            : [
                account_id,
                project_id,
                placement,
                promote.version.version,
                promote.version.changed_ts,
                JSON.stringify(promote.version.definition),
              ]),
        ],
      },
      RAISE_EPOCH,
    ]);
    const [changed, ended] = [results[0], results[results.length - 2]];
    if (ended.length === 0 || (promote !== null && changed.length === 0)) return null;
    return Number(results[results.length - 1][0].epoch);
  }

  async decide(experiment: Experiment, decision: ExperimentDecision): Promise<boolean> {
    const { account_id, project_id, experiment_id, name, placement } = experiment;
    const news = {
      event: 'experiment.decided' as const,
      subject: experiment_id,
      data: { project_id, experiment_id, name, placement, winner: decision.winner, sentence: decision.sentence },
    };
    const [decided] = await this.#database.atomic([
      {
        sql: `UPDATE experiment SET decided = ? WHERE experiment_id = ? AND decided IS NULL AND status = 'RUNNING'
              RETURNING experiment_id`,
        params: [JSON.stringify(decision), experiment_id],
      },
      announceNews(account_id, news, decision.decided_ts, {
        sql: 'EXISTS (SELECT 1 FROM experiment WHERE experiment_id = ? AND decided = ?)',
        params: [experiment_id, JSON.stringify(decision)],
      }),
    ]);
    return decided.length === 1;
  }

  async keepPoint(experimentId: string, { hour, users }: ExperimentPoint): Promise<void> {
    await this.#database.atomic([
      {
        sql: `INSERT INTO experiment_point (experiment_id, hour, figures)
              SELECT experiment_id, CAST(? AS BIGINT), ? FROM experiment WHERE experiment_id = ?
              ON CONFLICT (experiment_id, hour) DO UPDATE SET figures = excluded.figures`,
        params: [hour, JSON.stringify(users), experimentId],
      },
    ]);
  }

  async points(experimentId: string): Promise<ExperimentPoint[]> {
    const rows = await this.#database.all(
      'SELECT hour, figures FROM experiment_point WHERE experiment_id = ? ORDER BY hour LIMIT ?',
      [experimentId, MAX_POINTS],
    );
    return rows.map((row) => ({ hour: Number(row.hour), users: JSON.parse(String(row.figures)) }));
  }

  async removeEndedUsers(endedBeforeTs: number): Promise<boolean> {
    const [ended] = await this.#database.all(
      `SELECT series_no FROM outcome_series WHERE experiment_id <> ''
         AND NOT EXISTS (SELECT 1 FROM experiment WHERE experiment.experiment_id = outcome_series.experiment_id
           AND (status = 'RUNNING' OR stopped_ts >= ?))
         AND (EXISTS (${USERS_OF_SERIES}) OR NOT EXISTS (${PROJECT_OF_SERIES})) LIMIT 1`,
      [endedBeforeTs],
    );
    if (ended === undefined) return false;
    await this.#database.atomic([
      {
        // Uses a range of the primary key, because a list of keys could be planned as a join with the whole table.
        sql: `DELETE FROM outcome_user WHERE series_no = ? AND user_hash <= (SELECT max(user_hash) FROM (
                SELECT user_hash FROM outcome_user WHERE series_no = ? ORDER BY user_hash LIMIT ${REMOVED_AT_ONCE}) AS first)`,
        params: [ended.series_no, ended.series_no],
      },
      {
        sql: `DELETE FROM outcome_series WHERE series_no = ?
                AND NOT EXISTS (${USERS_OF_SERIES}) AND NOT EXISTS (${PROJECT_OF_SERIES})`,
        params: [ended.series_no],
      },
    ]);
    return true;
  }
}

function experimentOf(row: Row): Experiment {
  return {
    account_id: String(row.account_id),
    project_id: String(row.project_id),
    experiment_id: String(row.experiment_id),
    name: String(row.name),
    placement: String(row.placement),
    variants: storedObject(row.variants),
    metric: row.metric as ExperimentMetric,
    min_days: Number(row.min_days),
    status: row.status as ExperimentStatus,
    created_ts: Number(row.created_ts),
    stopped_ts: row.stopped_ts === null ? null : Number(row.stopped_ts),
    promoted: row.promoted === null ? null : String(row.promoted),
    decided: row.decided === null ? null : storedObject(row.decided),
  };
}
