// Tests how long a lease is held, on virtual time and with a store that does not respond.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Machine } from '../../test/simulator/machine.ts';
import { World } from '../../test/simulator/world.ts';
import { JobFailure } from '../domain/job.ts';
import type { ClaimedJob, JobQueue } from '../store/job-queue.ts';
import { holdLease, type JobOutcome, type RunHandler } from './hold-lease.ts';
import { jobTiming } from './timing.ts';

const LEASE_MS = 30_000;
const TIMING = jobTiming(LEASE_MS);
/** Jitter of timers in the simulation. */
const JITTER_MS = 2;

type Queue = Partial<Pick<JobQueue, 'heartbeat' | 'finish' | 'fail' | 'retry' | 'split'>>;

interface Held {
  readonly outcome: JobOutcome | Error;
  readonly endedMs: number;
}

function stage(retryCount = 0) {
  const world = new World(1);
  const { runtime } = new Machine(world, 'worker');
  const claimed = {
    job: { progress: { fraction: 0, phase: '', message: '' }, retry_count: retryCount },
    lease: { jobId: 'job_1', attempt: 1 },
  } as ClaimedJob;
  /** Runs the job until it has ended. */
  const hold = async (queue: Queue, run: RunHandler): Promise<Held> => {
    const control = { shutdown: new AbortController().signal, onError: () => {} };
    const held = holdLease({ queue: queue as JobQueue, claimed, run, timing: TIMING, runtime, ...control });
    let end: Held | null = null;
    const ended = (outcome: Held['outcome']) => {
      end = { outcome, endedMs: world.nowMs };
    };
    held.then(ended, ended);
    await world.runUntil(
      10 * LEASE_MS,
      () => end !== null,
      () => {},
    );
    assert.ok(end !== null, 'the job ended');
    return end;
  };
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  return { world, runtime, hold, untilAborted };
}

const fails = async (): Promise<never> => {
  throw new Error('the store is gone');
};

test('a job that can write no heartbeat stops after three quarters of its lease, before another worker takes it', async () => {
  const { hold, untilAborted } = stage();
  const { outcome, endedMs } = await hold({ heartbeat: fails }, ({ signal }) => untilAborted(signal));
  assert.equal(outcome, 'lost');
  assert.ok(endedMs > 0.75 * LEASE_MS && endedMs < LEASE_MS, String(endedMs));
});

test('a job continues when the store responds again in time', async () => {
  const { world, runtime, hold } = stage();
  const heartbeat = async () => (world.nowMs < 0.6 * LEASE_MS || world.nowMs > LEASE_MS ? fails() : true);
  const { outcome } = await hold({ heartbeat, finish: async () => true }, async ({ signal }) => {
    await runtime.sleep(1.5 * LEASE_MS, signal);
    return { result: {} };
  });
  assert.equal(outcome, 'succeeded');
});

test('a heartbeat comes ten times in a lease, and earlier when there is progress to write', async () => {
  const beatsIn = async (progressEveryMs: number, writeMs = 0): Promise<number[]> => {
    const { world, runtime, hold } = stage();
    const beats: number[] = [];
    let [running, most] = [0, 0];
    const heartbeat = async () => {
      beats.push(world.nowMs);
      most = Math.max(most, ++running);
      await runtime.sleep(writeMs);
      running--;
      return true;
    };
    await hold({ heartbeat, finish: async () => true }, async ({ progress, signal }) => {
      while (world.nowMs < LEASE_MS - 2000) {
        await runtime.sleep(progressEveryMs, signal);
        progress({ fraction: world.nowMs / LEASE_MS, phase: '', message: '' });
      }
      return { result: {} };
    });
    assert.equal(most, 1, 'one at a time');
    return beats;
  };
  assert.equal((await beatsIn(LEASE_MS)).length, 9);
  for (const writeMs of [0, 20, 2 * TIMING.progressMs]) {
    const often = await beatsIn(5, writeMs);
    const most = LEASE_MS / (TIMING.progressMs + writeMs);
    assert.ok(often.length > 0.8 * most && often.length <= most, `${often.length} heartbeats of ${writeMs} ms`);
    for (let n = 1; n < often.length; n++) assert.ok(often[n] - often[n - 1] >= TIMING.progressMs, 'not more often');
  }
});

test('the end of a job is written again for as long as the lease, then nobody knows how it ended', async () => {
  const { runtime, hold } = stage();
  let attempts = 0;
  const finish = () => {
    attempts++;
    return fails();
  };
  const workMs = 2 * LEASE_MS;
  const { outcome, endedMs } = await hold({ heartbeat: async () => true, finish }, async ({ signal }) => {
    await runtime.sleep(workMs, signal);
    return { result: {} };
  });
  assert.match(String(outcome), /the store is gone/);
  const writingMs = endedMs - workMs;
  assert.ok(writingMs > LEASE_MS && writingMs < LEASE_MS + 2 * TIMING.heartbeatMs, String(writingMs));
  assert.ok(attempts >= 11 && attempts <= 12, `${attempts} attempts`);
});

test('an unexpected error is retried later each time, and its text is cut', async () => {
  const retryOf = async (retryCount: number, error: unknown) => {
    const { hold } = stage(retryCount);
    let given: Parameters<JobQueue['retry']>[1] | null = null;
    const retry: JobQueue['retry'] = async (_, how) => {
      given = how;
      return true;
    };
    const { outcome, endedMs } = await hold({ retry }, async () => {
      throw error;
    });
    assert.equal(outcome, 'retried');
    assert.ok(endedMs <= JITTER_MS);
    return given! as Parameters<JobQueue['retry']>[1];
  };
  const first = await retryOf(0, new Error('boom'));
  assert.deepEqual(first.reason, { code: 'UNEXPECTED_ERROR', message: 'Unexpected error: boom' });
  assert.equal(first.backOffMs, TIMING.backOffMs);
  assert.equal((await retryOf(2, new Error('boom'))).backOffMs, 4 * TIMING.backOffMs);
  assert.equal((await retryOf(0, new RangeError())).reason.message, 'Unexpected error: RangeError');
  assert.equal((await retryOf(0, 'text')).reason.message, 'Unexpected error: text');
  const long = (length: number) => retryOf(0, new Error('x'.repeat(length)));
  assert.equal((await long(500)).reason.message, `Unexpected error: ${'x'.repeat(500)}`);
  assert.equal((await long(501)).reason.message, `Unexpected error: ${'x'.repeat(500)}…`);
});

test('a worker that shuts down before a job has begun hands it back', async () => {
  const { runtime } = stage();
  const shutdown = AbortSignal.abort();
  const claimed = { job: { progress: null, retry_count: 0 }, lease: { jobId: 'job_1', attempt: 1 } };
  const hold = (isHeld: boolean) =>
    holdLease({
      claimed: claimed as unknown as ClaimedJob,
      timing: TIMING,
      shutdown,
      runtime,
      onError: () => {},
      queue: { release: async () => isHeld } as Partial<JobQueue> as JobQueue,
      run: async () => ({ result: {} }),
    });
  assert.equal(await hold(true), 'released');
  assert.equal(await hold(false), 'lost');
});

test('an end that is written after the lease was lost counts as lost, whatever the end', async () => {
  const failing = (error: Error) => async () => {
    throw error;
  };
  const outcomes = async (isHeld: boolean) => {
    const write = async () => isHeld;
    const ends: [Queue, RunHandler][] = [
      [{ finish: write }, async () => ({ result: {} })],
      [{ split: write }, async () => ({ split: [{}] })],
      [{ fail: write }, failing(new JobFailure('NO_EVENTS', 'There are no events.'))],
      [{ retry: write }, failing(new Error('boom'))],
    ];
    return Promise.all(ends.map(async ([queue, run]) => (await stage().hold(queue, run)).outcome));
  };
  assert.deepEqual(await outcomes(true), ['succeeded', 'split', 'failed', 'retried']);
  assert.deepEqual(await outcomes(false), ['lost', 'lost', 'lost', 'lost']);
});
