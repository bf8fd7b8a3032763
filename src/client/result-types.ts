// What the download of a querying or clustering job holds.
import type { AttributeScalar, UserDistributionQuery, UserListQuery } from './api-types.ts';

/** What stands at the head of every result. */
export interface ResultHead {
  job_id: string;
  project_id: string;
  model_id: string;
  created_ts: number;
  /** Users looked at: those of the user dataset and those with events. */
  total_users: number;
  /** Of them, users with nothing to go on: they get the population's distribution. */
  population_users: number;
  /** In one sentence what was found. */
  message: string;
}

/** What a user's figures rest on. */
export type UsageBasis = 'history' | 'attributes' | 'popularity';

export interface UserListResult extends ResultHead {
  query_type: 'user_list';
  queries: {
    query: UserListQuery;
    count: number;
    /** Why the query is empty, or null. */
    note: string | null;
    /** Highest usage of the first condition first; `usages` has one entry a condition. */
    users: { user_id: string; usage: number; usages: number[]; basis: UsageBasis }[];
  }[];
}

export interface UserDistributionResult extends ResultHead {
  query_type: 'user_distribution';
  queries: {
    query: UserDistributionQuery;
    bins: number;
    /** One more than there are counts. */
    edges: number[];
    counts: number[];
    mean: number | null;
    median: number | null;
    min: number | null;
    max: number | null;
    total_users: number;
    note: string | null;
  }[];
}

export interface ClusteringResult extends ResultHead {
  cluster_type: 'user';
  num_groups: number;
  /** How clear the groups are, -1 to 1; null when not measured. */
  silhouette: number | null;
  groups: {
    group_id: number;
    label: string;
    size: number;
    share: number;
    top_items: { item_id: string; name: string | null; share: number; lift: number }[];
    attributes: { attribute: string; value: AttributeScalar; usage: number; average: number; lift: number }[];
    user_ids: string[];
  }[];
  unassigned: { count: number; group_too_small: number; no_history: number; user_ids: string[] };
  map: { user_id: string; group_id: number | null; x: number; y: number }[];
}

export type JobResultFile = UserListResult | UserDistributionResult | ClusteringResult;
