// Automated projects over the Database seam.
import type { Automation, AutomationDecision, Decision } from '../../domain/automation.ts';
import type { Job } from '../../domain/job.ts';
import type { Project } from '../../domain/project.ts';
import type {
  AutomatedProject,
  AutomationState,
  AutomationStore,
  DecisionStep,
  EarlierDeployment,
} from '../automation-store.ts';
import type { Database, Row, SqlValue, Statement } from '../database.ts';
import type { Page, PageRequest } from '../page.ts';
import { listRows } from './list-rows.ts';
import { insertJob } from './sql-job-store.ts';
import { IN_USE } from './sql-model-store.ts';
import { toProject } from './sql-project-store.ts';
import { announceNews } from './sql-webhook-store.ts';
import { storedObject } from './stored-json.ts';

/** Most decisions kept per project. Older ones are deleted. */
const MAX_DECISIONS = 1000;
/** Number of past deployments in which a roll-back looks for a model. */
const MAX_EARLIER = 200;

export class SqlAutomationStore implements AutomationStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async automated(afterProjectId: string, limit: number): Promise<AutomatedProject[]> {
    const rows = await this.#database.all(
      `${SELECT} JOIN account ON account.account_id = project.account_id AND account.disabled = 0
       WHERE project.automation IS NOT NULL AND project.project_id > ? ORDER BY project.project_id LIMIT ?`,
      [afterProjectId, limit],
    );
    return rows.map(automatedOf);
  }

  async get(accountId: string, projectId: string): Promise<AutomatedProject | null> {
    const rows = await this.#database.all(
      `${SELECT} WHERE project.automation IS NOT NULL AND project.account_id = ? AND project.project_id = ?`,
      [accountId, projectId],
    );
    return rows.length === 0 ? null : automatedOf(rows[0]);
  }

  async save(project: Pick<Project, 'account_id' | 'project_id'>, state: AutomationState): Promise<boolean> {
    const [rows] = await this.#database.atomic([state.revision === 0 ? insert(project, state) : raise(project, state)]);
    return rows.length === 1;
  }

  async startTraining(job: Job, state: AutomationState): Promise<boolean> {
    const [, , inserted] = await this.#database.atomic([
      lockProject(job),
      raise(job, { ...state, training_job_id: job.job_id }),
      insertJob(job, {
        sql: `EXISTS (SELECT 1 FROM automation_state JOIN project ON project.project_id = automation_state.project_id
                WHERE automation_state.project_id = ? AND training_job_id = ?)`,
        params: [job.project_id, job.job_id],
      }),
    ]);
    return inserted.length === 1;
  }

  async decide({ decision, deployedModelId, deployment, state }: DecisionStep): Promise<boolean> {
    const { account_id, project_id, decided_ts } = decision;
    const isActive = `EXISTS (SELECT 1 FROM deployment WHERE deployment.project_id = ? AND state = 'ACTIVE'`;
    const [serving, served]: [string, SqlValue[]] =
      deployedModelId === null
        ? [`NOT ${isActive})`, [project_id]]
        : [`${isActive} AND generator_model_id = ?)`, [project_id, deployedModelId]];
    const isKept: Statement = {
      sql: 'EXISTS (SELECT 1 FROM automation_decision WHERE decision_id = ?)',
      params: [decision.decision_id],
    };
    const results = await this.#database.atomic([
      // Holds the project's lock, so that no shutdown or other node comes between the checks and the job.
      lockProject(decision),
      lockState(decision),
      {
        sql: `INSERT INTO automation_decision (decision_id, account_id, project_id, created_ts, training_job_id,
                deployment_job_id, model_id, decision, reason, comparison)
              SELECT ?, ?, project_id, CAST(? AS BIGINT), ?, CAST(? AS TEXT), ?, ?, ?, CAST(? AS TEXT) FROM project
              WHERE project_id = ? AND ${serving}
                AND EXISTS (SELECT 1 FROM automation_state WHERE automation_state.project_id = ? AND revision = ?)
              ON CONFLICT DO NOTHING RETURNING decision_id`,
        params: [
          decision.decision_id,
          account_id,
          decided_ts,
          decision.training_job_id,
          decision.deployment_job_id,
          decision.model_id,
          decision.decision,
          decision.reason,
          decision.comparison && JSON.stringify(decision.comparison),
          project_id,
          ...served,
          project_id,
          state.revision,
        ],
      },
      {
        sql: `DELETE FROM automation_decision WHERE project_id = ? AND created_ts < (SELECT created_ts FROM automation_decision
                WHERE project_id = ? ORDER BY created_ts DESC LIMIT 1 OFFSET ${MAX_DECISIONS - 1})`,
        params: [project_id, project_id],
      },
      ...(deployment === null ? [] : [insertJob(deployment, isKept)]),
      raise(decision, state, isKept),
      ...(decision.decision === 'reject' ? [rejection(decision, isKept)] : []),
    ]);
    return results[2].length === 1;
  }

  async decisions(accountId: string, projectId: string, page: PageRequest): Promise<Page<AutomationDecision>> {
    const listing = {
      table: 'automation_decision',
      select: 'SELECT * FROM automation_decision',
      idColumn: 'decision_id',
      where: 'account_id = ? AND project_id = ?',
      params: [accountId, projectId],
      jsonColumns: ['comparison'],
      read: decisionOf,
    };
    return listRows(this.#database, listing, page);
  }

  async trains(projectId: string): Promise<boolean> {
    const rows = await this.#database.all(
      `SELECT job_id FROM job WHERE project_id = ? AND job_type = 'TRAINING' AND job_status IN ('PENDING', 'RUNNING') LIMIT 1`,
      [projectId],
    );
    return rows.length > 0;
  }

  async hasServed(projectId: string): Promise<boolean> {
    const rows = await this.#database.all(
      'SELECT version FROM deployment WHERE project_id = ? AND activated_ts IS NOT NULL LIMIT 1',
      [projectId],
    );
    return rows.length > 0;
  }

  async earlierDeployment(accountId: string, projectId: string): Promise<EarlierDeployment | null> {
    const exists = (column: string) =>
      `EXISTS (SELECT 1 FROM model WHERE model.model_id = ${column} AND model.project_id = deployment.project_id)`;
    const rows = await this.#database.all(
      `SELECT deployment.*, job.job_data, CASE WHEN ${exists('generator_model_id')}
         AND (ranker_model_id IS NULL OR ${exists('ranker_model_id')}) THEN 1 ELSE 0 END AS is_there
       FROM deployment LEFT JOIN job ON job.job_id = deployment.job_id
       WHERE deployment.account_id = ? AND deployment.project_id = ? AND activated_ts IS NOT NULL
       ORDER BY version DESC LIMIT ?`,
      [accountId, projectId, MAX_EARLIER],
    );
    const active = rows.find((row) => row.state === 'ACTIVE');
    if (active === undefined) return null;
    const earlier = rows.find(
      (row) =>
        Number(row.version) < firstVersion(active) &&
        Number(row.is_there) === 1 &&
        row.generator_model_id !== active.generator_model_id,
    );
    if (earlier === undefined) return null;
    return {
      generator_model_id: String(earlier.generator_model_id),
      ranker_model_id: earlier.ranker_model_id === null ? null : String(earlier.ranker_model_id),
      version: firstVersion(earlier),
    };
  }

  async surplusModels(accountId: string, projectId: string, keep: number): Promise<string[]> {
    const rows = await this.#database.all(
      `SELECT model_id FROM (
         SELECT model.*, ${IN_USE} AS in_use, EXISTS (SELECT 1 FROM job WHERE job.project_id = model.project_id
             AND job_status IN ('PENDING', 'RUNNING') AND job_data LIKE '%' || model.model_id || '%')
           OR EXISTS (SELECT 1 FROM placement WHERE placement.project_id = model.project_id
             AND definition LIKE '%' || model.model_id || '%')
           OR EXISTS (SELECT 1 FROM experiment WHERE experiment.project_id = model.project_id AND status = 'RUNNING'
             AND variants LIKE '%' || model.model_id || '%') AS wanted
         FROM model WHERE account_id = ? AND project_id = ?
         ORDER BY created_ts DESC, model_id DESC LIMIT 1000 OFFSET ?) surplus
       WHERE in_use = 0 AND NOT wanted ORDER BY created_ts DESC, model_id DESC`,
      [accountId, projectId, keep],
    );
    return rows.map((row) => String(row.model_id));
  }
}

/** The deployment that first brought the model, even if a roll-back brought it again. */
function firstVersion(row: Row): number {
  const { restores_version } = row.job_data === null ? {} : storedObject(row.job_data);
  return typeof restores_version === 'number' ? restores_version : Number(row.version);
}

const STATE_COLUMNS = [
  'model_id',
  'since_ts',
  'known_events',
  'training_job_id',
  'failures',
  'not_before_ts',
  'message',
] as const satisfies (keyof AutomationState)[];

const SELECT = `SELECT project.*, automation_state.revision, dataset_count.num_records,
    ${STATE_COLUMNS.map((column) => `automation_state.${column} AS state_${column}`).join(', ')},
    (SELECT model_id FROM model WHERE model.project_id = project.project_id
     ORDER BY created_ts DESC, model_id DESC LIMIT 1) AS newest_model_id
  FROM project LEFT JOIN automation_state ON automation_state.project_id = project.project_id
  LEFT JOIN dataset_count ON dataset_count.dataset_id = project.event_dataset_id`;

type ProjectKey = Pick<Project, 'account_id' | 'project_id'>;

const lockProject = ({ account_id, project_id }: ProjectKey): Statement => ({
  sql: 'UPDATE project SET name = name WHERE account_id = ? AND project_id = ?',
  params: [account_id, project_id],
});

/** Until the transaction ends no other transaction saves the state, so its revision is the same for every statement. */
const lockState = ({ project_id }: ProjectKey): Statement => ({
  sql: 'UPDATE automation_state SET revision = revision WHERE project_id = ?',
  params: [project_id],
});

function insert({ account_id, project_id }: ProjectKey, state: AutomationState): Statement {
  const casts = STATE_COLUMNS.map((column) =>
    column === 'model_id' || column === 'training_job_id' || column === 'message'
      ? 'CAST(? AS TEXT)'
      : 'CAST(? AS BIGINT)',
  );
  return {
    sql: `INSERT INTO automation_state (project_id, account_id, revision, ${STATE_COLUMNS.join(', ')})
          SELECT project_id, account_id, 1, ${casts.join(', ')} FROM project WHERE account_id = ? AND project_id = ?
          ON CONFLICT DO NOTHING RETURNING project_id`,
    params: [...STATE_COLUMNS.map((column) => state[column]), account_id, project_id],
  };
}

function raise({ project_id }: ProjectKey, state: AutomationState, condition: Statement = { sql: 'TRUE' }): Statement {
  return {
    sql: `UPDATE automation_state SET revision = revision + 1, ${STATE_COLUMNS.map((column) => `${column} = ?`).join(', ')}
          WHERE project_id = ? AND revision = ? AND ${condition.sql} RETURNING project_id`,
    params: [...STATE_COLUMNS.map((column) => state[column]), project_id, state.revision, ...(condition.params ?? [])],
  };
}

function rejection(decision: AutomationDecision, condition: Statement): Statement {
  const { account_id, project_id, model_id, reason, comparison, training_job_id, decided_ts } = decision;
  const data = { project_id, model_id, training_job_id, reason, comparison };
  return announceNews(account_id, { event: 'model.rejected', subject: model_id, data }, decided_ts, condition);
}

const textOrNull = (value: SqlValue): string | null => (value === null ? null : String(value));

function automatedOf(row: Row): AutomatedProject {
  const project = toProject(row) as Project & { automation: Automation };
  const state = row.revision === null ? null : stateOf(row);
  return { project, state, events: Number(row.num_records ?? 0), newestModelId: textOrNull(row.newest_model_id) };
}

function stateOf(row: Row): AutomationState {
  return {
    revision: Number(row.revision),
    model_id: textOrNull(row.state_model_id),
    since_ts: Number(row.state_since_ts),
    known_events: Number(row.state_known_events),
    training_job_id: textOrNull(row.state_training_job_id),
    failures: Number(row.state_failures),
    not_before_ts: Number(row.state_not_before_ts),
    message: textOrNull(row.state_message),
  };
}

function decisionOf(row: Row): AutomationDecision {
  return {
    account_id: String(row.account_id),
    project_id: String(row.project_id),
    decision_id: String(row.decision_id),
    decided_ts: Number(row.created_ts),
    decision: row.decision as Decision,
    reason: String(row.reason),
    model_id: String(row.model_id),
    training_job_id: String(row.training_job_id),
    deployment_job_id: textOrNull(row.deployment_job_id),
    comparison: row.comparison === null ? null : storedObject(row.comparison),
  };
}
