// The stores that are written once, in SQL both databases read.
import type { Database } from '../database.ts';
import type { Store } from '../store.ts';
import { SqlAccountStore } from './sql-account-store.ts';
import { SqlAlgorithmStore } from './sql-algorithm-store.ts';
import { SqlAuditStore } from './sql-audit-store.ts';
import { SqlAutomationStore } from './sql-automation-store.ts';
import { SqlDatasetStore } from './sql-dataset-store.ts';
import { SqlDeploymentStore } from './sql-deployment-store.ts';
import { SqlExperimentStore } from './sql-experiment-store.ts';
import { SqlHealthStore } from './sql-health-store.ts';
import { SqlJobQueue } from './sql-job-queue.ts';
import { SqlJobStore } from './sql-job-store.ts';
import { SqlModelStore } from './sql-model-store.ts';
import { SqlNodeStore } from './sql-node-store.ts';
import { SqlPlacementStore } from './sql-placement-store.ts';
import { SqlProjectStore } from './sql-project-store.ts';
import { SqlSessionStore } from './sql-session-store.ts';
import { SqlWebhookStore } from './sql-webhook-store.ts';

export type SqlStores = Omit<
  Store,
  | 'database'
  | 'users'
  | 'items'
  | 'events'
  | 'outcomes'
  | 'streams'
  | 'mergeUsers'
  | 'exclusively'
  | 'load'
  | 'replaced'
  | 'close'
>;

export function createSqlStores(database: Database): SqlStores {
  return {
    accounts: new SqlAccountStore(database),
    datasets: new SqlDatasetStore(database),
    projects: new SqlProjectStore(database),
    algorithms: new SqlAlgorithmStore(database),
    jobs: new SqlJobStore(database),
    queue: new SqlJobQueue(database),
    models: new SqlModelStore(database),
    deployments: new SqlDeploymentStore(database),
    placements: new SqlPlacementStore(database),
    nodes: new SqlNodeStore(database),
    audit: new SqlAuditStore(database),
    sessions: new SqlSessionStore(database),
    webhooks: new SqlWebhookStore(database),
    automation: new SqlAutomationStore(database),
    experiments: new SqlExperimentStore(database),
    health: new SqlHealthStore(database),
    async schemaVersion() {
      const [{ version }] = await database.all<{ version: number }>(
        'SELECT max(version) AS version FROM schema_migration',
      );
      return version;
    },
    ping: () => database.ping(),
  };
}
