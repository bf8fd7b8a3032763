// Names for what the download of a querying or clustering job holds, taken from the generated types.
import type { ResultFile } from './operation-types.ts';

export type JobResultFile = ResultFile;
export type UserListResult = Extract<ResultFile, { query_type: 'user_list' }>;
export type UserDistributionResult = Extract<ResultFile, { query_type: 'user_distribution' }>;
export type ClusteringResult = Extract<ResultFile, { cluster_type: 'user' }>;
