// Files of histories: which of them a training writes, and what becomes of them, without Spark. That Spark counts the same out of them is tested by `npm run test:spark`.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { fakeSpark } from '../../../test/support/fake-spark.ts';
import { plainHistories } from '../../../test/support/plain-histories.ts';
import { seededRandom } from '../../base/seeded-random.ts';
import { HistoryBlocks } from '../../dataset/history-blocks.ts';
import type { StoreNumbers } from '../../dataset/read-store.ts';
import { KernelMemory } from '../../kernels/kernel-memory.ts';
import { openBlobStore } from '../../store/blob/open-blob-store.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import type { HistoryFiles } from './history-files.ts';
import { sweepSparkRuns } from './run-files.ts';
import { SparkAggregation } from './spark-aggregation.ts';
import type { SparkSettings } from './spark-application.ts';

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

interface PutOptions {
  readonly name: string;
  readonly blockBytes?: number;
  readonly passEntries?: number;
  readonly numbers?: StoreNumbers;
  readonly settings?: SparkSettings;
  readonly mayStay?: () => Promise<boolean>;
}

/** Writes histories as a training does, in blocks of this size. The run is still active when it returns. */
async function put(users: readonly History[], options: PutOptions): Promise<SparkAggregation & AsyncDisposable> {
  const { name, mayStay, blockBytes, passEntries, numbers, settings = { master: 'local', submit: 'none' } } = options;
  const source = plainHistories({ users: [...users], itemCount: ITEMS });
  const histories = await HistoryBlocks.build(new KernelMemory(), source, { blockBytes });
  const place = { settings, blobs, blobsUrl: pathToFileURL(join(dataDir, 'artifacts')).href, scratchDir: dataDir };
  const aggregation = await SparkAggregation.create(
    {
      ...place,
      runId: `run-${runs++}`,
      fileEntries: FILE_ENTRIES,
      ...(passEntries && { passEntries }),
      kept: { name, ...(mayStay && { mayStay }) },
    },
    histories,
    numbers,
  );
  const end = async () => {
    await aggregation.close();
    await histories.close();
  };
  return Object.assign(aggregation, { [Symbol.asyncDispose]: end });
}

async function train(users: readonly History[], options: PutOptions): Promise<HistoryFiles> {
  await using aggregation = await put(users, options);
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

/** Histories in an order that does not depend on files. */
const sorted = (users: readonly History[]) =>
  users
    .filter(({ items }) => items.length > 0)
    .map((user) => JSON.stringify(user))
    .sort();

/** The same users and items under other numbers, as after one more event, which can give a training another order of both. */
function renumbered(users: readonly History[]): { users: History[]; numbers: StoreNumbers } {
  const userNumbers = Uint32Array.from(users.keys()).sort((a, b) => ((a * 7919) % 1009) - ((b * 7919) % 1009));
  const itemNumbers = Uint32Array.from({ length: ITEMS }, (_, n) => (n * 37 + 11) % ITEMS);
  const numberOf = new Map(Array.from(itemNumbers, (stored, number) => [stored, number]));
  const own = Array.from(userNumbers, (user) => ({
    items: users[user].items.map((item) => numberOf.get(item)!),
    weights: users[user].weights,
  }));
  return { users: own, numbers: { userNumbers, itemNumbers } };
}

test('files have every history with items', async () => {
  const users = madeHistories(300);
  const { keys } = await train(users, { name: 'dataset-1/all' });
  assert.ok(keys.length > 5, `${keys.length} files`);
  assert.equal(new Set(keys).size, keys.length);
  assert.deepEqual(sorted(await readBack(keys)), sorted(users));
});

test('files are the same however many passes, blocks of memory, and orders of users and items there are', async () => {
  const users = madeHistories(400);
  const name = 'dataset-1/same';
  const { keys } = await train(users, { name });
  const other = renumbered(users);
  assert.notDeepEqual(other.users, users);
  for (const [given, options] of [
    [users, { blockBytes: 5000 }],
    [users, { passEntries: 1 }],
    [users, { passEntries: 2 * FILE_ENTRIES, blockBytes: 5000 }],
    [other.users, { numbers: other.numbers, blockBytes: 5000 }],
  ] as const) {
    const again = await train(given, { name, ...options });
    assert.deepEqual(again.written, []);
    assert.deepEqual(again.keys, keys);
  }
});

test('the next training writes the files that changed and removes those that they replace', async () => {
  const users = madeHistories(400);
  const name = 'dataset-1/changed';
  const first = await train(users, { name });
  assert.deepEqual(first.written, first.keys);
  for (const place of [0, 150, 399]) {
    const { items, weights } = users[place];
    const changed = users.with(place, { items: [ITEMS - 1, ...items.slice(1)], weights: [2, ...weights.slice(1)] });
    const next = await train(changed, { name });
    assert.equal(next.written.length, 1);
    assert.deepEqual(await keysBelow(`spark/kept/${name}/`), [...next.keys].sort());
    assert.deepEqual(sorted(await readBack(next.keys)), sorted(changed));
    await train(users, { name });
  }
  const grown = await train([...users, ...madeHistories(2)], { name });
  assert.ok(grown.written.length <= 2, 'new users do not move others to other files');
});

test('users with equal histories in several files are all counted', async () => {
  const users = Array.from({ length: 200 }, () => ({ items: [1, 2, 3, 4], weights: [1, 1, 1, 1] }));
  const { keys } = await train(users, { name: 'dataset-1/equal' });
  assert.equal(new Set(keys).size, keys.length);
  assert.equal((await readBack(keys)).length, 200);
});

test('files that another training uses are not removed', async () => {
  const users = madeHistories(100);
  const name = 'dataset-2/shared';
  const running = await put(users, { name });
  const other = await train(madeHistories(120), { name });
  assert.deepEqual(await keysBelow(`spark/kept/${name}/`), [...running.files.keys, ...other.keys].sort());
  await running[Symbol.asyncDispose]();
  const last = await train(users, { name });
  assert.deepEqual(last.written, []);
  assert.deepEqual(await keysBelow(`spark/kept/${name}/`), [...running.files.keys].sort());
});

test('a training whose kept histories are removed while it counts writes its own, and keeps none', async () => {
  const name = 'dataset-2/erased';
  // Fails like Spark when a file is missing.
  const response = `({ histories }) => {
    for (const url of histories) fs.readFileSync(new URL(url));
    return { rows: 0 };
  }`;
  await using running = await put(madeHistories(200), { name, settings: await fakeSpark(dataDir, { response }) });
  await running.counts();
  const { keys } = running.files;
  assert.ok(keys.every((key) => key.startsWith(`spark/kept/${name}/`)));
  await blobs.delete(keys[2]);
  await running.counts();
  assert.deepEqual(sorted(await readBack(running.files.keys)), sorted(madeHistories(200)));
  for (const key of keys) await blobs.delete(key);
  await running.counts();
  assert.deepEqual(await keysBelow(`spark/kept/${name}/`), []);
});

test('a count that fails although all histories are there is not repeated', async () => {
  const response = `() => { fs.writeSync(2, 'an error\\n'); process.exit(1); }`;
  await using running = await put(madeHistories(20), {
    name: 'dataset-2/failed',
    settings: await fakeSpark(dataDir, { response }),
  });
  await assert.rejects(running.counts(), /an error/);
});

test('rows that are missing from what Spark says that it wrote fail the count', async () => {
  await using running = await put(madeHistories(20), {
    name: 'dataset-2/lost',
    settings: await fakeSpark(dataDir, { response: '() => ({ rows: 3 })' }),
  });
  await assert.rejects(running.counts(), /Spark wrote 3 rows below spark\/run-\d+\/out-0\/rows\/, but 0 are there/);
});

test('histories are not kept when a user was deleted since the events were read', async () => {
  const name = 'dataset-2/deleted';
  await train(madeHistories(30), { name });
  await using running = await put(madeHistories(30), { name, mayStay: async () => false });
  assert.deepEqual(await keysBelow(`spark/kept/${name}/`), []);
  assert.deepEqual(sorted(await readBack(running.files.keys)), sorted(madeHistories(30)));
});

test('the sweep removes runs that ended at once, and kept histories after a week unless a training runs', async () => {
  const { keys } = await train(madeHistories(50), { name: 'dataset-3/old' });
  await writeFile(join(dataDir, 'local'), 'bytes');
  await blobs.putFile('spark/killed/out-0/part.parquet', join(dataDir, 'local'));
  const week = 7 * 86_400_000;
  const none = async () => new Set<string>();
  assert.deepEqual(await sweepSparkRuns(blobs, none, Date.now() + week / 2), ['killed']);
  assert.deepEqual(await keysBelow('spark/kept/dataset-3/'), [...keys].sort());
  const running = await put(madeHistories(50), { name: 'dataset-3/old' });
  await sweepSparkRuns(blobs, async () => new Set([`run-${runs - 1}`]), Date.now() + 2 * week);
  assert.deepEqual(await keysBelow('spark/kept/dataset-3/'), [...keys].sort());
  await running[Symbol.asyncDispose]();
  await sweepSparkRuns(blobs, none, Date.now() + 2 * week);
  assert.deepEqual(await keysBelow('spark/'), []);
});

test('the sweep leaves a run that begins while it looks', async () => {
  let begun: (SparkAggregation & AsyncDisposable) | undefined;
  const list = async function* (prefix: string) {
    // The run was in the queue's list of running jobs before it wrote anything.
    begun ??= await put(madeHistories(50), { name: 'dataset-4/begun' });
    yield* blobs.list(prefix);
  };
  const running = async () => new Set(begun ? [`run-${runs - 1}`] : []);
  const swept = await sweepSparkRuns({ list, delete: (key) => blobs.delete(key) }, running, Date.now());
  assert.deepEqual(swept, []);
  assert.ok((await keysBelow(`spark/run-${runs - 1}/`)).length > 0);
  await begun![Symbol.asyncDispose]();
});
