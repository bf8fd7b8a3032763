// The audit log over the Database seam.
import { DAY_MS } from '../../base/durations.ts';
import type { ActorKind, AuditEntry, AuditFilter } from '../../domain/audit-entry.ts';
import type { AuditStore } from '../audit-store.ts';
import type { Database, Row, SqlValue } from '../database.ts';
import { type Page, type PageRequest, pageOf, pageStart } from '../page.ts';

/** From the oldest entry on. */
const LONGEST_DELETION_MS = 7 * DAY_MS;

export class SqlAuditStore implements AuditStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async append(entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.#database.atomic(
      entries.map((entry) => ({
        sql: `INSERT INTO audit_entry (entry_id, account_id, created_ts, last_ts, actor_kind, actor_id, actor_name, operation,
                object_id, summary, calls, records, request_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
              ON CONFLICT (entry_id) DO UPDATE SET calls = audit_entry.calls + excluded.calls,
                records = audit_entry.records + excluded.records, request_id = excluded.request_id,
                last_ts = CASE WHEN excluded.last_ts > audit_entry.last_ts THEN excluded.last_ts ELSE audit_entry.last_ts END`,
        params: [
          entry.entry_id,
          entry.account_id,
          entry.created_ts,
          entry.last_ts,
          entry.actor_kind,
          entry.actor_id,
          entry.actor_name,
          entry.operation,
          entry.object_id,
          entry.summary,
          entry.calls,
          entry.records,
          entry.request_id,
        ],
      })),
    );
  }

  async list(accountId: string, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>> {
    const start = pageStart(page);
    const conditions: [string, SqlValue | undefined][] = [
      ['created_ts >= ?', filter.from_ts],
      ['created_ts < ?', filter.to_ts],
      ['operation = ?', filter.operation],
      ['actor_id = ?', filter.actor_id],
    ];
    const asked = conditions.filter((condition): condition is [string, SqlValue] => condition[1] !== undefined);
    const rows = await this.#database.all(
      `SELECT audit_entry.*, (SELECT name FROM api_key WHERE key_id = actor_id) AS key_name FROM audit_entry
       WHERE account_id = ? ${asked.map(([sql]) => `AND ${sql}`).join(' ')}
         AND (created_ts < ? OR (created_ts = ? AND entry_id < ?))
       ORDER BY created_ts DESC, entry_id DESC LIMIT ?`,
      [accountId, ...asked.map(([, value]) => value), start.ts, start.ts, start.id, page.page_size + 1],
    );
    return pageOf(rows.map(toEntry), page, (entry) => ({ ts: entry.created_ts, id: entry.entry_id }));
  }

  async keepNewest(accountId: string, entries: number): Promise<void> {
    const [first] = await this.#database.all<{ created_ts: number; entry_id: string }>(
      `SELECT created_ts, entry_id FROM audit_entry WHERE account_id = ?
       ORDER BY created_ts DESC, entry_id DESC LIMIT 1 OFFSET ?`,
      [accountId, entries],
    );
    if (first === undefined) return;
    const { created_ts, entry_id } = first;
    await this.#database.atomic([
      {
        sql: `DELETE FROM audit_entry WHERE account_id = ? AND (created_ts < ? OR (created_ts = ? AND entry_id <= ?))`,
        params: [accountId, created_ts, created_ts, entry_id],
      },
    ]);
  }

  async deleteOlder(ageMs: number, nowMs: number): Promise<void> {
    await this.#database.atomic([
      {
        // The newest entry may be of a wrong clock too: so there is a limit to what one deletion takes.
        sql: `DELETE FROM audit_entry WHERE created_ts < ?
                AND created_ts < (SELECT MAX(created_ts) FROM audit_entry) - CAST(? AS BIGINT)
                AND created_ts < (SELECT MIN(created_ts) FROM audit_entry) + CAST(? AS BIGINT)`,
        params: [nowMs - ageMs, ageMs, LONGEST_DELETION_MS],
      },
    ]);
  }
}

function toEntry(row: Row): AuditEntry {
  const textOrNull = (value: SqlValue): string | null => (value === null ? null : String(value));
  return {
    entry_id: String(row.entry_id),
    account_id: String(row.account_id),
    created_ts: Number(row.created_ts),
    last_ts: Number(row.last_ts),
    actor_kind: row.actor_kind as ActorKind,
    actor_id: String(row.actor_id),
    actor_name: textOrNull(row.key_name ?? row.actor_name),
    operation: String(row.operation),
    object_id: textOrNull(row.object_id),
    summary: String(row.summary),
    calls: Number(row.calls),
    records: Number(row.records),
    request_id: textOrNull(row.request_id),
  };
}
