// Requests and answers of every call, by operation path.

export type AttributeHandling = 'NUMERICAL' | 'CATEGORICAL';
export type AttributeSchema = Record<string, AttributeHandling>;
export type Attributes = Record<string, unknown>;

export interface UserRecord {
  user_id: string;
  attributes?: Attributes;
}

export interface ItemRecord {
  item_id: string;
  attributes?: Attributes;
}

export interface EventRecord {
  event_id: string;
  user_id: string;
  item_id: string;
  /** Milliseconds since 1970. */
  ts: number;
  event_type: string;
  event_value?: number;
  attributes?: Attributes;
}

export interface RecordFailure {
  index: number;
  id: string | null;
  code: 'INVALID_RECORD' | 'RECORD_TOO_LARGE' | 'ATTRIBUTE_TYPE_MISMATCH' | 'DATASET_FULL';
  message: string;
}

export interface UpsertAnswer {
  succeed_ids: string[];
  failed_ids: string[];
  failures: RecordFailure[];
}

export interface CreateDataset {
  name: string;
  num_shards?: number;
  attribute_schema?: AttributeSchema | null;
}

export interface DatasetFields {
  name: string;
  num_shards: number;
  attribute_schema: AttributeSchema | null;
  num_records?: number;
  inferred_attribute_schema?: AttributeSchema | null;
  created_ts?: number;
}
export type UserDataset = DatasetFields & { user_dataset_id: string };
export type ItemDataset = DatasetFields & { item_dataset_id: string };
export type EventDataset = DatasetFields & { event_dataset_id: string };

export interface UpdateDataset {
  name?: string;
  attribute_schema?: AttributeSchema | null;
}

export interface PageRequest {
  page_size?: number;
  page_token?: string;
}

export interface PageAnswer {
  next_page_token: string | null;
}

export interface Project {
  project_id: string;
  name: string;
  project_type: 'RECOMMEND_ITEMS_TO_USER';
  user_dataset_id: string;
  item_dataset_id: string;
  event_dataset_id: string;
  target_event_type: string;
  serving_uri: string;
}

export interface Algorithm {
  project_id: string;
  algorithm_id: string;
  name: string;
  algorithm_type: 'G1';
  algorithm_parameters: Record<string, unknown>;
}

export interface ModelFigures {
  recall: number;
  ndcg: number;
  mrr: number;
  coverage: number;
}

export interface Model {
  project_id: string;
  model_id: string;
  name: string;
  algorithm_type: 'G1';
  algorithm_parameters: Record<string, unknown>;
  created_ts: number;
  job_id: string;
  metrics: { model: ModelFigures; popularity: ModelFigures; cutoff: number; users: number } | null;
  training: Record<string, unknown>;
  deployed: boolean;
}

export type JobType = 'TRAINING' | 'DEPLOYMENT' | 'QUERYING' | 'CLUSTERING';
export type JobStatus = 'PENDING' | 'RUNNING' | 'SUCCEED' | 'FAILED' | 'CANCELLED';

export interface JobProgress {
  /** 0 to 1. */
  fraction: number;
  phase: string;
  message: string;
}

export interface Job {
  project_id: string;
  job_id: string;
  job_type: JobType;
  created_ts: number;
  name: string;
  job_data: Record<string, unknown>;
  job_result: Record<string, unknown> | null;
  job_status: JobStatus;
  retry_count: number;
  progress: JobProgress;
  started_ts: number | null;
  finished_ts: number | null;
  failure_reason: { code: string; message: string } | null;
}

export type AttributeScalar = string | number | boolean;

export interface UserListQuery {
  conditions: { attribute: string; value: AttributeScalar; lower_bound?: number; upper_bound?: number }[];
}

export interface UserDistributionQuery {
  attribute: string;
  value: AttributeScalar;
  bins?: number;
}

export type SubmitQueryingJob = { name?: string; project_id: string; model_id: string } & (
  | { query_type: 'user_list'; queries: UserListQuery[] }
  | { query_type: 'user_distribution'; queries: UserDistributionQuery[] }
);

export interface Recommend {
  user_id: string;
  attributes?: string[];
  limit?: number;
  filter_query?: string | null;
  exclude_seen?: boolean;
  explain?: boolean;
  project_id?: string;
}

export interface Recommendation {
  user_id: string;
  limit: number;
  attributes: string[];
  filter_query: string | null;
  results: { item: { item_id: string } & Record<string, unknown>; score?: number; reasons?: unknown[] }[];
}

export interface Account {
  account_id: string;
  name: string;
  plan: { max_event_shards: number; max_training_hours: number; max_qps: number };
  usage: { event_shards: number; training_hours: number };
}

/** Every call: what it takes and what it answers. */
export interface Operations {
  '/create-user-dataset': { request: CreateDataset; answer: UserDataset };
  '/get-user-dataset': { request: { user_dataset_id: string }; answer: UserDataset };
  '/list-user-datasets': { request: PageRequest; answer: PageAnswer & { user_datasets: UserDataset[] } };
  '/update-user-dataset': { request: UpdateDataset & { user_dataset_id: string }; answer: UserDataset };
  '/delete-user-dataset': { request: { user_dataset_id: string }; answer: UserDataset };
  '/upsert-dataset-users': {
    request: { user_dataset_id: string; users: UserRecord[] };
    answer: UpsertAnswer & { user_dataset_id: string };
  };
  '/delete-dataset-users': {
    request: { user_dataset_id: string; user_ids: string[] };
    answer: { user_dataset_id: string; deleted_count: number };
  };
  '/create-item-dataset': { request: CreateDataset; answer: ItemDataset };
  '/get-item-dataset': { request: { item_dataset_id: string }; answer: ItemDataset };
  '/list-item-datasets': { request: PageRequest; answer: PageAnswer & { item_datasets: ItemDataset[] } };
  '/update-item-dataset': { request: UpdateDataset & { item_dataset_id: string }; answer: ItemDataset };
  '/delete-item-dataset': { request: { item_dataset_id: string }; answer: ItemDataset };
  '/upsert-dataset-items': {
    request: { item_dataset_id: string; items: ItemRecord[] };
    answer: UpsertAnswer & { item_dataset_id: string };
  };
  '/delete-dataset-items': {
    request: { item_dataset_id: string; item_ids: string[] };
    answer: { item_dataset_id: string; deleted_count: number };
  };
  '/create-event-dataset': { request: CreateDataset; answer: EventDataset };
  '/get-event-dataset': { request: { event_dataset_id: string }; answer: EventDataset };
  '/list-event-datasets': { request: PageRequest; answer: PageAnswer & { event_datasets: EventDataset[] } };
  '/update-event-dataset': { request: UpdateDataset & { event_dataset_id: string }; answer: EventDataset };
  '/delete-event-dataset': { request: { event_dataset_id: string }; answer: EventDataset };
  '/upsert-dataset-events': {
    request: { event_dataset_id: string; events: EventRecord[] };
    answer: UpsertAnswer & { event_dataset_id: string };
  };
  '/delete-dataset-user-events': {
    request: { event_dataset_id: string; user_id: string };
    answer: { event_dataset_id: string; user_id: string; deleted_count: number };
  };
  '/delete-dataset-events-before-ts': {
    request: { event_dataset_id: string; ts: number; start_ts?: number };
    answer: { event_dataset_id: string; ts: number; deleted_count: number };
  };
  '/get-dataset-record': {
    request:
      | { user_dataset_id: string; user_id: string }
      | { item_dataset_id: string; item_id: string }
      | { event_dataset_id: string; event_id: string };
    answer: Record<string, unknown>;
  };
  '/create-project': { request: Omit<Project, 'project_id' | 'serving_uri'>; answer: Project };
  '/get-project': { request: { project_id: string }; answer: Project };
  '/list-projects': { request: PageRequest; answer: PageAnswer & { projects: Project[] } };
  '/delete-project': { request: { project_id: string }; answer: Project };
  '/create-algorithm': {
    request: {
      project_id: string;
      name: string;
      algorithm_type: 'G1';
      algorithm_parameters?: Record<string, unknown>;
    };
    answer: Algorithm;
  };
  '/get-algorithm': { request: { project_id: string; algorithm_id: string }; answer: Algorithm };
  '/list-algorithms': {
    request: PageRequest & { project_id: string };
    answer: PageAnswer & { algorithms: Algorithm[] };
  };
  '/delete-algorithm': { request: { project_id: string; algorithm_id: string }; answer: Algorithm };
  '/submit-training-job': {
    request: { project_id: string; algorithm_id: string; name?: string };
    answer: { job_id: string };
  };
  '/submit-deployment-job': {
    request: {
      project_id: string;
      name?: string;
      generator_model_id: string;
      ranker_model_id?: string | null;
      qps?: number;
    };
    answer: { job_id: string };
  };
  '/submit-querying-job': { request: SubmitQueryingJob; answer: { job_id: string } };
  '/submit-clustering-job': {
    request: {
      name?: string;
      project_id: string;
      model_id: string;
      cluster_type: 'user';
      parameters?: { min_user_num?: number; num_clusters?: number };
    };
    answer: { job_id: string };
  };
  '/get-job': { request: { project_id: string; job_id: string }; answer: Job };
  '/list-jobs': {
    request: PageRequest & { project_id: string; job_type?: JobType; job_status?: JobStatus };
    answer: PageAnswer & { jobs: Job[] };
  };
  '/cancel-job': { request: { project_id: string; job_id: string }; answer: Job };
  '/update-model': { request: { project_id: string; model_id: string; name: string }; answer: Model };
  '/get-model': { request: { project_id: string; model_id: string }; answer: Model };
  '/list-models': { request: PageRequest & { project_id: string }; answer: PageAnswer & { models: Model[] } };
  '/delete-model': { request: { project_id: string; model_id: string }; answer: Model };
  '/shutdown-deployment': { request: { project_id: string }; answer: { project_id: string } };
  '/recommend-items-to-user': { request: Recommend; answer: Recommendation };
  '/get-account': { request: Record<string, never>; answer: Account };
}
