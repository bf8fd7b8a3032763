import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job, Model } from '../../../src/client/index.ts';
import { currentDeployment } from './current-deployment.ts';

const model = (model_id: string, deployed: boolean) => ({ model_id, deployed }) as Model;
const job = (generator_model_id: string, job_status: string, ranker_model_id: string | null = null) =>
  ({ job_status, job_data: { generator_model_id, ranker_model_id } }) as unknown as Job;

test('a first model that is deployed serves when its job has ended, not while nodes still switch to it', () => {
  const models = [model('a', true)];
  assert.equal(currentDeployment(models, [job('a', 'RUNNING')]), null);
  assert.equal(currentDeployment(models, [job('a', 'SUCCEED')])?.generator, models[0]);
  assert.equal(currentDeployment(models, [])?.generator, models[0], 'its job is not among the newest');
  assert.equal(currentDeployment([model('a', false)], [job('a', 'SUCCEED')]), null);
});

test('what was deployed before serves while another model is deployed', () => {
  const models = [model('b', false), model('a', true)];
  assert.equal(currentDeployment(models, [job('b', 'RUNNING'), job('a', 'SUCCEED')])?.generator, models[1]);
});

test('a model that has replaced another serves while the last nodes switch to it', () => {
  const models = [model('ranker', true), model('b', true), model('a', false)];
  const current = currentDeployment(models, [job('b', 'RUNNING', 'ranker'), job('a', 'SUCCEED')]);
  assert.deepEqual([current?.generator, current?.ranker], [models[1], models[0]]);
});
