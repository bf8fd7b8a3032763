// Projects over the Database seam.
import type { Project, ProjectType } from '../../domain/project.ts';
import type { Database, Row, SqlValue, Statement } from '../database.ts';
import { type Page, type PageRequest, pageOf, pageStart } from '../page.ts';
import type { DeletedProject, ProjectChange, ProjectStore } from '../registry-store.ts';
import { HAS_RESULT_FILES } from './result-jobs.ts';
import { RAISE_EPOCH } from './serving-epoch.ts';
import { refuseLargeObject, storedObject } from './stored-json.ts';

export class SqlProjectStore implements ProjectStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(project: Project): Promise<'created' | 'missing-dataset'> {
    refuseLargeObject('project', project);
    const { account_id, user_dataset_id, item_dataset_id, event_dataset_id } = project;
    const datasetIds = [user_dataset_id, item_dataset_id, event_dataset_id];
    const exists = (kind: string): string =>
      `EXISTS (SELECT 1 FROM dataset WHERE account_id = ? AND kind = '${kind}' AND dataset_id = ?)`;
    // Locking the datasets' rows keeps them from being deleted before this project refers to them.
    const [, inserted] = await this.#database.atomic([
      {
        sql: 'UPDATE dataset SET name = name WHERE account_id = ? AND dataset_id IN (?, ?, ?)',
        params: [account_id, ...datasetIds],
      },
      {
        sql: `INSERT INTO project (project_id, account_id, name, project_type, user_dataset_id, item_dataset_id,
                event_dataset_id, target_event_type, segment_mapping, automation, assist_window_hours, created_ts)
              SELECT ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS INTEGER),
                CAST(? AS BIGINT)
              WHERE ${exists('user')} AND ${exists('item')} AND ${exists('event')} RETURNING project_id`,
        params: [
          project.project_id,
          account_id,
          project.name,
          project.project_type,
          ...datasetIds,
          project.target_event_type,
          jsonText(project.segment_mapping),
          jsonText(project.automation),
          project.assist_window_hours ?? null,
          project.created_ts,
          ...datasetIds.flatMap((datasetId) => [account_id, datasetId]),
        ],
      },
    ]);
    return inserted.length === 1 ? 'created' : 'missing-dataset';
  }

  async get(accountId: string, projectId: string): Promise<Project | null> {
    const [row] = await this.#database.all('SELECT * FROM project WHERE account_id = ? AND project_id = ?', [
      accountId,
      projectId,
    ]);
    return row ? toProject(row) : null;
  }

  async list(accountId: string, page: PageRequest): Promise<Page<Project>> {
    const start = pageStart(page);
    const rows = await this.#database.all(
      `SELECT * FROM project WHERE account_id = ? AND (created_ts < ? OR (created_ts = ? AND project_id < ?))
       ORDER BY created_ts DESC, project_id DESC LIMIT ?`,
      [accountId, start.ts, start.ts, start.id, page.page_size + 1],
    );
    return pageOf(rows.map(toProject), page, (project) => ({ ts: project.created_ts, id: project.project_id }));
  }

  async update(accountId: string, projectId: string, change: ProjectChange): Promise<Project | null> {
    const { name, segment_mapping, automation, assist_window_hours } = change;
    const changes: [string, SqlValue][] = [];
    if (name !== undefined) changes.push(['name', name]);
    if (segment_mapping !== undefined) changes.push(['segment_mapping', jsonText(segment_mapping)]);
    if (automation !== undefined) changes.push(['automation', jsonText(automation)]);
    if (assist_window_hours !== undefined) changes.push(['assist_window_hours', assist_window_hours]);
    if (changes.length === 0) return this.get(accountId, projectId);
    const [[row]] = await this.#database.atomic([
      {
        sql: `UPDATE project SET ${changes.map(([column]) => `${column} = ?`).join(', ')}
              WHERE account_id = ? AND project_id = ? RETURNING *`,
        params: [...changes.map(([, value]) => value), accountId, projectId],
      },
      // When automation is switched off, a training that it started is left to people, even if automation is switched on again.
      ...(automation === null
        ? [
            {
              sql: 'DELETE FROM automation_state WHERE account_id = ? AND project_id = ?',
              params: [accountId, projectId],
            },
          ]
        : []),
    ]);
    return row ? toProject(row) : null;
  }

  async delete(accountId: string, projectId: string, resultsSinceTs = 0): Promise<DeletedProject | 'in-use' | null> {
    const key = [accountId, projectId];
    const areOrphans = (table: string) => `account_id = ? AND project_id = ?
      AND NOT EXISTS (SELECT 1 FROM project WHERE project.project_id = ${table}.project_id)`;
    const orphansOf = (table: string) => ({ sql: `DELETE FROM ${table} WHERE ${areOrphans(table)}`, params: key });
    const [[row], deleted, results, ...others] = await this.#database.atomic([
      { sql: 'UPDATE project SET name = name WHERE account_id = ? AND project_id = ? RETURNING *', params: key },
      {
        sql: `DELETE FROM project WHERE account_id = ? AND project_id = ?
                AND NOT EXISTS (SELECT 1 FROM job WHERE job.project_id = project.project_id
                  AND job_status IN ('PENDING', 'RUNNING'))
                AND NOT EXISTS (SELECT 1 FROM deployment WHERE deployment.project_id = project.project_id
                  AND state = 'ACTIVE') RETURNING project_id`,
        params: key,
      },
      {
        sql: `SELECT job_result FROM job WHERE ${areOrphans('job')} AND job_status = 'SUCCEED'
                AND ${HAS_RESULT_FILES} AND finished_ts >= ?`,
        params: [...key, resultsSinceTs],
      },
      orphansOf('algorithm'),
      orphansOf('model'),
      orphansOf('job'),
      orphansOf('deployment'),
      orphansOf('placement'),
      orphansOf('placement_version'),
      ...orphanedOutcomes(projectId),
      {
        sql: `DELETE FROM experiment_point WHERE experiment_id IN (SELECT experiment_id FROM experiment WHERE project_id = ?
                AND NOT EXISTS (SELECT 1 FROM project WHERE project.project_id = experiment.project_id))`,
        params: [projectId],
      },
      orphansOf('experiment'),
      orphansOf('automation_state'),
      orphansOf('data_health'),
      orphansOf('automation_decision'),
      {
        // The next default project is the deployed project that was deployed first.
        sql: `UPDATE account SET default_project_id = (
                SELECT project_id FROM deployment WHERE account_id = ? AND activated_ts IS NOT NULL GROUP BY project_id
                HAVING MAX(CASE WHEN state = 'ACTIVE' THEN 1 ELSE 0 END) = 1
                ORDER BY MIN(activated_ts), project_id LIMIT 1)
              WHERE account_id = ? AND default_project_id = ?
                AND NOT EXISTS (SELECT 1 FROM project WHERE project.project_id = ?)`,
        params: [accountId, accountId, projectId, projectId],
      },
      RAISE_EPOCH,
    ]);
    if (!row) return null;
    if (deleted.length === 0) return 'in-use';
    return {
      project: toProject(row),
      results: results.map(({ job_result }) => storedObject(job_result)),
      epoch: Number(others[others.length - 1][0].epoch),
    };
  }
}

/**
 * Deletes the outcome counts of a deleted project. Rows about users of its experiments may number millions: they and
 * their series stay for `removeEndedUsers`.
 */
function orphanedOutcomes(projectId: string): Statement[] {
  const series = `SELECT series_no FROM outcome_series WHERE project_id = ?
    AND NOT EXISTS (SELECT 1 FROM project WHERE project.project_id = outcome_series.project_id)`;
  const ofUsers = 'SELECT 1 FROM outcome_user WHERE outcome_user.series_no = outcome_series.series_no';
  return [
    `DELETE FROM outcome_hour WHERE series_no IN (${series})`,
    `DELETE FROM outcome_day WHERE series_no IN (${series})`,
    `DELETE FROM outcome_series WHERE series_no IN (${series} AND NOT EXISTS (${ofUsers}))`,
  ].map((sql) => ({ sql, params: [projectId] }));
}

const jsonText = (value: object | null | undefined): string | null => (value ? JSON.stringify(value) : null);

export function toProject(row: Row): Project {
  return {
    account_id: String(row.account_id),
    project_id: String(row.project_id),
    name: String(row.name),
    project_type: row.project_type as ProjectType,
    user_dataset_id: String(row.user_dataset_id),
    item_dataset_id: String(row.item_dataset_id),
    event_dataset_id: String(row.event_dataset_id),
    target_event_type: String(row.target_event_type),
    ...(row.segment_mapping !== null && { segment_mapping: JSON.parse(String(row.segment_mapping)) }),
    ...(row.automation !== null && { automation: JSON.parse(String(row.automation)) }),
    ...(row.assist_window_hours !== null && { assist_window_hours: Number(row.assist_window_hours) }),
    created_ts: Number(row.created_ts),
  };
}
