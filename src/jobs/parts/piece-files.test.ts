import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openBlobStore } from '../../store/blob/open-blob-store.ts';
import { joinLines } from './join-lines.ts';
import { pieceOf, putPieceFiles, removePieces, sweepPieces } from './piece-files.ts';

async function threePieces(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const blobs = openBlobStore({ dataDir });
  for (const [jobId, attemptId] of [
    ['job_1', 'p1-1'],
    ['job_1', 'p2-1'],
    ['job_2', 'p3-1'],
  ]) {
    writeFileSync(join(dataDir, 'lines'), `${jobId} ${attemptId}\n`);
    await putPieceFiles(blobs, { jobId, attemptId, folder: dataDir }, ['lines']);
  }
  const keys = async () => (await Array.fromAsync(blobs.list(''))).map(({ key }) => key).sort();
  return { dataDir, blobs, keys };
}

const resultOf = (attempt_id: string) => ({ attempt_id, facts: {} });

test('the lines of pieces are joined in order', async (t) => {
  const { dataDir, blobs } = await threePieces(t);
  const pieces = ['p2-1', 'p1-1'].map((attempt) => pieceOf(blobs, 'job_1', resultOf(attempt)));
  const target = join(dataDir, 'joined');
  await joinLines(pieces, 'lines', target);
  assert.equal(readFileSync(target, 'utf8'), 'job_1 p2-1\njob_1 p1-1\n');
  await assert.rejects(joinLines(pieces, 'lines', target), { code: 'EEXIST' });
});

test('a piece that is the whole is moved', async (t) => {
  const { dataDir, blobs } = await threePieces(t);
  const target = join(dataDir, 'joined');
  await joinLines([pieceOf(blobs, 'job_2', resultOf('p3-1'))], 'lines', target);
  assert.equal(readFileSync(target, 'utf8'), 'job_2 p3-1\n');
});

test('the files of one attempt go alone, those of a job together', async (t) => {
  const { blobs, keys } = await threePieces(t);
  const [first, second, other] = await keys();
  await removePieces(blobs, 'job_1', 'p1-1');
  assert.deepEqual(await keys(), [second, other]);
  assert.ok(first.includes('p1-1'));
  await removePieces(blobs, 'job_1');
  assert.deepEqual(await keys(), [other]);
});

test('files of jobs that have ended are swept, and each job is looked up once', async (t) => {
  const { blobs, keys } = await threePieces(t);
  const asked: string[] = [];
  const isWaiting = async (jobId: string) => {
    asked.push(jobId);
    return jobId === 'job_2';
  };
  assert.deepEqual(await sweepPieces(blobs, isWaiting), ['job_1']);
  assert.deepEqual(asked.sort(), ['job_1', 'job_2']);
  assert.equal((await keys()).length, 1);
  assert.deepEqual(await sweepPieces(blobs, isWaiting), []);
});
