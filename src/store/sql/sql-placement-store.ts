// Placements over the Database seam. The row of a placement holds its current version, a table next to it all versions.
import {
  MAX_PLACEMENT_VERSIONS,
  MAX_PLACEMENTS,
  type Placement,
  type PlacementChange,
  type PlacementVersion,
} from '../../domain/placement.ts';
import { ConstraintViolation, type Database, type Row, type SqlValue, type Statement } from '../database.ts';
import type { Page, PageRequest } from '../page.ts';
import { numberedPageStart, pageOf } from '../page.ts';
import type { PlacementName, PlacementStore } from '../placement-store.ts';
import { listRows } from './list-rows.ts';
import { RAISE_EPOCH } from './serving-epoch.ts';
import { refuseLargeObject, storedObject } from './stored-json.ts';

const THIS_ONE = 'account_id = ? AND project_id = ? AND name = ?';
export class SqlPlacementStore implements PlacementStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(placement: Placement): Promise<number | 'missing-project' | 'name-taken' | 'too-many'> {
    const { account_id, project_id, name, created_ts, current } = placement;
    refuseLargeObject('placement', current.definition);
    try {
      // Locking the project's row keeps it from being deleted, and others from adding placements at the same time.
      const [[project], inserted, , [epoch]] = await this.#database.atomic([
        {
          sql: `UPDATE project SET name = name WHERE account_id = ? AND project_id = ? RETURNING project_id`,
          params: [account_id, project_id],
        },
        {
          sql: `INSERT INTO placement
                  (project_id, name, account_id, created_ts, version, definition, change, changed_ts, changed_by)
                SELECT project_id, ?, account_id, CAST(? AS BIGINT), CAST(? AS BIGINT), ?, ?, CAST(? AS BIGINT), ?
                FROM project WHERE account_id = ? AND project_id = ?
                  AND (SELECT COUNT(*) FROM placement WHERE placement.project_id = project.project_id) < ?
                RETURNING name`,
          params: [name, created_ts, ...columnsOf(current), account_id, project_id, MAX_PLACEMENTS],
        },
        keepVersion({ accountId: account_id, projectId: project_id, name }),
        RAISE_EPOCH,
      ]);
      if (!project) return 'missing-project';
      return inserted.length === 1 ? Number(epoch.epoch) : 'too-many';
    } catch (error) {
      if (error instanceof ConstraintViolation) return 'name-taken';
      throw error;
    }
  }

  async change(placement: PlacementName, version: PlacementVersion): Promise<number | null> {
    refuseLargeObject('placement', version.definition);
    const [changed, , , [epoch]] = await this.#database.atomic([...changePlacement(placement, version), RAISE_EPOCH]);
    return changed.length === 1 ? Number(epoch.epoch) : null;
  }

  async get({ accountId, projectId, name }: PlacementName): Promise<Placement | null> {
    const [row] = await this.#database.all(`SELECT * FROM placement WHERE ${THIS_ONE}`, [accountId, projectId, name]);
    return row ? toPlacement(row) : null;
  }

  async list(accountId: string, projectId: string, page: PageRequest): Promise<Page<Placement>> {
    const listing = {
      table: 'placement',
      select: 'SELECT * FROM placement',
      idColumn: 'name',
      read: toPlacement,
      where: 'account_id = ? AND project_id = ?',
      params: [accountId, projectId],
      jsonColumns: ['definition'],
    };
    return listRows(this.#database, listing, page);
  }

  async versions({ accountId, projectId, name }: PlacementName, page: PageRequest): Promise<Page<PlacementVersion>> {
    const { no } = numberedPageStart(page);
    const rows = await this.#database.all(
      `SELECT * FROM placement_version WHERE ${THIS_ONE} AND version < ? ORDER BY version DESC LIMIT ?`,
      [accountId, projectId, name, page.page_token === null ? Number.MAX_SAFE_INTEGER : no, page.page_size + 1],
    );
    return pageOf(rows.map(toVersion), page, ({ changed_ts, version }) => ({ ts: changed_ts, id: String(version) }));
  }

  async version({ accountId, projectId, name }: PlacementName, version: number): Promise<PlacementVersion | null> {
    const [row] = await this.#database.all(`SELECT * FROM placement_version WHERE ${THIS_ONE} AND version = ?`, [
      accountId,
      projectId,
      name,
      version,
    ]);
    return row ? toVersion(row) : null;
  }

  async delete(placement: PlacementName): ReturnType<PlacementStore['delete']> {
    const last = await this.get(placement);
    if (last === null) return null;
    const params = [placement.accountId, placement.projectId, placement.name];
    const running = `SELECT experiment_id FROM experiment
      WHERE account_id = ? AND project_id = ? AND placement = ? AND status = 'RUNNING'`;
    const [, [experiment], deleted, , [epoch]] = await this.#database.atomic([
      // Locks the placement, so that no experiment begins on it meanwhile.
      { sql: `UPDATE placement SET name = name WHERE ${THIS_ONE}`, params },
      { sql: running, params },
      {
        sql: `DELETE FROM placement WHERE ${THIS_ONE} AND NOT EXISTS (${running}) RETURNING name`,
        params: [...params, ...params],
      },
      {
        sql: `DELETE FROM placement_version WHERE ${THIS_ONE} AND NOT EXISTS (SELECT 1 FROM placement WHERE ${THIS_ONE})`,
        params: [...params, ...params],
      },
      RAISE_EPOCH,
    ]);
    if (experiment !== undefined) return { runningExperimentId: String(experiment.experiment_id) };
    return deleted.length === 1 ? { placement: last, epoch: Number(epoch.epoch) } : null;
  }
}

function columnsOf({ version, definition, change, changed_ts, changed_by }: PlacementVersion): SqlValue[] {
  return [version, JSON.stringify(definition), change, changed_ts, JSON.stringify(changed_by)];
}

/**
 * The statements of a change. The first one returns a row if the previous version was still current and the condition was met.
 */
export function changePlacement(
  placement: PlacementName,
  version: PlacementVersion,
  condition: Statement = { sql: 'TRUE' },
): Statement[] {
  const { accountId, projectId, name } = placement;
  return [
    {
      sql: `UPDATE placement SET version = ?, definition = ?, change = ?, changed_ts = ?, changed_by = ?
            WHERE ${THIS_ONE} AND version = ? AND ${condition.sql} RETURNING version`,
      params: [...columnsOf(version), accountId, projectId, name, version.version - 1, ...(condition.params ?? [])],
    },
    keepVersion(placement),
    {
      sql: `DELETE FROM placement_version WHERE ${THIS_ONE} AND version <= ?`,
      params: [accountId, projectId, name, version.version - MAX_PLACEMENT_VERSIONS],
    },
  ];
}

/** Stores the active version among the old ones, unless it is stored already. */
function keepVersion({ accountId, projectId, name }: PlacementName): Statement {
  const columns = 'project_id, name, account_id, version, definition, change, changed_ts, changed_by';
  return {
    sql: `INSERT INTO placement_version (${columns}) SELECT ${columns} FROM placement WHERE ${THIS_ONE}
          ON CONFLICT (project_id, name, version) DO NOTHING`,
    params: [accountId, projectId, name],
  };
}

function toVersion(row: Row): PlacementVersion {
  return {
    version: Number(row.version),
    definition: storedObject(row.definition),
    change: row.change as PlacementChange,
    changed_ts: Number(row.changed_ts),
    changed_by: storedObject(row.changed_by),
  };
}

function toPlacement(row: Row): Placement {
  return {
    account_id: String(row.account_id),
    project_id: String(row.project_id),
    name: String(row.name),
    created_ts: Number(row.created_ts),
    current: toVersion(row),
  };
}
