// One entry of the audit log: who changed what and when. It holds no secrets and no ids of users: a deleted person must not
// remain in the log of the deletion.
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
  /** Time of the change; if one entry counts many calls, the time of the first. */
  created_ts: number;
  /** Time of the last of these calls. */
  last_ts: number;
  actor_kind: ActorKind;
  /** The id of the key or person, how the operator came, or `automation`. */
  actor_id: string;
  /** The name that a person had then. For a key, its current name. */
  actor_name: string | null;
  /** Path of the call, or the command. */
  operation: string;
  /** The id of the changed object. */
  object_id: string | null;
  summary: string;
  /** More than 1 for calls that change records: one entry counts an hour of them. */
  calls: number;
  /** Records written or deleted by these calls. */
  records: number;
  /** The request id of the last call, which is also in the service's log. */
  request_id: string | null;
}

export interface AuditFilter {
  from_ts?: number;
  /** entries before this time; it is not included */
  to_ts?: number;
  operation?: string;
  actor_id?: string;
}

/** How many entries of an account's log are kept, and for how long. */
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
