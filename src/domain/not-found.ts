// Errors for objects that do not exist or belong to another account. Both look the same to the caller.
import { AppError, type ErrorCode } from '../errors.ts';

export const projectNotFound = (projectId: string): AppError =>
  missing('PROJECT_NOT_FOUND', 'project_id', `Project ${projectId} was not found.`);

export const algorithmNotFound = (projectId: string, algorithmId: string): AppError =>
  missing('ALGORITHM_NOT_FOUND', 'algorithm_id', `Algorithm ${algorithmId} was not found in project ${projectId}.`);

export const modelNotFound = (projectId: string, modelId: string, field = 'model_id'): AppError =>
  missing('MODEL_NOT_FOUND', field, `Model ${modelId} was not found in project ${projectId}.`);

export const placementNotFound = (projectId: string, name: string, field = 'name'): AppError =>
  missing('PLACEMENT_NOT_FOUND', field, `Placement ${name} was not found in project ${projectId}.`);

export const experimentNotFound = (projectId: string, experimentId: string): AppError =>
  missing('EXPERIMENT_NOT_FOUND', 'experiment_id', `Experiment ${experimentId} was not found in project ${projectId}.`);

export const jobNotFound = (projectId: string, jobId: string, field = 'job_id'): AppError =>
  missing('JOB_NOT_FOUND', field, `Job ${jobId} was not found in project ${projectId}.`);

export const webhookNotFound = (webhookId: string): AppError =>
  missing('WEBHOOK_NOT_FOUND', 'webhook_id', `Webhook ${webhookId} was not found.`);

function missing(code: ErrorCode, field: string, message: string): AppError {
  return new AppError(code, message, { errors: [{ pointer: `/${field}`, message: 'was not found' }] });
}
