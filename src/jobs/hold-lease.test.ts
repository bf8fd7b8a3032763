import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newJob } from '../../test/support/new-ids.ts';
import { openTestStore } from '../../test/support/test-database.ts';
import { type Job, JobFailure } from '../domain/job.ts';
import type { JobQueue } from '../store/job-queue.ts';
import type { JobStore } from '../store/job-store.ts';
import type { Store } from '../store/store.ts';
import { holdLease, type JobOutcome, type RunHandler } from './hold-lease.ts';

const TIMING = { pollMs: 5, heartbeatMs: 10, leaseMs: 10_000, backOffMs: 60_000, progressMs: 5 };
const PROJECT = 'prj_1';

let store: Store;
let close: () => Promise<void>;
let jobs: JobStore;
let queue: JobQueue;

before(async () => {
  ({ store, close } = await openTestStore('sqlite'));
  ({ jobs, queue } = store);
  await store.database.atomic([
    {
      sql: `INSERT INTO account (account_id, name, max_event_shards, max_training_hours, max_qps, created_ts)
            VALUES ('acc_1', 'test', 1, 1, 1, 1)`,
    },
    {
      sql: `INSERT INTO project (project_id, account_id, name, project_type, user_dataset_id, item_dataset_id,
              event_dataset_id, target_event_type, created_ts)
            VALUES (?, 'acc_1', 'p', 'RECOMMEND_ITEMS_TO_USER', '', '', '', '', 1)`,
      params: [PROJECT],
    },
  ]);
});
after(() => close());

interface HoldChange {
  shutdown?: AbortController;
  using?: JobQueue;
  timing?: typeof TIMING;
}

/** The queue over a connection that breaks after `finish` was done, this many times. */
function withResponsesLost(times: number): JobQueue {
  let lost = 0;
  return Object.assign(Object.create(queue) as JobQueue, {
    heartbeat: queue.heartbeat.bind(queue),
    async finish(...given: Parameters<JobQueue['finish']>) {
      const isPublished = await queue.finish(...given);
      if (lost++ < times) throw new Error('the response was lost');
      return isPublished;
    },
  });
}

/** Submits a job, runs it with the handler, and returns its outcome. */
async function hold(run: RunHandler, change: HoldChange = {}): Promise<{ outcome: JobOutcome; job: Job }> {
  const { shutdown = new AbortController(), using = queue, timing = TIMING } = change;
  const submitted = newJob({ account_id: 'acc_1', project_id: PROJECT, job_type: 'TRAINING', job_data: {} });
  const jobId = submitted.job_id;
  await jobs.submit(submitted);
  const claimed = await queue.claim('worker', ['TRAINING'], Date.now());
  assert.equal(claimed?.job.job_id, jobId);
  const outcome = await holdLease({
    queue: using,
    claimed,
    run,
    timing,
    shutdown: shutdown.signal,
    onError: () => {},
  });
  const job = await jobs.get('acc_1', PROJECT, jobId);
  assert.ok(job);
  if (job.job_status === 'PENDING') await jobs.cancel('acc_1', PROJECT, jobId, Date.now());
  return { outcome, job };
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

async function runningJob(): Promise<Job> {
  const { entries } = await jobs.list(
    'acc_1',
    { project_id: PROJECT, job_status: 'RUNNING' },
    { page_size: 1, page_token: null },
  );
  return entries[0];
}

test('the result of the handler is published', async () => {
  const { outcome, job } = await hold(async () => ({ result: { response: 42 } }));
  assert.equal(outcome, 'succeeded');
  assert.equal(job.job_status, 'SUCCEED');
  assert.deepEqual(job.job_result, { response: 42 });
});

test('a result that was published while the response was lost is not taken for lost', async () => {
  const broken = withResponsesLost(1);
  const { outcome, job } = await hold(async () => ({ result: { response: 42 } }), { using: broken });
  assert.equal(outcome, 'succeeded');
  assert.equal(job.job_status, 'SUCCEED');
});

test('when nobody knows whether a result was published, it is neither lost nor retried', async () => {
  const broken = withResponsesLost(Number.POSITIVE_INFINITY);
  const timing = { ...TIMING, leaseMs: 50 };
  await assert.rejects(
    hold(async () => ({ result: { response: 42 } }), { using: broken, timing }),
    /the response was lost/,
  );
});

test('progress is in the store while the handler runs', async () => {
  const { outcome } = await hold(async ({ progress }) => {
    progress({ fraction: 0.3, phase: 'fit', message: 'working' });
    while ((await runningJob()).progress.fraction !== 0.3) await new Promise((resolve) => setTimeout(resolve, 2));
    return { result: {} };
  });
  assert.equal(outcome, 'succeeded');
});

test('a result that users were deleted from while it was published is made again, and the job says so', async () => {
  const sql = 'INSERT INTO dataset_count (dataset_id, num_shards, erasures) VALUES (?, 1, 2)';
  await store.database.atomic([{ sql, params: ['ds_users'] }]);
  const erasures = { datasetIds: ['ds_users'], count: 1 };
  const { outcome, job } = await hold(async () => ({ result: {}, erasures }));
  assert.equal(outcome, 'retried');
  assert.equal(job.job_status, 'PENDING');
  assert.equal(job.retry_count, 1);
  assert.match(job.progress.message, /Users were deleted while the result was published/);
});

test('a failure of the data ends the job at once, with its reason', async () => {
  const { outcome, job } = await hold(async () => {
    throw new JobFailure('NO_EVENTS', 'There are no events.');
  });
  assert.equal(outcome, 'failed');
  assert.equal(job.job_status, 'FAILED');
  assert.equal(job.retry_count, 0);
  assert.deepEqual(job.failure_reason, { code: 'NO_EVENTS', message: 'There are no events.' });
});

test('anything else that is thrown is retried', async () => {
  const { outcome, job } = await hold(async () => {
    throw new Error('boom');
  });
  assert.equal(outcome, 'retried');
  assert.equal(job.job_status, 'PENDING');
  assert.equal(job.retry_count, 1);
  assert.match(job.progress.message, /boom/);
});

test('shutting down hands the job back without counting a retry', async () => {
  const shutdown = new AbortController();
  const { outcome, job } = await hold(
    async ({ signal }) => {
      setImmediate(() => shutdown.abort());
      return untilAborted(signal);
    },
    { shutdown },
  );
  assert.equal(outcome, 'released');
  assert.equal(job.job_status, 'PENDING');
  assert.equal(job.retry_count, 0);
});

test('a handler that ends although the job was canceled publishes nothing', async () => {
  const { outcome, job } = await hold(async ({ signal }) => {
    await jobs.cancel('acc_1', PROJECT, (await runningJob()).job_id, Date.now());
    await untilAborted(signal).catch(() => {});
    return { result: { late: true } };
  });
  assert.equal(outcome, 'lost');
  assert.equal(job.job_status, 'CANCELLED');
  assert.equal(job.job_result, null);
});

test('a handler whose job was taken back is stopped', async () => {
  const { outcome, job } = await hold(async ({ signal }) => {
    await queue.takeBackFrom('worker', {
      reason: { code: 'WORKER_LOST', message: 'gone' },
      backOffMs: 0,
      nowMs: Date.now(),
    });
    return untilAborted(signal);
  });
  assert.equal(outcome, 'lost');
  assert.equal(job.job_status, 'PENDING');
  assert.equal(job.retry_count, 1);
});
