// Files of histories: which of them a training writes, without Spark. That Spark counts the same out of them is tested by `npm run test:spark`.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { plainHistories } from '../../../test/support/plain-histories.ts';
import { HistoryBlocks } from '../../dataset/history-blocks.ts';
import { seededRandom } from '../../domain/seeded-random.ts';
import { KernelMemory } from '../../kernels/kernel-memory.ts';
import { openBlobStore } from '../../store/blob/open-blob-store.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import type { HistoryFiles } from './history-files.ts';
import { SparkAggregation, sweepSparkRuns } from './spark-aggregation.ts';

let dataDir: string;
let blobs: BlobStore;
let runs = 0;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kindred-histories-'));
  blobs = openBlobStore({ dataDir });
});
after(() => rm(dataDir, { recursive: true, force: true }));

interface History {
  items: number[];
  weights: number[];
}

const ITEMS = 500;
const FILE_ENTRIES = 400;

function madeHistories(users: number): History[] {
  const { next: random } = seededRandom(users);
  return Array.from({ length: users }, () => {
    const items = [...new Set(Array.from({ length: Math.floor(random() * 20) }, () => Math.floor(random() * ITEMS)))];
    return { items, weights: items.map(() => 1 + Math.floor(random() * 4) / 4) };
  });
}

/** As a training writes them, in blocks of this size; the run is still there. */
async function put(users: readonly History[], { keptAs, blockBytes }: { keptAs: string; blockBytes?: number }) {
  const source = plainHistories({ users: [...users], itemCount: ITEMS });
  await using histories = await HistoryBlocks.build(new KernelMemory(), source, { blockBytes });
  const place = { settings: { master: 'local', submit: 'none' }, blobs, blobsUrl: 'file:///', scratchDir: dataDir };
  return await SparkAggregation.create(
    { ...place, runId: `run-${runs++}`, keptAs, fileEntries: FILE_ENTRIES },
    histories,
  );
}

async function train(
  users: readonly History[],
  options: { keptAs: string; blockBytes?: number },
): Promise<HistoryFiles> {
  const aggregation = await put(users, options);
  await aggregation.close();
  return aggregation.files;
}

async function readBack(keys: readonly string[]): Promise<History[]> {
  const users: History[] = [];
  for (const key of keys) {
    const file = await asyncBufferFromFile(await blobs.localFile(key));
    users.push(...((await parquetReadObjects({ file, compressors })) as History[]));
  }
  return users.map(({ items, weights }) => ({ items, weights: weights.map((weight) => weight / 2 ** 16) }));
}

const keysBelow = async (prefix: string) => (await Array.fromAsync(blobs.list(prefix))).map(({ key }) => key).sort();

test('files have every history with items, in order', async () => {
  const users = madeHistories(300);
  const { keys } = await train(users, { keptAs: 'dataset-1/all' });
  assert.ok(keys.length > 5, `${keys.length} files`);
  assert.deepEqual(
    await readBack(keys),
    users.filter(({ items }) => items.length > 0),
  );
});

test('the next training writes the files that changed and removes those that they replace', async () => {
  const users = madeHistories(400);
  const keptAs = 'dataset-1/changed';
  const first = await train(users, { keptAs });
  assert.deepEqual(first.written, first.keys);
  const again = await train(users, { keptAs, blockBytes: 5000 });
  assert.deepEqual(again.keys, first.keys, 'blocks of memory do not matter');
  assert.deepEqual(again.written, []);
  for (const place of [0, 150, 399]) {
    const { items, weights } = users[place];
    const changed = users.with(place, { items: [ITEMS - 1, ...items.slice(1)], weights: [2, ...weights.slice(1)] });
    const next = await train(changed, { keptAs });
    assert.ok(next.written.length >= 1 && next.written.length <= 2, `${next.written.length} of ${next.keys.length}`);
    assert.deepEqual(await keysBelow(`spark/kept/${keptAs}/`), [...next.keys].sort());
    assert.deepEqual(
      await readBack(next.keys),
      changed.filter((user) => user.items.length > 0),
    );
    await train(users, { keptAs });
  }
  const grown = await train([...madeHistories(3), ...users], { keptAs });
  assert.ok(grown.written.length <= 2, 'new users do not move those after them to other files');
});

test('users with equal histories in several files are all counted', async () => {
  const users = Array.from({ length: 200 }, () => ({ items: [1, 2, 3, 4], weights: [1, 1, 1, 1] }));
  const { keys } = await train(users, { keptAs: 'dataset-1/equal' });
  assert.equal(new Set(keys).size, keys.length);
  assert.equal((await readBack(keys)).length, 200);
});

test('files that another training uses are not removed', async () => {
  const users = madeHistories(100);
  const keptAs = 'dataset-2/shared';
  const running = await put(users, { keptAs });
  const other = await train(madeHistories(120), { keptAs });
  const kept = await keysBelow(`spark/kept/${keptAs}/`);
  assert.deepEqual(kept, [...running.files.keys, ...other.keys].sort());
  await running.close();
  const last = await train(users, { keptAs });
  assert.deepEqual(last.written, []);
  assert.deepEqual(await keysBelow(`spark/kept/${keptAs}/`), [...running.files.keys].sort());
});

test('the sweep removes runs that ended at once, and kept histories after a week unless a training runs', async () => {
  const { keys } = await train(madeHistories(50), { keptAs: 'dataset-3/old' });
  await writeFile(join(dataDir, 'local'), 'bytes');
  await blobs.putFile('spark/killed/out-0/part.parquet', join(dataDir, 'local'));
  const week = 7 * 86_400_000;
  assert.deepEqual(await sweepSparkRuns(blobs, () => false, Date.now() + week / 2), ['killed']);
  assert.deepEqual(await keysBelow('spark/kept/dataset-3/'), [...keys].sort());
  const running = await put(madeHistories(50), { keptAs: 'dataset-3/old' });
  await sweepSparkRuns(blobs, () => true, Date.now() + 2 * week);
  assert.deepEqual(await keysBelow('spark/kept/dataset-3/'), [...keys].sort());
  await running.close();
  await sweepSparkRuns(blobs, () => false, Date.now() + 2 * week);
  assert.deepEqual(await keysBelow('spark/'), []);
});
