// The handlers, by job type.
import type { JobType } from '../../domain/job.ts';
import type { JobHandler } from '../job-handler.ts';
import { cluster } from './clustering.ts';
import { deploy } from './deployment.ts';
import { query } from './querying.ts';
import { recommend } from './recommendation.ts';
import { train } from './training.ts';

export const JOB_HANDLERS: Record<JobType, JobHandler> = {
  TRAINING: train,
  DEPLOYMENT: deploy,
  QUERYING: query,
  CLUSTERING: cluster,
  RECOMMENDATION: recommend,
};
