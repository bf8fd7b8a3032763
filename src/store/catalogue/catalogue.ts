// The catalogue's stores, made over one database of either dialect.
import type { AccountStore, AlgorithmStore, DatasetStore, ProjectStore } from '../catalogue-store.ts';
import type { Database } from '../database.ts';
import { SqlAccountStore } from './sql-account-store.ts';
import { SqlAlgorithmStore } from './sql-algorithm-store.ts';
import { SqlDatasetStore } from './sql-dataset-store.ts';
import { SqlProjectStore } from './sql-project-store.ts';

export interface Catalogue {
  accounts: AccountStore;
  datasets: DatasetStore;
  projects: ProjectStore;
  algorithms: AlgorithmStore;
}

export function createCatalogue(database: Database): Catalogue {
  return {
    accounts: new SqlAccountStore(database),
    datasets: new SqlDatasetStore(database),
    projects: new SqlProjectStore(database),
    algorithms: new SqlAlgorithmStore(database),
  };
}
