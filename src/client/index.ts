// `import { Kindred } from 'kindred/client'`: the TypeScript client. Only `fetch` and web streams, so it runs in Node and
// in browsers, and it has no dependency.
export type * from './api-types.ts';
export {
  type BulkFailure,
  type BulkOptions,
  type BulkProgress,
  type BulkResult,
  type BulkWarning,
  MAX_BATCH_RECORDS,
} from './bulk-upsert.ts';
export { type CreatedKey, Kindred, type ResultLink } from './kindred.ts';
export { type FieldProblem, KindredError } from './kindred-error.ts';
export { type AnswerOf, OPERATIONS, type OperationPath, type RequestOf } from './operations.ts';
export { type AnyIterable, forEachParallel } from './parallel.ts';
export type { RetryPolicy } from './retry.ts';
export type { AccessToken, ScopeChoice } from './token-source.ts';
export type { CallOptions, KindredOptions, SaveChunks, ServingOptions } from './transport.ts';
export { KindredJobError, type WaitOptions } from './wait-for-job.ts';
