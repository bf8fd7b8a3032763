// The audit log: appended to, read, and pruned; never changed, but for the counts of an hour's calls that are one entry.
import type { AuditEntry, AuditFilter } from '../domain/audit-entry.ts';
import type { Page, PageRequest } from './page.ts';

export interface AuditStore {
  /** Durable when it resolves. If an entry exists already, its calls and records are added up. */
  append(entries: readonly AuditEntry[]): Promise<void>;
  /** Lists the newest entries first, with the current names of API keys. */
  list(accountId: string, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
  /** Deletes the oldest entries of the account and keeps this many. */
  keepNewest(accountId: string, entries: number): Promise<void>;
  /**
   * Deletes entries older than `ageMs`, oldest first, at most a week of the log at a time. The clock may be wrong: an entry counts as
   * old only if the newest one is also that much younger.
   */
  deleteOlder(ageMs: number, nowMs: number): Promise<void>;
}
