// Algorithm configurations over the Database seam.
import type { Algorithm, AlgorithmType } from '../../domain/project.ts';
import type { Database, Row } from '../database.ts';
import type { Page, PageRequest } from '../page.ts';
import type { AlgorithmStore } from '../registry-store.ts';
import { listRows } from './list-rows.ts';
import { refuseLargeObject, storedObject } from './stored-json.ts';

const THIS_ONE = 'account_id = ? AND project_id = ? AND algorithm_id = ?';

export class SqlAlgorithmStore implements AlgorithmStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(algorithm: Algorithm): Promise<'created' | 'missing-project'> {
    refuseLargeObject('algorithm', algorithm);
    const { account_id, project_id } = algorithm;
    const [, inserted] = await this.#database.atomic([
      {
        sql: 'UPDATE project SET name = name WHERE account_id = ? AND project_id = ?',
        params: [account_id, project_id],
      },
      {
        sql: `INSERT INTO algorithm (algorithm_id, account_id, project_id, name, algorithm_type, algorithm_parameters, created_ts)
              SELECT ?, account_id, project_id, ?, ?, ?, CAST(? AS BIGINT) FROM project
              WHERE account_id = ? AND project_id = ? RETURNING algorithm_id`,
        params: [
          algorithm.algorithm_id,
          algorithm.name,
          algorithm.algorithm_type,
          JSON.stringify(algorithm.algorithm_parameters),
          algorithm.created_ts,
          account_id,
          project_id,
        ],
      },
    ]);
    return inserted.length === 1 ? 'created' : 'missing-project';
  }

  async get(accountId: string, projectId: string, algorithmId: string): Promise<Algorithm | null> {
    const [row] = await this.#database.all(`SELECT * FROM algorithm WHERE ${THIS_ONE}`, [
      accountId,
      projectId,
      algorithmId,
    ]);
    return row ? toAlgorithm(row) : null;
  }

  async list(accountId: string, projectId: string, page: PageRequest): Promise<Page<Algorithm>> {
    const listing = {
      table: 'algorithm',
      select: 'SELECT * FROM algorithm',
      idColumn: 'algorithm_id',
      read: toAlgorithm,
      where: 'account_id = ? AND project_id = ?',
      params: [accountId, projectId],
      jsonColumns: ['algorithm_parameters'],
    };
    return listRows(this.#database, listing, page);
  }

  async delete(accountId: string, projectId: string, algorithmId: string): Promise<Algorithm | null> {
    const [[row]] = await this.#database.atomic([
      { sql: `DELETE FROM algorithm WHERE ${THIS_ONE} RETURNING *`, params: [accountId, projectId, algorithmId] },
    ]);
    return row ? toAlgorithm(row) : null;
  }
}

function toAlgorithm(row: Row): Algorithm {
  return {
    account_id: String(row.account_id),
    project_id: String(row.project_id),
    algorithm_id: String(row.algorithm_id),
    name: String(row.name),
    algorithm_type: row.algorithm_type as AlgorithmType,
    algorithm_parameters: storedObject(row.algorithm_parameters),
    created_ts: Number(row.created_ts),
  };
}
