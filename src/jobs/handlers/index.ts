// The handlers, by job type. Each is loaded when a job needs it: a job runs in a new thread, and loading all handlers takes longer
// than a small job.
import type { JobType } from '../../domain/job.ts';
import type { JobHandler } from '../job-handler.ts';

export const JOB_HANDLERS: Record<JobType, () => Promise<JobHandler>> = {
  TRAINING: async () => (await import('./training.ts')).train,
  DEPLOYMENT: async () => (await import('./deployment.ts')).deploy,
  QUERYING: async () => (await import('./querying.ts')).query,
  CLUSTERING: async () => (await import('./clustering.ts')).cluster,
  RECOMMENDATION: async () => (await import('./recommendation.ts')).recommend,
  EXPORT: async () => (await import('./export.ts')).exportData,
  IMPORT: async () => (await import('./import.ts')).importData,
  DATA_HEALTH: async () => (await import('./data-health.ts')).checkHealth,
};
