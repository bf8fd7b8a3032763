// Models over the Database seam. Deleting and deploying a model both lock its row first, so neither can slip between the
// other's check and its write.
import type { Model } from '../../domain/model.ts';
import type { AlgorithmType } from '../../domain/project.ts';
import type { Database, Row, Statement } from '../database.ts';
import type { Lease } from '../job-queue.ts';
import type { DeletedModel, ListedModel, ModelStore } from '../model-store.ts';
import type { Page, PageRequest } from '../page.ts';
import { HELD, held } from './lease.ts';
import { listRows } from './list-rows.ts';
import { RAISE_EPOCH } from './serving-epoch.ts';
import { storedObject } from './stored-json.ts';

export class SqlModelStore implements ModelStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(accountId: string, projectId: string, modelId: string): Promise<ListedModel | null> {
    const rows = await this.#database.all(`SELECT model.*, ${DEPLOYED} AS deployed FROM model WHERE ${OF_CALLER}`, [
      modelId,
      accountId,
      projectId,
    ]);
    return rows.length === 0 ? null : modelOf(rows[0]);
  }

  async list(accountId: string, projectId: string, page: PageRequest): Promise<Page<ListedModel>> {
    const listing = {
      table: 'model',
      select: `SELECT model.*, ${DEPLOYED} AS deployed FROM model`,
      idColumn: 'model_id',
      where: 'account_id = ? AND project_id = ?',
      params: [accountId, projectId],
      jsonColumns: ['algorithm_parameters', 'metrics', 'training'],
      read: modelOf,
    };
    return listRows(this.#database, listing, page);
  }

  async rename(accountId: string, projectId: string, modelId: string, name: string): Promise<ListedModel | null> {
    const [rows] = await this.#database.atomic([
      {
        sql: `UPDATE model SET name = ? WHERE ${OF_CALLER} RETURNING *, ${DEPLOYED} AS deployed`,
        params: [name, modelId, accountId, projectId],
      },
    ]);
    return rows.length === 0 ? null : modelOf(rows[0]);
  }

  async delete(accountId: string, projectId: string, modelId: string): Promise<DeletedModel | 'deployed' | null> {
    const [found, deleted, [{ epoch }]] = await this.#database.atomic([
      {
        sql: `UPDATE model SET name = name WHERE ${OF_CALLER} RETURNING model_id`,
        params: [modelId, accountId, projectId],
      },
      {
        sql: `DELETE FROM model WHERE ${OF_CALLER} AND ${IN_USE} = 0 RETURNING *, 0 AS deployed`,
        params: [modelId, accountId, projectId],
      },
      RAISE_EPOCH,
    ]);
    if (deleted.length === 1) return { model: modelOf(deleted[0]), epoch: Number(epoch) };
    return found.length === 0 ? null : 'deployed';
  }

  existing(modelIds: readonly string[]): Promise<Set<string>> {
    return this.#among('model_id', modelIds);
  }

  knownArtifacts(artifactKeys: readonly string[]): Promise<Set<string>> {
    return this.#among('artifact_key', artifactKeys);
  }

  async #among(column: 'model_id' | 'artifact_key', values: readonly string[]): Promise<Set<string>> {
    if (values.length === 0) return new Set();
    const rows = await this.#database.all(
      `SELECT ${column} AS value FROM model WHERE ${column} IN (${values.map(() => '?').join(', ')})`,
      values,
    );
    return new Set(rows.map((row) => String(row.value)));
  }
}

const OF_CALLER = 'model_id = ? AND account_id = ? AND project_id = ?';

const usedBy = (state: string) =>
  `CASE WHEN EXISTS (SELECT 1 FROM deployment WHERE deployment.project_id = model.project_id AND ${state}
     AND (generator_model_id = model.model_id OR ranker_model_id = model.model_id)) THEN 1 ELSE 0 END`;

const DEPLOYED = usedBy(`state = 'ACTIVE'`);

/** Includes a candidate whose deployment job is still running and about to switch to it. */
export const IN_USE = usedBy(`(state = 'ACTIVE' OR (state = 'CANDIDATE' AND EXISTS (
     SELECT 1 FROM job WHERE job.job_id = deployment.job_id AND job.job_status = 'RUNNING')))`);

/** Inserts the row of a new model, only while the training job's lease is held; part of JobQueue.finish. */
export function insertModel(model: Model, lease: Lease): Statement {
  return {
    sql: `INSERT INTO model (model_id, account_id, project_id, name, algorithm_type, algorithm_parameters, created_ts, job_id,
            artifact_key, metrics, training)
          SELECT ?, ?, ?, ?, ?, ?, CAST(? AS BIGINT), ?, ?, ?, ?
          WHERE EXISTS (SELECT 1 FROM job WHERE ${HELD})`,
    params: [
      model.model_id,
      model.account_id,
      model.project_id,
      model.name,
      model.algorithm_type,
      JSON.stringify(model.algorithm_parameters),
      model.created_ts,
      model.job_id,
      model.artifact_key,
      model.metrics === null ? null : JSON.stringify(model.metrics),
      JSON.stringify(model.training),
      ...held(lease),
    ],
  };
}

function modelOf(row: Row): ListedModel {
  return {
    account_id: String(row.account_id),
    project_id: String(row.project_id),
    model_id: String(row.model_id),
    name: String(row.name),
    algorithm_type: row.algorithm_type as AlgorithmType,
    algorithm_parameters: storedObject(row.algorithm_parameters),
    created_ts: Number(row.created_ts),
    job_id: String(row.job_id),
    artifact_key: String(row.artifact_key),
    metrics: row.metrics === null ? null : storedObject(row.metrics),
    training: storedObject(row.training),
    deployed: Number(row.deployed) === 1,
  };
}
