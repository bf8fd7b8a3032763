// Code that coordinates takes time, timers and random bytes from src/domain/runtime.ts, so that the simulation can decide them.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../../src');
const FOLDERS = ['cluster', 'automation', 'jobs', 'serving'];

/** What asks the system all the same, and why that does not decide how nodes and workers act together. */
const EXCEPTIONS: Record<string, string> = {
  'automation/webhooks/service-secret.ts': 'a secret must come from the system',
  'jobs/run-in-thread.ts': 'ends a real thread that does not stop by itself',
  'jobs/sweep-scratch.ts': 'compares with the times of real files',
  'jobs/handlers/training.ts': 'runs in the thread of a job',
  'jobs/handlers/recommendation.ts': 'runs in the thread of a job',
  'jobs/handlers/export.ts': 'runs in the thread of a job',
  'jobs/handlers/data-health.ts': 'runs in the thread of a job',
  'jobs/parts/divide.ts': 'runs in the thread of a job',
  'jobs/export/report-blocks.ts': 'runs in the thread of a job',
  'jobs/import/upsert-into.ts': 'runs in the thread of a job',
  'jobs/recommendation/column-lists.ts': 'runs in the thread of a job',
  'jobs/job-metrics.ts': 'reports a figure to people',
  'serving/model-age.ts': 'reports a figure to people',
  'serving/fair-turns.ts': 'measures the processor time of a turn',
};

const ASKS_THE_SYSTEM =
  /\b(Date\.now|new Date\(\)|performance\.now|setTimeout|setInterval|Math\.random|randomUUID|(?<!\.)randomBytes\(|node:timers|node:perf_hooks)/;

const withoutComments = (source: string): string => source.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');

test('coordinating code asks the runtime, not the system, for time, timers and random bytes', () => {
  const asking = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT }))
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => ASKS_THE_SYSTEM.test(withoutComments(readFileSync(join(ROOT, file), 'utf8'))));
  assert.deepEqual(asking.toSorted(), Object.keys(EXCEPTIONS).toSorted());
});
