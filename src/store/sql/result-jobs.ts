// Conditions for the jobs whose results are files.
import { type JobType, RESULT_JOB_TYPES } from '../../domain/job.ts';

/** An index has the results of these. */
const INDEXED: readonly JobType[] = ['QUERYING', 'CLUSTERING'];

const isOf = (types: readonly JobType[]): string => `job.job_type IN (${types.map((type) => `'${type}'`).join(', ')})`;

export const HAS_RESULT_FILES = isOf(RESULT_JOB_TYPES);

/** The same jobs in groups, for a query of each: with one condition for all, no index would be used. */
export const RESULT_FILE_GROUPS = [isOf(INDEXED), isOf(RESULT_JOB_TYPES.filter((type) => !INDEXED.includes(type)))];
