// The interface of the store, which `openStore` opens on SQLite or PostgreSQL.

import type { AuditStore } from './audit-store.ts';
import type { AutomationStore } from './automation-store.ts';
import type { Database } from './database.ts';
import type { DeploymentStore } from './deployment-store.ts';
import type { EventStore } from './event-store.ts';
import type { ExperimentStore } from './experiment-store.ts';
import type { HealthStore } from './health-store.ts';
import type { JobQueue } from './job-queue.ts';
import type { JobStore } from './job-store.ts';
import type { MergedDatasets, MergeResult, UsersToMerge } from './merge-users.ts';
import type { ModelStore } from './model-store.ts';
import type { NodeStore } from './node-store.ts';
import type { OutcomeStore } from './outcome-store.ts';
import type { PlacementStore } from './placement-store.ts';
import type { RecordStore } from './record-store.ts';
import type { AccountStore, AlgorithmStore, DatasetStore, ProjectStore } from './registry-store.ts';
import type { SessionStore } from './session-store.ts';
import type { StreamStore } from './stream-store.ts';
import type { WebhookStore } from './webhook-store.ts';

export interface Store {
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly datasets: DatasetStore;
  readonly projects: ProjectStore;
  readonly algorithms: AlgorithmStore;
  /** jobs as the API accesses them */
  readonly jobs: JobStore;
  /** jobs as workers claim and end them */
  readonly queue: JobQueue;
  readonly models: ModelStore;
  readonly deployments: DeploymentStore;
  readonly placements: PlacementStore;
  readonly nodes: NodeStore;
  readonly audit: AuditStore;
  /** sessions of people in the console */
  readonly sessions: SessionStore;
  readonly webhooks: WebhookStore;
  readonly automation: AutomationStore;
  readonly experiments: ExperimentStore;
  readonly health: HealthStore;
  readonly users: RecordStore;
  readonly items: RecordStore;
  readonly events: EventStore;
  readonly outcomes: OutcomeStore;
  /** up to which message streams have been read; stored with the records of those messages */
  readonly streams: StreamStore;
  /**
   * Merges two users into one, see merge-users.ts; null if their records are too large together, in which case nothing was
   * changed.
   */
  mergeUsers(datasets: MergedDatasets, ids: UsersToMerge): Promise<MergeResult | null>;
  /** The version of the newest migration of the tables. */
  schemaVersion(): Promise<number>;
  /** Throws when the database cannot be reached. */
  ping(): Promise<void>;
  /** Runs work under a name, one at a time across all nodes. */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Lengths of internal queues, for metrics and back-pressure. */
  load(): { queuedRecords: number; queuedBatches: number };
  /** Resolves when the database is no longer the one that this store was opened on. Then open another store. */
  readonly replaced: Promise<void>;
  close(): Promise<void>;
}
