// Requests of querying and clustering jobs and their limits. Checked by src/http/check-insight-request.ts.

export const QUERY_TYPES = ['user_list', 'user_distribution'] as const;
export const CLUSTER_TYPES = ['user'] as const;
export type QueryType = (typeof QUERY_TYPES)[number];

export const MAX_QUERIES = 100;
export const MAX_CONDITIONS = 100;
export const MAX_BINS = 1000;
export const DEFAULT_BINS = 20;
export const MAX_CLUSTERS = 500;
export const MAX_VALUE_CHARACTERS = 1024;

export type QueryValue = string | number | boolean;

export interface Condition {
  attribute: string;
  value: QueryValue;
  lower_bound: number | null;
  upper_bound: number | null;
}

export interface ListQuery {
  conditions: Condition[];
}

export interface DistributionQuery {
  attribute: string;
  value: QueryValue;
  bins: number;
}

export type QueryingRequest =
  | { query_type: 'user_list'; queries: ListQuery[] }
  | { query_type: 'user_distribution'; queries: DistributionQuery[] };

export interface ClusteringParameters {
  min_user_num: number;
  /** null means that it is chosen automatically */
  num_clusters: number | null;
  seed: number;
}
