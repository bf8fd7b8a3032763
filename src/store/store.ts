// Everything Kindred keeps, as one object made by `openStore` for SQLite or PostgreSQL.

import type { Database } from './database.ts';
import type { EventStore } from './event-store.ts';
import type { RecordStore } from './record-store.ts';
import type { AccountStore, AlgorithmStore, DatasetStore, ProjectStore } from './registry-store.ts';

export interface Store {
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly datasets: DatasetStore;
  readonly projects: ProjectStore;
  readonly algorithms: AlgorithmStore;
  readonly users: RecordStore;
  readonly items: RecordStore;
  readonly events: EventStore;
  /** Lengths of internal queues, for metrics and back-pressure. */
  load(): { queuedRecords: number; queuedBatches: number };
  close(): Promise<void>;
}
