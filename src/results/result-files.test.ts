import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { joinedLines } from '../jobs/parts/join-lines.ts';
import { pieceOf, putPieceFiles, removePieces } from '../jobs/parts/piece-files.ts';
import { openBlobStore } from '../store/blob/open-blob-store.ts';
import { BlobNotFound } from '../store/blob-store.ts';
import { ResultEraser } from './erase-users.ts';
import { writeLinesWithout } from './export-table.ts';
import { publishLines } from './publish-lines.ts';
import { MAX_REWRITTEN_BYTES, readResult } from './result-files.ts';
import { referenceOf } from './result-link.ts';

const JOB = 'job_1';
const LINES = ['{"user_id":"u1"}\n', '{"user_id":"u2"}\n', '{"user_id":"u3"}\n'];

/** Publishes the lines of three parts, each said to be of `bytes`. */
async function published(t: TestContext, bytes: number, hasErased = false) {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const blobs = openBlobStore({ dataDir: folder });
  const results = LINES.map((_, n) => ({ attempt_id: `part-${n}`, facts: { bytes } }));
  for (const [n, line] of LINES.entries()) {
    writeFileSync(join(folder, 'lines'), line);
    await putPieceFiles(blobs, { jobId: JOB, attemptId: `part-${n}`, folder }, ['lines']);
  }
  const cleaned: boolean[] = [];
  const result = await publishLines({
    blobs,
    secret: 'secret',
    scratchDir: folder,
    lines: joinedLines(
      results.map((one) => pieceOf(blobs, JOB, one)),
      'lines',
    ),
    resultId: 'job_1-1',
    table: null,
    nowMs: Date.now(),
    erasures: {
      hasErased: async () => hasErased,
      publish: (put) => {
        cleaned.push(true);
        return put(false);
      },
    },
    write: writeLinesWithout,
  });
  const reference = referenceOf(String(result.download_path))!;
  const keys = () => Array.fromAsync(blobs.list('results/'), ({ key }) => key.split('/').at(-1));
  const read = async () => {
    const { stream, bytes: size } = await readResult(blobs, reference, 'jsonl');
    const content = await text(stream);
    assert.equal(size, Buffer.byteLength(content));
    return content;
  };
  return { folder, blobs, result, reference, cleaned, keys, read };
}

function eraserOf(
  { blobs, result, folder }: Pick<Awaited<ReturnType<typeof published>>, 'blobs' | 'result' | 'folder'>,
  maxBytes: number,
): ResultEraser {
  const about = { ...result, what: 'user_vectors', format: 'jsonl' };
  const jobs = { forgetUsers: async () => {}, resultsOver: async () => [about] } as never;
  const store = { jobs, exclusively: <T>(_: string, work: () => Promise<T>) => work() };
  return new ResultEraser({ store: store as never, blobs, scratchDir: folder, maxBytes });
}

test('the lines of a large result stay in the files of its parts, and are read as one', async (t) => {
  const { folder, blobs, cleaned, keys, read } = await published(t, MAX_REWRITTEN_BYTES);
  const kept = [0, 1, 2].map((n) => `job_1-1.jsonl.00000${n}-000003`);
  assert.deepEqual([await keys(), cleaned], [kept, []]);
  const [first] = await Array.fromAsync(blobs.list('results/'));
  assert.equal(statSync(join(folder, 'artifacts', first.key)).nlink, 2, 'nothing was copied');
  await removePieces(blobs, JOB);
  assert.equal(await read(), LINES.join(''));
});

test('lines that may be written again, or of users deleted meanwhile, are joined', async (t) => {
  const small = await published(t, MAX_REWRITTEN_BYTES / 4);
  const erased = await published(t, MAX_REWRITTEN_BYTES, true);
  for (const { keys, read, cleaned } of [small, erased]) {
    assert.deepEqual([await keys(), cleaned], [['job_1-1.jsonl'], [true]]);
    assert.equal(await read(), LINES.join(''));
  }
});

test('a large result is removed when a user is deleted, and what is left of a removal is no result', async (t) => {
  const { blobs, result, reference, keys, read, folder } = await published(t, MAX_REWRITTEN_BYTES);
  const [first, second] = await Array.fromAsync(blobs.list('results/'));
  await blobs.delete(second.key);
  await assert.rejects(read(), BlobNotFound);
  await blobs.delete(first.key);
  await assert.rejects(read(), BlobNotFound);
  assert.equal(await eraserOf({ blobs, result, folder }, 1).erase('acc_1', 'dst_1', ['u2']), 1);
  assert.deepEqual(await keys(), []);
  await assert.rejects(readResult(blobs, reference, 'jsonl'), BlobNotFound);
});

test('a removal of a large result that was interrupted is completed by the next deletion of a user', async (t) => {
  const parts = await published(t, MAX_REWRITTEN_BYTES);
  // What the interruption leaves is small.
  const eraser = eraserOf(parts, LINES.join('').length - 1);
  const remove = parts.blobs.delete.bind(parts.blobs);
  const away = new Error('the store is away');
  t.mock.method(parts.blobs, 'delete', async (key: string) => {
    if (key.includes('000001-')) throw away;
    await remove(key);
  });
  await assert.rejects(eraser.erase('acc_1', 'dst_1', ['u2']), away);
  assert.equal((await parts.keys()).length, 2);
  t.mock.restoreAll();
  await eraser.erase('acc_1', 'dst_1', ['u2']);
  assert.deepEqual(await parts.keys(), []);
});
