// Writes the audit log. A change is in the log before its response, so no acknowledged change is missing. Calls that write or delete
// records are many: those of one key on one dataset within an hour are one entry that counts them. Upserts and events of pages are counted
// in memory first and written every few seconds, as a write of its own for each would cost as much as the call: a crash loses
// these few seconds of counts, not of data.
import { createHash } from 'node:crypto';
import { HOUR_MS } from '../../base/durations.ts';
import { type Runtime, systemRuntime, type Timer } from '../../base/runtime.ts';
import { AUDIT_LIMITS, type AuditEntry } from '../../domain/audit-entry.ts';
import { type CallFacts, changedNothing, objectOf, recordsOf, summaryOf } from '../../domain/describe-call.ts';
import { type IdSource, newId } from '../../domain/ids.ts';
import type { Logger } from '../../observability/logger.ts';
import type { AuditStore } from '../../store/audit-store.ts';
import { asService } from '../../store/on-behalf-of.ts';
import type { AuditMode, Caller, Route } from '../route.ts';

const FLUSH_MS = 5_000;
const AGE_SWEEP_MS = 6 * HOUR_MS;
/** When this many counts wait in memory they are written at once. An entry has about 500 bytes. */
const MAX_COUNTED = 2_000;
/** After this many new entries an account's log is cut to its limit. */
const PRUNE_EVERY = 500;

/**
 * Decides how a call is logged. Calls that change nothing are not in the log: reads, and calls that only compute (quiet in the
 * service's log too).
 */
export function auditModeOf({ audit, method, scope, bulk, quiet }: Route): AuditMode {
  if (audit !== undefined) return audit;
  if (method === 'GET' || scope === null) return 'none';
  if (bulk) return 'counted';
  return quiet ? 'none' : 'each';
}

export interface AuditedCall extends CallFacts {
  caller: Caller;
  operation: string;
  requestId: string;
}

export class AuditTrail {
  readonly #store: AuditStore;
  readonly #log: Logger;
  readonly #runtime: Runtime;
  #counted = new Map<string, AuditEntry>();
  readonly #sincePrune = new Map<string, number>();
  readonly #timers: Timer[] = [];

  constructor(store: AuditStore, log: Logger, runtime: Runtime = systemRuntime) {
    this.#store = store;
    this.#log = log;
    this.#runtime = runtime;
  }

  start(): void {
    const sweep = () => this.#quietly(this.#store.deleteOlder(AUDIT_LIMITS.ageMs, this.#runtime.nowMs()));
    sweep();
    this.#timers.push(
      this.#runtime.every(FLUSH_MS, () => this.#quietly(this.flush())),
      this.#runtime.every(AGE_SWEEP_MS, sweep),
    );
  }

  /** Writes the counts that are still in memory. Call it before the store closes. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    await this.flush().catch((error) => this.#log.warn({ err: error }, 'could not write the last audit entries'));
  }

  /** Resolves when the entry is on disk, or counted. */
  async record(mode: AuditMode, call: AuditedCall): Promise<void> {
    if (mode === 'none' || isDryRun(call.body) || changedNothing(call.response)) return;
    const made = entryOf(call, this.#runtime);
    const entry = mode === 'each' ? made : hourOf(made);
    if (mode === 'counted') return this.#count(entry);
    await this.#store.append([entry]);
    this.#prune(entry.account_id);
  }

  async flush(): Promise<void> {
    const entries = [...this.#counted.values()];
    if (entries.length === 0) return;
    this.#counted = new Map();
    try {
      await this.#store.append(entries);
    } catch (error) {
      for (const entry of entries) this.#keep(entry);
      throw error;
    }
    for (const { account_id } of entries) this.#prune(account_id);
  }

  #count(entry: AuditEntry): void {
    if (this.#keep(entry) && this.#counted.size === MAX_COUNTED) this.#quietly(asService(() => this.flush()));
  }

  /** Adds the entry to the counts. Returns whether it is a new one. */
  #keep(entry: AuditEntry): boolean {
    const known = this.#counted.get(entry.entry_id);
    if (known !== undefined) {
      known.calls += entry.calls;
      known.records += entry.records;
      known.last_ts = Math.max(known.last_ts, entry.last_ts);
      known.request_id = entry.request_id;
      return false;
    }
    // While the store is not available, new entries are dropped to bound the memory they take.
    if (this.#counted.size >= 2 * MAX_COUNTED) return false;
    this.#counted.set(entry.entry_id, entry);
    return true;
  }

  #prune(accountId: string): void {
    const appended = (this.#sincePrune.get(accountId) ?? 0) + 1;
    this.#sincePrune.set(accountId, appended % PRUNE_EVERY);
    if (appended === PRUNE_EVERY) this.#quietly(this.#store.keepNewest(accountId, AUDIT_LIMITS.entries));
  }

  #quietly(work: Promise<void>): void {
    work.catch((error) => this.#log.warn({ err: error }, 'could not write or prune the audit log'));
  }
}

const isDryRun = (body: unknown): boolean => (body as { dry_run?: unknown } | undefined)?.dry_run === true;

function entryOf({ caller, operation, requestId, ...facts }: AuditedCall, source: IdSource): AuditEntry {
  const now = source.nowMs();
  return {
    entry_id: newId('audit', source, now),
    account_id: caller.accountId,
    created_ts: now,
    last_ts: now,
    actor_kind: caller.person === undefined ? 'key' : 'person',
    actor_id: caller.keyId,
    actor_name: caller.person?.name ?? null,
    operation,
    object_id: objectOf(facts),
    summary: summaryOf(facts.body, facts.response),
    calls: 1,
    records: recordsOf(facts.response),
    request_id: requestId,
  };
}

/**
 * Gives the entry an id that is equal for the same key, operation and object within an hour, so that the store adds
 * them up.
 */
function hourOf(entry: AuditEntry): AuditEntry {
  const { account_id, actor_id, operation, object_id, created_ts } = entry;
  const what = [account_id, actor_id, operation, object_id, Math.floor(created_ts / HOUR_MS)];
  const entry_id = `aud_${createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 26)}`;
  return { ...entry, entry_id, summary: '' };
}
