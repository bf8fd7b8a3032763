// Detects that the database is no longer the one this process has read. A standby that takes over may lack the last
// commits, and a database may be restored to an earlier moment. Then numbers that the process remembers are assigned
// again, and changes that it follows are counted again, so the process must start again. PostgreSQL begins a new
// timeline in both cases, and a copy is another database.
import type pg from 'pg';
import { AppError } from '../../errors.ts';
import { isLost } from './postgres-error.ts';

const HISTORY_SQL = `SELECT CASE WHEN pg_is_in_recovery() THEN NULL
  ELSE concat_ws(' ', system.system_identifier, own.oid, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)) END AS history
  FROM pg_control_system() AS system, pg_database AS own WHERE own.datname = current_database()`;
/** Used as the history if the server does not tell it. */
const UNTOLD = 'untold';

export class DatabaseHistory {
  #first: string | null = null;
  readonly #changed = Promise.withResolvers<void>();
  #isChanged = false;

  /** Resolves when the history has changed. From then on every new connection is refused. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Called for every new connection before it is used. */
  async check(client: pg.ClientBase): Promise<void> {
    const history = await readHistory(client);
    // A standby is refused: a connection made now would stay open, unchecked, after the standby takes over.
    if (history === null) throw unavailable('The database is a standby at the moment. Try again.');
    this.#first ??= history;
    if (history !== this.#first) {
      this.#isChanged = true;
      this.#changed.resolve();
    }
    if (this.#isChanged) throw unavailable('The database was replaced. Kindred starts again. Try again in a moment.');
  }
}

const unavailable = (detail: string): AppError => new AppError('STORE_UNAVAILABLE', detail, { retryAfterSec: 1 });

/** Returns null on a standby that has not taken over: it has no timeline of its own. */
async function readHistory(client: pg.ClientBase): Promise<string | null> {
  try {
    return (await client.query<{ history: string | null }>(HISTORY_SQL)).rows[0].history;
  } catch (error) {
    if (isLost(error)) throw error;
    return UNTOLD;
  }
}
