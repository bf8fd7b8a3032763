import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { jobPlaces } from '../../test/support/job-run.ts';
import { newJob } from '../../test/support/new-ids.ts';
import { plantedProject } from '../../test/support/planted-project.ts';
import { makeEvent } from '../../test/support/store-fixtures.ts';
import { tasteEvents } from '../../test/support/taste-project.ts';
import { setTracing } from '../base/trace.ts';
import type { JobProgress, JobType } from '../domain/job.ts';
import type { ClaimedJob, Publication } from '../store/job-queue.ts';
import { isSplit } from './job-handler.ts';
import { JobThreads } from './job-threads.ts';

const newPlace = jobPlaces();

async function stage() {
  const { store, dataDir, project } = await newPlace();
  const { account_id, project_id, event_dataset_id } = project;
  const events = (await store.datasets.get(account_id, 'event', event_dataset_id))!;
  await store.events.upsert(
    events,
    tasteEvents().map(({ user, item }, n) =>
      makeEvent({ event_id: `e${n}`, ts: 1_700_000_000_000 + n, user_id: user, item_id: item, event_type: 'buy' }),
    ),
  );
  const progress: JobProgress[] = [];
  const control = new AbortController();
  const run = (job_type: JobType, job_data: Record<string, unknown>) => {
    const job = newJob({ account_id, project_id, job_type, job_data });
    const lease = { jobId: job.job_id, attempt: 1 };
    const scratchDir = mkdtempSync(join(dataDir, 'run-'));
    return new JobThreads({ dataDir }).run(
      { claimed: { job, lease, part: null, parts: 0 }, attemptId: `${job.job_id}-1`, scratchDir },
      { progress: (one) => void progress.push(one), signal: control.signal, log: () => {} },
    );
  };
  return { run, progress, control };
}

const TRAINING = {
  algorithm_id: 'alg_1',
  algorithm_type: 'G1',
  algorithm_parameters: {},
  compare_with_deployed: false,
};

test('a thread passes on its progress, step by step, and its result', async () => {
  const { run, progress } = await stage();
  const { model, result } = (await run('TRAINING', TRAINING)) as Publication;
  assert.equal(model!.model_id, result.model_id);
  const fractions = progress.map(({ fraction }) => fraction);
  assert.ok(fractions.length > 5);
  assert.deepEqual(fractions, fractions.toSorted());
  assert.equal(progress.at(-1)!.phase, 'save');
});

test('a job succeeds although the receiver of its spans is down', async () => {
  const { run } = await stage();
  const current = () => '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  setTracing({ begin: () => null, step: (_, work) => work(), current, past: () => null });
  // Nothing listens at this address.
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:1';
  try {
    const { model } = (await run('TRAINING', TRAINING)) as Publication;
    assert.ok(model);
  } finally {
    setTracing(null);
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  }
});

test('a failure in a thread is told with its code, and an error with its message', async () => {
  const { run } = await stage();
  const wrong = { ...TRAINING, algorithm_parameters: { seeds: 1 } };
  await assert.rejects(run('TRAINING', wrong), { name: 'JobFailure', message: /seeds/ });
  await assert.rejects(run('RECOMMENDATION', {}), (error) => error instanceof Error && error.name !== 'JobFailure');
});

test('a thread that is told to stop ends with the reason', async () => {
  const { run, control, progress } = await stage();
  const running = run('TRAINING', TRAINING);
  control.abort(new Error('enough'));
  await assert.rejects(running);
  assert.notEqual(progress.at(-1)?.phase, 'save');
  await assert.rejects(run('TRAINING', TRAINING), { message: 'enough' });
});

test('the parts of a job share a thread and what it has in memory; a job never gets the thread of another', async (t) => {
  const planted = await plantedProject({
    groups: 2,
    usersPerGroup: 40,
    itemsPerGroup: 6,
    eventsPerUser: 5,
    loyalty: 0.8,
  });
  const { store, blobs, project, modelId } = planted;
  const { config, scratchDir } = await planted.run('EXPORT', {});
  const threads = new JobThreads({ ...config, jobPartUsers: 20 });
  t.after(async () => {
    await threads.close();
    await planted.close();
  });
  const run = (claimed: ClaimedJob, signal = new AbortController().signal) =>
    threads.run(
      { claimed, attemptId: `${claimed.lease.jobId}-1`, scratchDir: mkdtempSync(join(scratchDir, 'run-')) },
      { progress: () => {}, signal, log: () => {} },
    );
  const claim = async () => (await store.queue.claim('worker', ['EXPORT'], Date.now()))!;
  const finish = async (claimed: ClaimedJob, done: Awaited<ReturnType<typeof run>>) =>
    assert.ok(await store.queue.finish(claimed.lease, done as Publication, Date.now()));
  const begin = async () => {
    const { account_id, project_id } = project;
    const job_data = { what: 'user_vectors', format: 'jsonl', destination: null, model_id: modelId };
    await store.jobs.submit(newJob({ account_id, project_id, job_type: 'EXPORT', job_data }));
    const whole = await claim();
    const split = await run(whole);
    assert.ok(isSplit(split) && (await store.queue.split(whole.lease, split.split)));
    return split.split.length;
  };
  let left = await begin();
  const first = await claim();
  await finish(first, await run(first));
  await blobs.delete(`models/${modelId}.kindred`);
  // Only a thread that has the model in memory can do the other parts. The one that joins them needs no model.
  while (--left > 0) {
    const part = await claim();
    await finish(part, await run(part));
  }
  const joining = await claim();
  const done = (await run(joining)) as Publication;
  assert.equal(done.result.total, 80);
  await finish(joining, done);
  await begin();
  const other = await claim();
  await assert.rejects(run(other), { name: 'JobFailure', code: 'MODEL_UNREADABLE' });
});
