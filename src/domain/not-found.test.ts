import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppError } from '../errors.ts';
import * as notFound from './not-found.ts';

test('what was not found is named, with the field that named it', () => {
  const cases: [error: AppError, code: string, pointer: string][] = [
    [notFound.projectNotFound('wanted'), 'PROJECT_NOT_FOUND', '/project_id'],
    [notFound.algorithmNotFound('p', 'wanted'), 'ALGORITHM_NOT_FOUND', '/algorithm_id'],
    [notFound.modelNotFound('p', 'wanted'), 'MODEL_NOT_FOUND', '/model_id'],
    [notFound.modelNotFound('p', 'wanted', 'ranker_model_id'), 'MODEL_NOT_FOUND', '/ranker_model_id'],
    [notFound.placementNotFound('p', 'wanted'), 'PLACEMENT_NOT_FOUND', '/name'],
    [notFound.placementNotFound('p', 'wanted', 'placement'), 'PLACEMENT_NOT_FOUND', '/placement'],
    [notFound.experimentNotFound('p', 'wanted'), 'EXPERIMENT_NOT_FOUND', '/experiment_id'],
    [notFound.jobNotFound('p', 'wanted'), 'JOB_NOT_FOUND', '/job_id'],
    [notFound.webhookNotFound('wanted'), 'WEBHOOK_NOT_FOUND', '/webhook_id'],
  ];
  for (const [error, code, pointer] of cases) {
    assert.deepEqual([error.code, error.errors?.[0].pointer], [code, pointer]);
    assert.match(error.message, /wanted/, code);
  }
});
