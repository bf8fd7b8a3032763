// The audit log: appended to, read, and pruned; never changed, but for the counts of an hour's calls that are one entry.
import type { AuditEntry, AuditFilter } from '../domain/audit-entry.ts';
import type { Page, PageRequest } from './page.ts';

export interface AuditStore {
  /** Durable when it resolves. Calls and records of an entry that is there already are added to it. */
  append(entries: readonly AuditEntry[]): Promise<void>;
  /** Newest first, with the names that keys have now. */
  list(accountId: string, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
  /** Deletes what the account has beyond its newest entries. */
  keepNewest(accountId: string, entries: number): Promise<void>;
  deleteBefore(ts: number): Promise<void>;
}
