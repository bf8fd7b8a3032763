// The registry's stores, made over one database of either dialect.

import type { Database } from '../database.ts';
import type { AccountStore, AlgorithmStore, DatasetStore, ProjectStore } from '../registry-store.ts';
import { SqlAccountStore } from './sql-account-store.ts';
import { SqlAlgorithmStore } from './sql-algorithm-store.ts';
import { SqlDatasetStore } from './sql-dataset-store.ts';
import { SqlProjectStore } from './sql-project-store.ts';

export interface Registry {
  accounts: AccountStore;
  datasets: DatasetStore;
  projects: ProjectStore;
  algorithms: AlgorithmStore;
}

export function createRegistry(database: Database): Registry {
  return {
    accounts: new SqlAccountStore(database),
    datasets: new SqlDatasetStore(database),
    projects: new SqlProjectStore(database),
    algorithms: new SqlAlgorithmStore(database),
  };
}
