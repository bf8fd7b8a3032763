// Sessions of the console. A session that was ended has no row.
import type { ConsoleSession } from '../domain/person.ts';

/** Selects one session, or all sessions of a person. */
export type SessionsToEnd = { session_id: string } | { person_id: string };

export interface SessionStore {
  /** Ends what has expired, and the least recently used ones beyond the limits of the person and of the account. */
  open(session: ConsoleSession): Promise<void>;
  find(idHash: string): Promise<ConsoleSession | null>;
  /** Records activity, which delays the end by idleness. */
  saw(sessionId: string, seenTs: number): Promise<void>;
  /** Active sessions, newest first. */
  list(accountId: string): Promise<ConsoleSession[]>;
  /** Ends sessions and returns those it ended. */
  end(accountId: string, which: SessionsToEnd): Promise<ConsoleSession[]>;
}
