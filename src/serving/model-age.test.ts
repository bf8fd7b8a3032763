import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../observability/metrics.ts';
import { addModelAges } from './model-age.ts';

test('the age of deployed models is in seconds, and never negative', async () => {
  const metrics = createMetrics();
  let asked = 0;
  addModelAges(metrics, {
    oldestModels: async (limit) => {
      asked = limit;
      return [
        { project_id: 'prj_old', trained_ts: Date.now() - 86_400_000 },
        { project_id: 'prj_ahead', trained_ts: Date.now() + 86_400_000 },
      ];
    },
  });
  const text = await metrics.text();
  const ageOf = (id: string) =>
    Number(new RegExp(`^kindred_model_age_seconds{project_id="${id}"} (.*)$`, 'm').exec(text)![1]);
  assert.ok(Math.abs(ageOf('prj_old') - 86_400) < 3600);
  assert.equal(ageOf('prj_ahead'), 0);
  assert.equal(asked, 100);
  assert.match(text, /of the 100 oldest/);
});
