// Sessions of the console. A session that was ended has no row.
import type { ConsoleSession } from '../domain/person.ts';

/** Selects one session, or all sessions of a person. */
export type SessionsToEnd = { session_id: string } | { person_id: string };

export interface SessionStore {
  /** Opens a session. Ends expired ones, and the least recently used ones above the limits of the person and the account. */
  open(session: ConsoleSession): Promise<void>;
  find(idHash: string): Promise<ConsoleSession | null>;
  /** Records activity, which delays the end by idleness. */
  saw(sessionId: string, seenTs: number): Promise<void>;
  /** Active sessions, newest first. */
  list(accountId: string): Promise<ConsoleSession[]>;
  /** Ends sessions and returns those it ended. */
  end(accountId: string, which: SessionsToEnd): Promise<ConsoleSession[]>;
}
