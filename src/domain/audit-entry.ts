// One line of the audit log: who changed what, when. It holds no secrets and no ids of users: a person who was deleted must not live on
// in the log of the deletion.
import { DAY_MS } from '../base/durations.ts';
import { type IdSource, newId } from './ids.ts';

/**
 * `key`: a call with that API key. `person`: signed in to the console. `operator`: a command on the machine that runs the service.
 * `automation`: the service itself, by the rules of a project.
 */
export const ACTOR_KINDS = ['key', 'person', 'operator', 'automation'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

export interface AuditEntry {
  entry_id: string;
  account_id: string;
  /** Of the change; of many calls that count as one entry, the first. */
  created_ts: number;
  /** Of the last of these calls. */
  last_ts: number;
  actor_kind: ActorKind;
  /** The id of the key or person, how the operator came, or `automation`. */
  actor_id: string;
  /** Of a person, as it was then. A key's name is the one it has now. */
  actor_name: string | null;
  /** Path of the call, or the command. */
  operation: string;
  /** What was changed. */
  object_id: string | null;
  summary: string;
  /** More than one for calls that change records: an hour of them is one entry. */
  calls: number;
  /** Records written or deleted by these calls. */
  records: number;
  /** Of the last call, as in the log of the service. */
  request_id: string | null;
}

export interface AuditFilter {
  from_ts?: number;
  /** exclusive */
  to_ts?: number;
  operation?: string;
  actor_id?: string;
}

/** What is kept of an account's log. */
export const AUDIT_LIMITS = { entries: 50_000, ageMs: 400 * DAY_MS };
export const MAX_SUMMARY_LENGTH = 500;

export type OwnChange = Pick<
  AuditEntry,
  'account_id' | 'actor_kind' | 'actor_id' | 'operation' | 'object_id' | 'summary'
>;

/** The entry of a change that no call made. */
export function ownEntry(change: OwnChange, source: IdSource, nowMs: number = source.nowMs()): AuditEntry {
  return {
    entry_id: newId('audit', source, nowMs),
    created_ts: nowMs,
    last_ts: nowMs,
    actor_name: null,
    calls: 1,
    records: 0,
    request_id: null,
    ...change,
  };
}
