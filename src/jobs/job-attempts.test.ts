import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { jobPlaces } from '../../test/support/job-run.ts';
import { newJob } from '../../test/support/new-ids.ts';
import type { JobType } from '../domain/job.ts';
import { createLogger } from '../observability/logger.ts';
import type { ClaimedJob } from '../store/job-queue.ts';
import type { JobOutcome } from './hold-lease.ts';
import { jobAttempts } from './job-attempts.ts';

const newPlace = jobPlaces();
const MODEL = 'models/a.kindred';

async function stage() {
  const { dataDir, store, blobs, project } = await newPlace();
  const log = createLogger('silent');
  const warnings: string[] = [];
  log.warn = (_: unknown, message?: string) => void warnings.push(message!);
  /** Files of the first attempt of a job, or of its only part, that are left when it has ended. */
  const left = async (job_type: JobType, outcome: JobOutcome | null, cut: 'part' | 'joined' | null = null) => {
    const job = newJob({ ...project, job_type, job_data: {} });
    const attemptId = `${job.job_id}-1`;
    const [result, piece] = [`results/9999999999/${attemptId}.json`, `parts/${job.job_id}/${attemptId}/lines`];
    for (const key of [MODEL, result, piece]) {
      writeFileSync(join(dataDir, 'local'), 'bytes');
      await blobs.putFile(key, join(dataDir, 'local'));
    }
    const scratch = join(dataDir, 'scratch', attemptId);
    mkdirSync(scratch, { recursive: true });
    const claimed = {
      ...{ job, lease: { jobId: job.job_id, attempt: 1 }, parts: cut === 'joined' ? 1 : 0 },
      part: cut === 'part' ? { jobId: job.job_id, data: {} } : null,
    };
    await jobAttempts({ store, blobs, config: { dataDir } }).ended(claimed as unknown as ClaimedJob, outcome, log);
    assert.ok(!existsSync(scratch), 'the scratch folder is gone');
    const keys = (await Array.fromAsync(blobs.list(''))).map(({ key }) => key);
    for (const key of keys) await blobs.delete(key);
    return { result: keys.includes(result), piece: keys.includes(piece), model: keys.includes(MODEL) };
  };
  return { left, blobs, warnings };
}

test('an attempt that published nothing leaves no result, and one whose end is unknown keeps it', async () => {
  const { left } = await stage();
  const [all, noResult] = [
    { result: true, piece: true, model: true },
    { result: false, piece: true, model: true },
  ];
  for (const type of ['QUERYING', 'CLUSTERING', 'RECOMMENDATION', 'EXPORT'] as const) {
    assert.deepEqual(await left(type, 'failed'), noResult, type);
  }
  assert.deepEqual(await left('EXPORT', 'lost'), noResult);
  assert.deepEqual(await left('EXPORT', null), all);
  assert.deepEqual(await left('EXPORT', 'succeeded'), all);
  assert.deepEqual(await left('TRAINING', 'failed'), all);
});

test('files of parts go when they are joined, or with the part that failed', async () => {
  const { left } = await stage();
  const noPiece = { result: true, piece: false, model: true };
  assert.deepEqual(await left('EXPORT', 'succeeded', 'joined'), noPiece);
  assert.deepEqual(await left('EXPORT', 'failed', 'part'), noPiece);
  assert.deepEqual(await left('EXPORT', 'succeeded', 'part'), { result: true, piece: true, model: true });
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
