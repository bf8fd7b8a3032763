// The handlers, by job type.
import type { JobType } from '../../domain/job.ts';
import type { JobHandler } from '../job-handler.ts';
import { cluster } from './clustering.ts';
import { deploy } from './deployment.ts';
import { query } from './querying.ts';

const unavailable: JobHandler = async () => {
  throw new Error('This kind of job has no handler.');
};

export const JOB_HANDLERS: Record<JobType, JobHandler> = {
  TRAINING: unavailable,
  DEPLOYMENT: deploy,
  QUERYING: query,
  CLUSTERING: cluster,
};
