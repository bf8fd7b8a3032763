// Deployments over the Database seam.
import type { Deployment } from '../../domain/model.ts';
import type { Database, Row } from '../database.ts';
import type { DeploymentState, DeploymentStore, StoredDeployment } from '../deployment-store.ts';
import type { Lease } from '../job-queue.ts';
import { HELD, held } from './lease.ts';

export class SqlDeploymentStore implements DeploymentStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async announce(
    lease: Lease,
    deployment: Omit<Deployment, 'version'>,
  ): Promise<StoredDeployment | 'missing-model' | 'lost'> {
    const modelIds = [deployment.generator_model_id, deployment.ranker_model_id].filter((id) => id !== null);
    const wanted = new Set(modelIds).size;
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
              SELECT ?, COALESCE((SELECT MAX(version) FROM deployment WHERE project_id = ?), 0) + 1, ?, ?, ?,
                CAST(? AS BIGINT), ?, CAST(? AS BIGINT), 'CANDIDATE'
              WHERE EXISTS (SELECT 1 FROM job WHERE ${HELD})
                AND (SELECT COUNT(*) FROM model WHERE ${models}) = ${wanted}
              RETURNING *`,
        params: [
          deployment.project_id,
          deployment.project_id,
          deployment.account_id,
          deployment.generator_model_id,
          deployment.ranker_model_id,
          deployment.qps,
          deployment.job_id,
          deployment.created_ts,
          ...held(lease),
          ...modelIds,
          deployment.project_id,
        ],
      },
    ]);
    if (leases.length === 0) return 'lost';
    if (found.length < wanted) return 'missing-model';
    return deploymentOf(inserted[0]);
  }

  async activate(lease: Lease, candidate: Deployment): Promise<boolean> {
    const ofCandidate = [candidate.project_id, candidate.version];
    const results = await this.#database.atomic([
      { sql: `UPDATE job SET heartbeat = heartbeat + 1 WHERE ${HELD}`, params: held(lease) },
      {
        sql: `UPDATE deployment SET state = 'RETIRED' WHERE project_id = ? AND state = 'ACTIVE' AND version < ?
                AND EXISTS (SELECT 1 FROM job WHERE ${HELD})`,
        params: [...ofCandidate, ...held(lease)],
      },
      {
        sql: `UPDATE deployment SET state = 'ACTIVE' WHERE project_id = ? AND version = ? AND state = 'CANDIDATE'
                AND EXISTS (SELECT 1 FROM job WHERE ${HELD}) RETURNING version`,
        params: [...ofCandidate, ...held(lease)],
      },
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

  async shutDown(accountId: string, projectId: string): Promise<StoredDeployment | null> {
    const [rows] = await this.#database.atomic([
      {
        sql: `UPDATE deployment SET state = 'RETIRED' WHERE account_id = ? AND project_id = ? AND state = 'ACTIVE' RETURNING *`,
        params: [accountId, projectId],
      },
    ]);
    return rows.length === 0 ? null : deploymentOf(rows[0]);
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

  async current(): Promise<StoredDeployment[]> {
    const rows = await this.#database.all(
      `SELECT * FROM deployment WHERE state = 'ACTIVE' OR (state = 'CANDIDATE' AND EXISTS (
         SELECT 1 FROM job WHERE job.job_id = deployment.job_id AND job.job_status = 'RUNNING'))
       ORDER BY project_id, version`,
    );
    return rows.map(deploymentOf);
  }
}

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
