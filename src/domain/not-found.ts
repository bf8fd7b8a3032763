// What is answered for an object that does not exist, or belongs to another account.
import { AppError, type ErrorCode } from '../errors.ts';

export const projectNotFound = (projectId: string): AppError =>
  missing('PROJECT_NOT_FOUND', 'project_id', `There is no project ${projectId}.`);

export const algorithmNotFound = (projectId: string, algorithmId: string): AppError =>
  missing('ALGORITHM_NOT_FOUND', 'algorithm_id', `Project ${projectId} has no algorithm ${algorithmId}.`);

export const modelNotFound = (projectId: string, modelId: string, field = 'model_id'): AppError =>
  missing('MODEL_NOT_FOUND', field, `Project ${projectId} has no model ${modelId}.`);

export const jobNotFound = (projectId: string, jobId: string): AppError =>
  missing('JOB_NOT_FOUND', 'job_id', `Project ${projectId} has no job ${jobId}.`);

function missing(code: ErrorCode, field: string, message: string): AppError {
  return new AppError(code, message, { errors: [{ pointer: `/${field}`, message: 'does not exist' }] });
}
