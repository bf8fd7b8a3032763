import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { jobPlaces } from '../../test/support/job-run.ts';
import { newJob } from '../../test/support/new-ids.ts';
import { REASON, RETRY } from '../../test/support/queued-jobs.ts';
import { HOUR_MS } from '../base/durations.ts';
import { type JobType, MAX_RETRIES } from '../domain/job.ts';
import { createLogger } from '../observability/logger.ts';
import type { ClaimedJob } from '../store/job-queue.ts';
import type { JobOutcome } from './hold-lease.ts';
import { jobAttempts } from './job-attempts.ts';

const newPlace = jobPlaces();
const MODEL = 'models/a.kindred';
const DONE = { result: {} };

async function stage() {
  const { dataDir, store, blobs, project } = await newPlace();
  const log = createLogger('silent');
  const warnings: string[] = [];
  log.warn = (_: unknown, message?: string) => void warnings.push(message!);
  const put = async (key: string) => {
    writeFileSync(join(dataDir, 'local'), 'bytes');
    await blobs.putFile(key, join(dataDir, 'local'));
  };
  const keysOf = async (prefix: string) => (await Array.fromAsync(blobs.list(prefix))).map(({ key }) => key);
  const ended = (claimed: ClaimedJob, outcome: JobOutcome | null) =>
    jobAttempts({ store, blobs, config: { dataDir } }).ended(claimed, outcome, log);
  /** Files of the first attempt of a job that are left when it has ended. */
  const left = async (job_type: JobType, outcome: JobOutcome | null) => {
    const job = newJob({ ...project, job_type, job_data: {} });
    const attemptId = `${job.job_id}-1`;
    const result = `results/9999999999/${attemptId}.json`;
    for (const key of [MODEL, result]) await put(key);
    const scratch = join(dataDir, 'scratch', attemptId);
    mkdirSync(scratch, { recursive: true });
    await ended({ job, lease: { jobId: job.job_id, attempt: 1 }, part: null, parts: 0 }, outcome);
    assert.ok(!existsSync(scratch), 'the scratch folder is gone');
    const keys = await keysOf('');
    for (const key of keys) await blobs.delete(key);
    return { result: keys.includes(result), model: keys.includes(MODEL) };
  };
  const claim = async () => (await store.queue.claim('worker', ['EXPORT'], Date.now() + HOUR_MS))!;
  /** A job of two parts, whose files are there. `pieces`: of which parts they are left. */
  const cutJob = async () => {
    const job = newJob({ ...project, job_type: 'EXPORT', job_data: {} });
    assert.equal(await store.jobs.submit(job), 'submitted');
    assert.ok(await store.queue.split((await claim()).lease, [{}, {}]));
    const parts = [await claim(), await claim()];
    for (const { lease } of parts) await put(`parts/${job.job_id}/${lease.jobId}-${lease.attempt}/lines`);
    const pieces = async () => (await keysOf(`parts/${job.job_id}/`)).map((key) => key.split('.').at(-1)).sort();
    return { job, parts, pieces };
  };
  return { store, left, cutJob, claim, ended, blobs, warnings };
}

test('an attempt that published nothing leaves no result, and one whose end is unknown keeps it', async () => {
  const { left } = await stage();
  const [all, noResult] = [
    { result: true, model: true },
    { result: false, model: true },
  ];
  for (const type of ['QUERYING', 'CLUSTERING', 'RECOMMENDATION', 'EXPORT'] as const) {
    assert.deepEqual(await left(type, 'failed'), noResult, type);
  }
  assert.deepEqual(await left('EXPORT', 'lost'), noResult);
  assert.deepEqual(await left('EXPORT', null), all);
  assert.deepEqual(await left('EXPORT', 'succeeded'), all);
  assert.deepEqual(await left('TRAINING', 'failed'), all);
});

test('files of a part go with its attempt, and those of all parts when their job has failed', async () => {
  const { store, cutJob, claim, ended } = await stage();
  const { queue } = store;
  const { parts, pieces } = await cutJob();
  const [first, second] = parts;
  assert.ok(await queue.finish(second.lease, DONE, Date.now()));
  await ended(second, 'succeeded');
  assert.deepEqual(await pieces(), ['0-1/lines', '1-1/lines']);
  assert.ok(await queue.retry(first.lease, RETRY));
  await ended(first, 'retried');
  assert.deepEqual(await pieces(), ['1-1/lines']);
  const again = await claim();
  assert.ok(await queue.fail(again.lease, REASON, Date.now()));
  await ended(again, 'failed');
  assert.deepEqual(await pieces(), []);

  const worn = await cutJob();
  let [holder] = worn.parts;
  for (let retry = 0; retry < MAX_RETRIES; retry++) {
    assert.ok(await queue.retry(holder.lease, RETRY));
    holder = await claim();
  }
  assert.ok(await queue.retry(holder.lease, RETRY));
  await ended(holder, 'retried');
  assert.deepEqual(await worn.pieces(), []);
});

test('files of all parts go when their job was canceled or joined, not when joining is tried again', async () => {
  const { store, cutJob, claim, ended } = await stage();
  const { queue } = store;
  const canceled = await cutJob();
  const { account_id, project_id, job_id } = canceled.job;
  await store.jobs.cancel(account_id, project_id, job_id, Date.now());
  await ended(canceled.parts[0], 'lost');
  assert.deepEqual(await canceled.pieces(), []);

  for (const end of ['succeeded', 'failed'] as const) {
    const { parts, pieces } = await cutJob();
    for (const { lease } of parts) assert.ok(await queue.finish(lease, DONE, Date.now()));
    const joining = await claim();
    assert.ok(await queue.retry(joining.lease, RETRY));
    await ended(joining, 'retried');
    assert.equal((await pieces()).length, 2);
    const again = await claim();
    const isSuccess = end === 'succeeded';
    const nowMs = Date.now();
    assert.ok(await (isSuccess ? queue.finish(again.lease, DONE, nowMs) : queue.fail(again.lease, REASON, nowMs)));
    await ended(again, end);
    assert.deepEqual(await pieces(), [], end);
  }
});

test('files that cannot be removed are left to the sweep', async () => {
  const { left, blobs, warnings } = await stage();
  const { list } = blobs;
  let fails = 1;
  blobs.list = (prefix) => {
    if (fails-- > 0) throw new Error('the store is gone');
    return list.call(blobs, prefix);
  };
  assert.equal((await left('EXPORT', 'failed')).result, true);
  assert.deepEqual(warnings, ['files of a job that are not needed any more could not be removed']);
});
