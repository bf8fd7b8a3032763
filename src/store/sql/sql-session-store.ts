// Sessions of the console over the Database seam.
import { type ConsoleSession, hasEnded, type Role, SESSION_LIMITS } from '../../domain/person.ts';
import type { Database, Row, Statement } from '../database.ts';
import type { SessionStore, SessionsToEnd } from '../session-store.ts';

const COLUMNS = [
  'session_id',
  'id_hash',
  'account_id',
  'person_id',
  'person_name',
  'role',
  'rules_hash',
  'user_agent',
  'created_ts',
  'seen_ts',
  'expires_ts',
] as const satisfies (keyof ConsoleSession)[];

export class SqlSessionStore implements SessionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async open(session: ConsoleSession): Promise<void> {
    const { account_id, person_id, created_ts } = session;
    await this.#database.atomic([
      {
        sql: 'DELETE FROM console_session WHERE expires_ts <= ? OR seen_ts <= ?',
        params: [created_ts, created_ts - SESSION_LIMITS.idleMs],
      },
      {
        sql: `INSERT INTO console_session (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`,
        params: COLUMNS.map((column) => session[column]),
      },
      keepNewest('account_id = ? AND person_id = ?', [account_id, person_id], SESSION_LIMITS.perPerson),
      keepNewest('account_id = ?', [account_id], SESSION_LIMITS.perAccount),
    ]);
  }

  async find(idHash: string): Promise<ConsoleSession | null> {
    const [row] = await this.#database.all('SELECT * FROM console_session WHERE id_hash = ?', [idHash]);
    return row ? toSession(row) : null;
  }

  async saw(sessionId: string, seenTs: number): Promise<void> {
    const sql = 'UPDATE console_session SET seen_ts = ? WHERE session_id = ? AND seen_ts < ?';
    await this.#database.atomic([{ sql, params: [seenTs, sessionId, seenTs] }]);
  }

  async list(accountId: string): Promise<ConsoleSession[]> {
    const sql = 'SELECT * FROM console_session WHERE account_id = ? ORDER BY created_ts DESC, session_id DESC';
    const rows = await this.#database.all(sql, [accountId]);
    const nowMs = this.#database.runtime.nowMs();
    return rows.map(toSession).filter((session) => !hasEnded(session, nowMs));
  }

  async end(accountId: string, which: SessionsToEnd): Promise<ConsoleSession[]> {
    const [column, id] = 'session_id' in which ? ['session_id', which.session_id] : ['person_id', which.person_id];
    const [rows] = await this.#database.atomic([
      {
        sql: `DELETE FROM console_session WHERE account_id = ? AND ${column} = ? RETURNING *`,
        params: [accountId, id],
      },
    ]);
    return rows.map(toSession);
  }
}

function keepNewest(where: string, params: string[], count: number): Statement {
  return {
    sql: `DELETE FROM console_session WHERE ${where} AND session_id NOT IN (
            SELECT session_id FROM console_session WHERE ${where} ORDER BY seen_ts DESC, session_id DESC LIMIT ?)`,
    params: [...params, ...params, count],
  };
}

function toSession(row: Row): ConsoleSession {
  return {
    session_id: String(row.session_id),
    id_hash: String(row.id_hash),
    account_id: String(row.account_id),
    person_id: String(row.person_id),
    person_name: String(row.person_name),
    role: row.role as Role,
    rules_hash: String(row.rules_hash),
    user_agent: String(row.user_agent),
    created_ts: Number(row.created_ts),
    seen_ts: Number(row.seen_ts),
    expires_ts: Number(row.expires_ts),
  };
}
