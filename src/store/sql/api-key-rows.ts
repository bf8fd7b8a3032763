// API keys as rows: how one is inserted within its account's limits, and read back.
import type { ApiKey, KeyKind, KeyLimits } from '../../domain/account.ts';
import type { Row, Statement } from '../database.ts';

const NO_LIMITS: KeyLimits = { usable: Number.MAX_SAFE_INTEGER, total: Number.MAX_SAFE_INTEGER };

/** SQL condition that a key is neither disabled nor expired. Its one parameter is the current time. */
export const isUsable = (table: string): string =>
  `${table}.disabled = 0 AND (${table}.expires_ts IS NULL OR ${table}.expires_ts > ?)`;

export function countUsable(accountId: string, nowMs: number): Statement {
  return {
    sql: `SELECT COUNT(*) AS usable FROM api_key WHERE account_id = ? AND ${isUsable('api_key')}`,
    params: [accountId, nowMs],
  };
}

/** Inserts nothing if the account does not exist (because its name was taken) or has the maximum number of keys. */
export function insertKey(key: ApiKey, nowMs: number, limits: KeyLimits = NO_LIMITS): Statement {
  return {
    sql: `INSERT INTO api_key (key_id, account_id, name, kind, key_hash, secret_hash, hint, scopes, origins, project_id,
            expires_ts, disabled, created_ts, secret_version, rotated_ts, previous_secret_hash, previous_until_ts)
          SELECT ?, account_id, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT),
            CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BIGINT)
          FROM account WHERE account_id = ?
            AND (SELECT COUNT(*) FROM api_key WHERE account_id = ?) < CAST(? AS BIGINT)
            AND (SELECT COUNT(*) FROM api_key WHERE account_id = ? AND ${isUsable('api_key')}) < CAST(? AS BIGINT)
          RETURNING key_id`,
    params: [
      key.key_id,
      key.name,
      key.kind,
      key.key_hash,
      key.secret_hash,
      key.hint,
      key.scopes.join(' '),
      key.origins.join(' '),
      key.project_id,
      key.expires_ts,
      Number(key.disabled),
      key.created_ts,
      key.secret_version,
      key.rotated_ts,
      key.previous_secret_hash,
      key.previous_until_ts,
      key.account_id,
      key.account_id,
      limits.total,
      key.account_id,
      nowMs,
      limits.usable,
    ],
  };
}

export function toKey(row: Row): ApiKey {
  return {
    key_id: String(row.key_id),
    account_id: String(row.account_id),
    name: String(row.name),
    kind: row.kind as KeyKind,
    key_hash: String(row.key_hash),
    secret_hash: String(row.secret_hash),
    hint: String(row.hint),
    scopes: words(row.scopes),
    origins: words(row.origins),
    project_id: row.project_id === null ? null : String(row.project_id),
    expires_ts: timeOf(row.expires_ts),
    disabled: Number(row.disabled) === 1,
    created_ts: Number(row.created_ts),
    secret_version: Number(row.secret_version),
    rotated_ts: timeOf(row.rotated_ts),
    previous_secret_hash: row.previous_secret_hash === null ? null : String(row.previous_secret_hash),
    previous_until_ts: timeOf(row.previous_until_ts),
  };
}

const words = (text: unknown): string[] => String(text).split(' ').filter(Boolean);
const timeOf = (value: unknown): number | null => (value === null ? null : Number(value));
