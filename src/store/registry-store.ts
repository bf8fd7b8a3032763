// Accounts, keys, datasets, projects and algorithms. Every read and write names its account: an object of another account
// does not exist for the caller.
import type { Account, ApiKey, KeyLimits, Plan, Usage } from '../domain/account.ts';
import type { Automation } from '../domain/automation.ts';
import type { AttributeSchema, Dataset, DatasetKind } from '../domain/dataset.ts';
import type { Algorithm, Project } from '../domain/project.ts';
import type { SegmentMapping } from '../domain/segment-mapping.ts';
import type { Page, PageRequest } from './page.ts';

export interface KeyRotation {
  secret_hash: string;
  rotated_ts: number;
  /** The previous secret is valid until this time. */
  previous_until_ts: number;
}

export interface Revocations {
  keyIds: string[];
  accountIds: string[];
  rotated: { key_id: string; secret_version: number; previous_until_ts: number }[];
}

export interface AccountStore {
  /** Names of accounts are unique. */
  create(account: Account, key: ApiKey): Promise<'created' | 'name-taken'>;
  get(accountId: string): Promise<Account | null>;
  findByName(name: string): Promise<Account | null>;
  list(page: PageRequest): Promise<Page<Account>>;
  update(
    accountId: string,
    change: { name?: string; plan?: Partial<Plan>; disabled?: boolean },
  ): Promise<Account | null>;
  /** Sets the default project. Returns the epoch that nodes follow (deployment-store.ts); null if the project does not exist. */
  chooseDefaultProject(accountId: string, projectId: string): Promise<number | null>;
  usage(accountId: string): Promise<Usage>;
  /** Adds a key and returns 'added', or the name of the limit it would exceed. Without limits it always adds. */
  addKey(key: ApiKey, limits?: KeyLimits): Promise<'added' | keyof KeyLimits>;
  findKey(keyHash: string): Promise<(ApiKey & { account_disabled: boolean }) | null>;
  getKey(accountId: string, keyId: string): Promise<ApiKey | null>;
  listKeys(accountId: string): Promise<ApiKey[]>;
  /** Returns 'last-key' if the account would have no active key left, or none that covers everything. */
  setKeyDisabled(accountId: string, keyId: string, disabled: boolean): Promise<ApiKey | 'last-key' | null>;
  /** Returns the key with its new secret; null if there is no active key with a secret. */
  rotateKey(accountId: string, keyId: string, rotation: KeyRotation): Promise<ApiKey | null>;
  /** For every API node's poll: what is disabled, and which secrets were rotated since a time. */
  revocations(rotatedSinceMs: number): Promise<Revocations>;
  /** A value all nodes share, created once (e.g. the token signing key). Returns the stored one. */
  sharedSecret(name: string, makeIfAbsent: () => string): Promise<string>;
}

export interface DatasetStore {
  /** Returns 'plan-limit' if the sum of num_shards of event datasets would exceed the account's plan. */
  create(dataset: Dataset): Promise<'created' | 'plan-limit'>;
  get(accountId: string, kind: DatasetKind, datasetId: string): Promise<Dataset | null>;
  list(accountId: string, kind: DatasetKind, page: PageRequest): Promise<Page<Dataset>>;
  update(
    accountId: string,
    kind: DatasetKind,
    datasetId: string,
    change: { name?: string; attribute_schema?: AttributeSchema | null },
  ): Promise<Dataset | null>;
  /**
   * Returns the last configuration, 'in-use' if a project refers to the dataset, or null if there is none. Deletes its records
   * too.
   */
  delete(accountId: string, kind: DatasetKind, datasetId: string): Promise<Dataset | 'in-use' | null>;
  /** How many users were ever deleted from these datasets. A job that read them compares it to detect deletions. */
  erasures(datasetIds: readonly string[]): Promise<number>;
}

export interface DeletedProject {
  /** the configuration before the deletion */
  project: Project;
  /** What its jobs published since `resultsSinceTs`. The caller removes these files. */
  results: readonly Record<string, unknown>[];
  /** nodes that have followed this epoch know that the project is deleted (deployment-store.ts) */
  epoch: number;
}

export interface ProjectChange {
  readonly name?: string;
  readonly segment_mapping?: SegmentMapping | null;
  readonly automation?: Automation | null;
  readonly assist_window_hours?: number;
}

export interface ProjectStore {
  create(project: Project): Promise<'created' | 'missing-dataset'>;
  get(accountId: string, projectId: string): Promise<Project | null>;
  list(accountId: string, page: PageRequest): Promise<Page<Project>>;
  /**
   * Changes the given fields; a mapping of null is removed. Returns the changed project, or null if it does not exist.
   */
  update(accountId: string, projectId: string, change: ProjectChange): Promise<Project | null>;
  /**
   * Returns 'in-use' if the project is deployed or has an unfinished job. Deletes its algorithms, models, jobs and placements
   * too.
   */
  delete(accountId: string, projectId: string, resultsSinceTs?: number): Promise<DeletedProject | 'in-use' | null>;
}

export interface AlgorithmStore {
  create(algorithm: Algorithm): Promise<'created' | 'missing-project'>;
  get(accountId: string, projectId: string, algorithmId: string): Promise<Algorithm | null>;
  list(accountId: string, projectId: string, page: PageRequest): Promise<Page<Algorithm>>;
  delete(accountId: string, projectId: string, algorithmId: string): Promise<Algorithm | null>;
}
