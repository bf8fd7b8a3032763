// Accounts and API keys over the Database seam.
import type { Account, ApiKey, KeyLimits, Plan, Usage } from '../../domain/account.ts';
import { EVERY_SCOPE } from '../../domain/scopes.ts';
import type { Database, SqlValue } from '../database.ts';
import { type Page, type PageRequest, pageOf, pageStart } from '../page.ts';
import type { AccountStore, KeyRotation, Revocations } from '../registry-store.ts';
import { countUsable, insertKey, isUsable, toKey } from './api-key-rows.ts';
import { RAISE_EPOCH } from './serving-epoch.ts';

interface AccountRow extends Plan {
  account_id: string;
  name: string;
  training_hours: number;
  disabled: number;
  created_ts: number;
  default_project_id: string | null;
}

export class SqlAccountStore implements AccountStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(account: Account, key: ApiKey): Promise<'created' | 'name-taken'> {
    const [inserted] = await this.#database.atomic<AccountRow>([
      {
        sql: `INSERT INTO account (account_id, name, max_event_shards, max_training_hours, max_qps, max_storage_bytes, training_hours,
                disabled, created_ts)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING RETURNING account_id`,
        params: [
          account.account_id,
          account.name,
          account.plan.max_event_shards,
          account.plan.max_training_hours,
          account.plan.max_qps,
          account.plan.max_storage_bytes,
          account.training_hours,
          account.disabled ? 1 : 0,
          account.created_ts,
        ],
      },
      insertKey(key, this.#database.runtime.nowMs()),
    ]);
    return inserted.length === 1 ? 'created' : 'name-taken';
  }

  async get(accountId: string): Promise<Account | null> {
    const [row] = await this.#database.all<AccountRow>('SELECT * FROM account WHERE account_id = ?', [accountId]);
    return row ? toAccount(row) : null;
  }

  async findByName(name: string): Promise<Account | null> {
    const [row] = await this.#database.all<AccountRow>('SELECT * FROM account WHERE name = ?', [name]);
    return row ? toAccount(row) : null;
  }

  async list(page: PageRequest): Promise<Page<Account>> {
    const start = pageStart(page);
    const rows = await this.#database.all<AccountRow>(
      `SELECT * FROM account WHERE created_ts < ? OR (created_ts = ? AND account_id < ?)
       ORDER BY created_ts DESC, account_id DESC LIMIT ?`,
      [start.ts, start.ts, start.id, page.page_size + 1],
    );
    return pageOf(rows.map(toAccount), page, (account) => ({ ts: account.created_ts, id: account.account_id }));
  }

  async update(
    accountId: string,
    change: { name?: string; plan?: Partial<Plan>; disabled?: boolean },
  ): Promise<Account | null> {
    const columns: Record<string, SqlValue | undefined> = {
      name: change.name,
      max_event_shards: change.plan?.max_event_shards,
      max_training_hours: change.plan?.max_training_hours,
      max_qps: change.plan?.max_qps,
      max_storage_bytes: change.plan?.max_storage_bytes,
      disabled: change.disabled === undefined ? undefined : Number(change.disabled),
    };
    const changed = Object.entries(columns).filter((entry): entry is [string, SqlValue] => entry[1] !== undefined);
    if (changed.length === 0) return this.get(accountId);
    const [[row]] = await this.#database.atomic<AccountRow>([
      {
        sql: `UPDATE account SET ${changed.map(([column]) => `${column} = ?`).join(', ')} WHERE account_id = ? RETURNING *`,
        params: [...changed.map(([, value]) => value), accountId],
      },
    ]);
    return row ? toAccount(row) : null;
  }

  async chooseDefaultProject(accountId: string, projectId: string): Promise<number | null> {
    const [found, , [{ epoch }]] = await this.#database.atomic([
      // Locks the project: it exists, and cannot be deleted before it is the default.
      {
        sql: 'UPDATE project SET name = name WHERE account_id = ? AND project_id = ? RETURNING project_id',
        params: [accountId, projectId],
      },
      {
        sql: `UPDATE account SET default_project_id = ? WHERE account_id = ?
                AND EXISTS (SELECT 1 FROM project WHERE project.account_id = ? AND project.project_id = ?)`,
        params: [projectId, accountId, accountId, projectId],
      },
      RAISE_EPOCH,
    ]);
    return found.length === 1 ? Number(epoch) : null;
  }

  async usage(accountId: string): Promise<Usage> {
    const [row] = await this.#database.all<Usage>(
      `SELECT training_hours, storage_bytes, CAST(COALESCE((SELECT SUM(num_shards) FROM dataset
         WHERE dataset.account_id = account.account_id AND kind = 'event'), 0) AS BIGINT) AS event_shards
       FROM account WHERE account_id = ?`,
      [accountId],
    );
    return {
      event_shards: Number(row?.event_shards ?? 0),
      training_hours: Number(row?.training_hours ?? 0),
      storage_bytes: Number(row?.storage_bytes ?? 0),
    };
  }

  async addKey(key: ApiKey, limits?: KeyLimits): Promise<'added' | keyof KeyLimits> {
    const nowMs = this.#database.runtime.nowMs();
    const [, [kept], inserted] = await this.#database.atomic<{ usable: number }>([
      lockAccount(key.account_id),
      countUsable(key.account_id, nowMs),
      insertKey(key, nowMs, limits),
    ]);
    if (inserted.length === 1) return 'added';
    return limits && kept.usable >= limits.usable ? 'usable' : 'total';
  }

  async findKey(keyHash: string): Promise<(ApiKey & { account_disabled: boolean }) | null> {
    const [row] = await this.#database.all(
      `SELECT api_key.*, account.disabled AS account_disabled
       FROM api_key JOIN account ON account.account_id = api_key.account_id WHERE key_hash = ?`,
      [keyHash],
    );
    return row ? { ...toKey(row), account_disabled: row.account_disabled === 1 } : null;
  }

  async getKey(accountId: string, keyId: string): Promise<ApiKey | null> {
    const sql = 'SELECT * FROM api_key WHERE account_id = ? AND key_id = ?';
    const [row] = await this.#database.all(sql, [accountId, keyId]);
    return row ? toKey(row) : null;
  }

  async listKeys(accountId: string): Promise<ApiKey[]> {
    const rows = await this.#database.all(
      'SELECT * FROM api_key WHERE account_id = ? ORDER BY created_ts DESC, key_id DESC',
      [accountId],
    );
    return rows.map(toKey);
  }

  async setKeyDisabled(accountId: string, keyId: string, disabled: boolean): Promise<ApiKey | 'last-key' | null> {
    const nowMs = this.#database.runtime.nowMs();
    const [, rows, [updated]] = await this.#database.atomic([
      lockAccount(accountId),
      { sql: 'SELECT * FROM api_key WHERE account_id = ? AND key_id = ?', params: [accountId, keyId] },
      {
        // Browser keys and expired keys may always be disabled, because the account does not depend on them. A key that covers
        // everything may be disabled only if there is another such key.
        sql: `UPDATE api_key SET disabled = ? WHERE account_id = ? AND key_id = ?
                AND (CAST(? AS BIGINT) = 0 OR kind = 'browser' OR NOT (${isUsable('api_key')})
                  OR EXISTS (SELECT 1 FROM api_key other
                    WHERE other.account_id = ? AND other.key_id <> ? AND other.kind = 'secret'
                    AND (api_key.scopes <> ? OR other.scopes = ?) AND ${isUsable('other')}))
              RETURNING *`,
        params: [
          Number(disabled),
          accountId,
          keyId,
          Number(disabled),
          nowMs,
          accountId,
          keyId,
          EVERY_SCOPE,
          EVERY_SCOPE,
          nowMs,
        ],
      },
    ]);
    if (updated) return toKey(updated);
    return rows.length === 1 ? 'last-key' : null;
  }

  async rotateKey(accountId: string, keyId: string, rotation: KeyRotation): Promise<ApiKey | null> {
    const { secret_hash, rotated_ts, previous_until_ts } = rotation;
    const [[row]] = await this.#database.atomic([
      {
        sql: `UPDATE api_key SET previous_secret_hash = secret_hash, secret_hash = ?, secret_version = secret_version + 1,
                rotated_ts = ?, previous_until_ts = ?
              WHERE account_id = ? AND key_id = ? AND kind = 'secret' AND disabled = 0 RETURNING *`,
        params: [secret_hash, rotated_ts, previous_until_ts, accountId, keyId],
      },
    ]);
    return row ? toKey(row) : null;
  }

  async revocations(rotatedSinceMs: number): Promise<Revocations> {
    const [keys, accounts, rotated] = await Promise.all([
      this.#database.all<{ key_id: string }>('SELECT key_id FROM api_key WHERE disabled = 1'),
      this.#database.all<{ account_id: string }>('SELECT account_id FROM account WHERE disabled = 1'),
      this.#database.all<Revocations['rotated'][number]>(
        'SELECT key_id, secret_version, previous_until_ts FROM api_key WHERE rotated_ts > ? AND disabled = 0',
        [rotatedSinceMs],
      ),
    ]);
    return { keyIds: keys.map((row) => row.key_id), accountIds: accounts.map((row) => row.account_id), rotated };
  }

  async sharedSecret(name: string, makeIfAbsent: () => string): Promise<string> {
    const read = () => this.#database.all<{ value: string }>('SELECT value FROM shared_secret WHERE name = ?', [name]);
    const [known] = await read();
    if (known) return known.value;
    await this.#database.atomic([
      {
        sql: 'INSERT INTO shared_secret (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING',
        params: [name, makeIfAbsent()],
      },
    ]);
    const [stored] = await read();
    return stored.value;
  }
}

/**
 * Comes first in a change of keys, so that two concurrent changes cannot each disable the other's last key or both add
 * the last one allowed.
 */
function lockAccount(accountId: string) {
  return { sql: 'UPDATE account SET name = name WHERE account_id = ?', params: [accountId] };
}

function toAccount(row: AccountRow): Account {
  const { account_id, name, training_hours, disabled, created_ts } = row;
  const { max_event_shards, max_training_hours, max_qps, max_storage_bytes } = row;
  return {
    account_id,
    name,
    plan: { max_event_shards, max_training_hours, max_qps, max_storage_bytes },
    disabled: disabled === 1,
    created_ts,
    training_hours,
    default_project_id: row.default_project_id,
  };
}
