// Deployments over the Database seam.
import type { FailureReason } from '../../domain/job.ts';
import type { Deployment } from '../../domain/model.ts';
import type { Database, Row } from '../database.ts';
import type {
  AnnouncedDeployment,
  CurrentDeployment,
  DeploymentState,
  DeploymentStore,
  Shutdown,
  StoredDeployment,
} from '../deployment-store.ts';
import type { Lease } from '../job-queue.ts';
import { HELD, held } from './lease.ts';
import { RAISE_EPOCH, readEpoch } from './serving-epoch.ts';

export class SqlDeploymentStore implements DeploymentStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async announce(lease: Lease, deployment: AnnouncedDeployment): Promise<StoredDeployment | 'missing-model' | 'lost'> {
    const modelIds = [deployment.generator_model_id, deployment.ranker_model_id].filter((id) => id !== null);
    const wanted = new Set(modelIds).size;
    const least = this.#database.dialect === 'postgres' ? 'LEAST' : 'MIN';
    const models = `model_id IN (${modelIds.map(() => '?').join(', ')}) AND project_id = ?`;
    const [leases, found, , inserted] = await this.#database.atomic([
      { sql: `UPDATE job SET heartbeat = heartbeat + 1 WHERE ${HELD} RETURNING job_id`, params: held(lease) },
      {
        sql: `UPDATE model SET name = name WHERE ${models} RETURNING model_id`,
        params: [...modelIds, deployment.project_id],
      },
      {
        sql: `UPDATE deployment SET state = 'RETIRED' WHERE job_id = ? AND state = 'CANDIDATE'
                AND EXISTS (SELECT 1 FROM job WHERE ${HELD})`,
        params: [lease.jobId, ...held(lease)],
      },
      {
        sql: `INSERT INTO deployment (project_id, version, account_id, generator_model_id, ranker_model_id, qps, job_id,
                created_ts, state)
              SELECT ?, COALESCE((SELECT MAX(version) FROM deployment WHERE project_id = ?), 0) + 1, account_id, ?, ?,
                ${least}(${WANTED_QPS}, max_qps), ?, CAST(? AS BIGINT), 'CANDIDATE'
              FROM account WHERE account_id = ? AND EXISTS (SELECT 1 FROM job WHERE ${HELD})
                AND (SELECT COUNT(*) FROM model WHERE ${models}) = ${wanted}
              RETURNING *`,
        params: [
          deployment.project_id,
          deployment.project_id,
          deployment.generator_model_id,
          deployment.ranker_model_id,
          deployment.qps,
          deployment.project_id,
          deployment.job_id,
          deployment.created_ts,
          deployment.account_id,
          ...held(lease),
          ...modelIds,
          deployment.project_id,
        ],
      },
      RAISE_EPOCH,
    ]);
    if (leases.length === 0) return 'lost';
    if (found.length < wanted) return 'missing-model';
    return deploymentOf(inserted[0]);
  }

  async activate(lease: Lease, candidate: Deployment, nowMs: number): Promise<boolean> {
    const ofCandidate = [candidate.project_id, candidate.version];
    const results = await this.#database.atomic([
      { sql: `UPDATE job SET heartbeat = heartbeat + 1 WHERE ${HELD}`, params: held(lease) },
      {
        sql: `UPDATE deployment SET state = 'RETIRED' WHERE project_id = ? AND state = 'ACTIVE' AND version < ?
                AND EXISTS (SELECT 1 FROM job WHERE ${HELD})`,
        params: [...ofCandidate, ...held(lease)],
      },
      {
        sql: `UPDATE deployment SET state = 'ACTIVE', activated_ts = ?
              WHERE project_id = ? AND version = ? AND state = 'CANDIDATE'
                AND EXISTS (SELECT 1 FROM job WHERE ${HELD}) RETURNING version`,
        params: [nowMs, ...ofCandidate, ...held(lease)],
      },
      {
        sql: `UPDATE account SET default_project_id = ? WHERE account_id = ? AND default_project_id IS NULL
                AND EXISTS (SELECT 1 FROM deployment WHERE project_id = ? AND version = ? AND state = 'ACTIVE')`,
        params: [candidate.project_id, candidate.account_id, ...ofCandidate],
      },
      RAISE_EPOCH,
    ]);
    return results[2].length === 1;
  }

  async withdraw(candidate: Deployment): Promise<void> {
    await this.#database.atomic([
      {
        sql: `UPDATE deployment SET state = 'RETIRED' WHERE project_id = ? AND version = ? AND state = 'CANDIDATE'`,
        params: [candidate.project_id, candidate.version],
      },
    ]);
  }

  async shutDown(accountId: string, projectId: string, nowMs: number): Promise<Shutdown | null> {
    const ofProject = [accountId, projectId];
    const [, jobs, deployments, [{ epoch }]] = await this.#database.atomic([
      // Locks the project: a deployment that is submitted now waits until this is done.
      { sql: 'UPDATE project SET name = name WHERE account_id = ? AND project_id = ?', params: ofProject },
      {
        sql: `UPDATE job SET job_status = 'CANCELLED', finished_ts = ?, failure_reason = ?, worker_id = NULL
              WHERE account_id = ? AND project_id = ? AND job_type = 'DEPLOYMENT'
                AND job_status IN ('PENDING', 'RUNNING') RETURNING job_id`,
        params: [nowMs, JSON.stringify(SHUT_DOWN), ...ofProject],
      },
      {
        sql: `UPDATE deployment SET state = 'RETIRED' WHERE account_id = ? AND project_id = ?
                AND state IN ('CANDIDATE', 'ACTIVE') RETURNING version`,
        params: ofProject,
      },
      RAISE_EPOCH,
    ]);
    if (jobs.length === 0 && deployments.length === 0) return null;
    return { epoch: Number(epoch), cancelledJobs: jobs.map((row) => String(row.job_id)) };
  }

  async active(accountId: string, projectId: string): Promise<StoredDeployment | null> {
    const rows = await this.#database.all(
      `SELECT * FROM deployment WHERE account_id = ? AND project_id = ? AND state = 'ACTIVE'`,
      [accountId, projectId],
    );
    return rows.length === 0 ? null : deploymentOf(rows[0]);
  }

  async activatedBy(jobId: string): Promise<StoredDeployment | null> {
    const rows = await this.#database.all(`SELECT * FROM deployment WHERE job_id = ? AND state = 'ACTIVE'`, [jobId]);
    return rows.length === 0 ? null : deploymentOf(rows[0]);
  }

  oldestModels(limit: number): Promise<{ project_id: string; trained_ts: number }[]> {
    return this.#database.all<{ project_id: string; trained_ts: number }>(
      `SELECT deployment.project_id, model.created_ts AS trained_ts FROM deployment
       JOIN model ON model.model_id = deployment.generator_model_id
       WHERE deployment.state = 'ACTIVE' ORDER BY model.created_ts LIMIT ?`,
      [limit],
    );
  }

  epoch(): Promise<number> {
    return readEpoch(this.#database);
  }

  async current(): Promise<CurrentDeployment[]> {
    const rows = await this.#database.all(
      `SELECT deployment.*, account.default_project_id FROM deployment
       JOIN account ON account.account_id = deployment.account_id
       WHERE state = 'ACTIVE' OR (state = 'CANDIDATE' AND EXISTS (
         SELECT 1 FROM job WHERE job.job_id = deployment.job_id AND job.job_status = 'RUNNING'))
       ORDER BY project_id, version`,
    );
    return rows.map((row) => ({
      ...deploymentOf(row),
      default_project_id: row.default_project_id === null ? null : String(row.default_project_id),
    }));
  }
}

const SHUT_DOWN: FailureReason = {
  code: 'DEPLOYMENT_SHUT_DOWN',
  message: 'The project was shut down before the deployment was complete. Submit a deployment job to serve it again.',
};

/** The requested rate, else the project's last rate, else the plan's maximum. Never more than the plan allows. */
const WANTED_QPS = `COALESCE(CAST(? AS BIGINT), (SELECT qps FROM deployment WHERE project_id = ?
  AND activated_ts IS NOT NULL ORDER BY version DESC LIMIT 1), max_qps)`;

function deploymentOf(row: Row): StoredDeployment {
  return {
    account_id: String(row.account_id),
    project_id: String(row.project_id),
    version: Number(row.version),
    generator_model_id: String(row.generator_model_id),
    ranker_model_id: row.ranker_model_id === null ? null : String(row.ranker_model_id),
    qps: Number(row.qps),
    job_id: String(row.job_id),
    created_ts: Number(row.created_ts),
    state: row.state as DeploymentState,
  };
}
