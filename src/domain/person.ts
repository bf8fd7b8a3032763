// People who sign in to the console with OpenID Connect: their role, and their session.
import { MINUTE_MS } from '../base/durations.ts';

/** In ascending order: each role may do what the previous ones may. */
export const ROLES = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A signed-in person, as handlers and the audit log see them. */
export interface Person {
  /** Equal for the same person at the same provider. */
  readonly id: string;
  /** The name shown to others: the email address, else the name from the provider. */
  readonly name: string;
  readonly role: Role;
}

export interface ConsoleSession {
  session_id: string;
  /** SHA-256 of the cookie's value, which is stored nowhere. */
  id_hash: string;
  account_id: string;
  person_id: string;
  person_name: string;
  role: Role;
  /** Hash of the settings that gave the role: the session ends if they change. */
  rules_hash: string;
  /** The browser, as it describes itself. */
  user_agent: string;
  created_ts: number;
  /** Time of the last use, to the minute. */
  seen_ts: number;
  /** The session ends then, however much it is used. */
  expires_ts: number;
}

export const SESSION_LIMITS = {
  /** A session that is not used for this long has ended. */
  idleMs: 60 * MINUTE_MS,
  /** Minimum time between two writes of the last use. */
  seenEveryMs: MINUTE_MS,
  /** A person's least recently used session ends when they open one more. */
  perPerson: 10,
  perAccount: 1000,
} as const;

export function hasEnded(
  { expires_ts, seen_ts }: Pick<ConsoleSession, 'expires_ts' | 'seen_ts'>,
  nowMs: number,
): boolean {
  return expires_ts <= nowMs || seen_ts + SESSION_LIMITS.idleMs <= nowMs;
}
