// Datasets over the Database seam. Counts live next to the records (table dataset_count); here they are only read.
import type { AttributeSchema, Dataset, DatasetKind } from '../../domain/dataset.ts';
import type { Database, Row } from '../database.ts';
import type { Page, PageRequest } from '../page.ts';
import type { DatasetStore } from '../registry-store.ts';
import { listRows } from './list-rows.ts';
import { refuseLargeObject } from './stored-json.ts';

interface DatasetRow {
  account_id: string;
  dataset_id: string;
  kind: DatasetKind;
  name: string;
  num_shards: number;
  attribute_schema: string | null;
  created_ts: number;
  num_records: number | null;
}

const SELECT = `SELECT dataset.*, dataset_count.num_records FROM dataset
  LEFT JOIN dataset_count ON dataset_count.dataset_id = dataset.dataset_id`;
const THIS_ONE = 'dataset.account_id = ? AND dataset.kind = ? AND dataset.dataset_id = ?';

export class SqlDatasetStore implements DatasetStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(dataset: Dataset): Promise<'created' | 'plan-limit'> {
    refuseLargeObject('dataset', dataset);
    const { account_id, dataset_id, kind, name, num_shards, attribute_schema, created_ts } = dataset;
    // Locking the account's row first makes the sum exact on PostgreSQL too, where others could insert meanwhile.
    const [, inserted] = await this.#database.atomic([
      { sql: 'UPDATE account SET name = name WHERE account_id = ?', params: [account_id] },
      {
        sql: `INSERT INTO dataset (dataset_id, account_id, kind, name, num_shards, attribute_schema, created_ts)
              SELECT ?, account_id, ?, ?, CAST(? AS BIGINT), ?, CAST(? AS BIGINT) FROM account
              WHERE account_id = ? AND (? <> 'event' OR max_event_shards >= CAST(? AS BIGINT) + COALESCE(
                (SELECT SUM(num_shards) FROM dataset WHERE account_id = ? AND kind = 'event'), 0))
              RETURNING dataset_id`,
        params: [
          dataset_id,
          kind,
          name,
          num_shards,
          attribute_schema === null ? null : JSON.stringify(attribute_schema),
          created_ts,
          account_id,
          kind,
          num_shards,
          account_id,
        ],
      },
    ]);
    return inserted.length === 1 ? 'created' : 'plan-limit';
  }

  async get(accountId: string, kind: DatasetKind, datasetId: string): Promise<Dataset | null> {
    const [row] = await this.#database.all<DatasetRow>(`${SELECT} WHERE ${THIS_ONE}`, [accountId, kind, datasetId]);
    return row ? toDataset(row) : null;
  }

  async list(accountId: string, kind: DatasetKind, page: PageRequest): Promise<Page<Dataset>> {
    const listing = {
      table: 'dataset',
      select: SELECT,
      idColumn: 'dataset_id',
      jsonColumns: ['attribute_schema'],
      where: 'dataset.account_id = ? AND dataset.kind = ?',
      params: [accountId, kind],
      read: (row: Row) => toDataset(row as unknown as DatasetRow),
    };
    return listRows(this.#database, listing, page);
  }

  async update(
    accountId: string,
    kind: DatasetKind,
    datasetId: string,
    change: { name?: string; attribute_schema?: AttributeSchema | null },
  ): Promise<Dataset | null> {
    refuseLargeObject('dataset', change);
    const schema = change.attribute_schema;
    const [, [row]] = await this.#database.atomic<DatasetRow>([
      {
        sql: `UPDATE dataset SET name = COALESCE(?, name),
                attribute_schema = CASE WHEN CAST(? AS BIGINT) = 1 THEN ? ELSE attribute_schema END WHERE ${THIS_ONE}`,
        params: [
          change.name ?? null,
          Number(schema !== undefined),
          schema == null ? null : JSON.stringify(schema),
          accountId,
          kind,
          datasetId,
        ],
      },
      { sql: `${SELECT} WHERE ${THIS_ONE}`, params: [accountId, kind, datasetId] },
    ]);
    return row ? toDataset(row) : null;
  }

  async delete(accountId: string, kind: DatasetKind, datasetId: string): Promise<Dataset | 'in-use' | null> {
    const key = [accountId, kind, datasetId];
    // Creating a project locks its datasets' rows likewise: one of the two waits and then sees what the other did.
    const [, [row], deleted] = await this.#database.atomic<DatasetRow>([
      { sql: `UPDATE dataset SET name = name WHERE ${THIS_ONE}`, params: key },
      { sql: `${SELECT} WHERE ${THIS_ONE}`, params: key },
      {
        sql: `DELETE FROM dataset WHERE ${THIS_ONE} AND NOT EXISTS (SELECT 1 FROM project WHERE project.account_id = ?
                AND (user_dataset_id = ? OR item_dataset_id = ? OR event_dataset_id = ?)) RETURNING dataset_id`,
        params: [...key, accountId, datasetId, datasetId, datasetId],
      },
      // All writers have committed, because the deletion waited for them. The count is then set to 0, so it is
      // subtracted once.
      {
        sql: `UPDATE account SET storage_bytes = storage_bytes - COALESCE(
                (SELECT stored_bytes FROM dataset_count WHERE dataset_id = ?), 0)
              WHERE account_id = ? AND NOT EXISTS (SELECT 1 FROM dataset WHERE dataset_id = ?)`,
        params: [datasetId, accountId, datasetId],
      },
      {
        sql: `UPDATE dataset_count SET stored_bytes = 0 WHERE dataset_id = ?
                AND NOT EXISTS (SELECT 1 FROM dataset WHERE dataset.dataset_id = dataset_count.dataset_id)`,
        params: [datasetId],
      },
    ]);
    if (!row) return null;
    return deleted.length === 1 ? toDataset(row) : 'in-use';
  }

  async erasures(datasetIds: readonly string[]): Promise<number> {
    const [{ count }] = await this.#database.all<{ count: number }>(erasuresSql(datasetIds), datasetIds);
    return Number(count);
  }
}

/** The parameters are the ids. */
export function erasuresSql(datasetIds: readonly string[]): string {
  const places = datasetIds.map(() => '?').join(', ');
  return `SELECT COALESCE(SUM(erasures), 0) AS count FROM dataset_count WHERE dataset_id IN (${places})`;
}

function toDataset(row: DatasetRow): Dataset {
  const { account_id, dataset_id, kind, name, num_shards, attribute_schema, created_ts, num_records } = row;
  return {
    account_id,
    dataset_id,
    kind,
    name,
    num_shards,
    attribute_schema: attribute_schema === null ? null : JSON.parse(attribute_schema),
    created_ts,
    num_records: num_records ?? 0,
  };
}
