// Checks of data over the Database seam.
import type { DataHealth } from '../../domain/data-health.ts';
import type { Project } from '../../domain/project.ts';
import type { Database } from '../database.ts';
import type { HealthStore } from '../health-store.ts';
import { storedObject } from './stored-json.ts';

export class SqlHealthStore implements HealthStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async save({ account_id, project_id }: Pick<Project, 'account_id' | 'project_id'>, report: DataHealth) {
    await this.#database.atomic([
      // Locks the project: it cannot be deleted before it has a report.
      {
        sql: 'UPDATE project SET name = name WHERE account_id = ? AND project_id = ?',
        params: [account_id, project_id],
      },
      {
        sql: `INSERT INTO data_health (project_id, account_id, checked_ts, report)
              SELECT project_id, account_id, CAST(? AS BIGINT), ? FROM project WHERE account_id = ? AND project_id = ?
              ON CONFLICT (project_id) DO UPDATE SET checked_ts = excluded.checked_ts, report = excluded.report
                WHERE data_health.checked_ts <= excluded.checked_ts`,
        params: [report.checked_ts, JSON.stringify(report), account_id, project_id],
      },
    ]);
  }

  async get(accountId: string, projectId: string): Promise<DataHealth | null> {
    const rows = await this.#database.all('SELECT report FROM data_health WHERE account_id = ? AND project_id = ?', [
      accountId,
      projectId,
    ]);
    return rows.length === 0 ? null : (storedObject(rows[0].report) as DataHealth);
  }
}
