// Lists that threads make: the same bytes as one thread makes, in the same order, and what a failing thread does.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { plantedProject } from '../../../test/support/planted-project.ts';
import type { RecommendationJobData } from '../../domain/recommendation-job.ts';
import { allUsers, type UserRange } from '../../pieces/user-range.ts';
import { batchesOf } from './job-users.ts';
import type { ListMaker } from './list-protocol.ts';
import { ListThreads } from './list-threads.ts';
import type { UserBatch } from './user-batch.ts';
import { UserLists } from './user-lists.ts';

let planted: Awaited<ReturnType<typeof plantedProject>>;
let context: Awaited<ReturnType<typeof planted.run>> & { range: UserRange };
let data: RecommendationJobData;
const orderOf = (change: Partial<RecommendationJobData> = {}) => ({
  project: planted.project,
  data: { ...data, ...change },
  placement: null,
  attributes: ['genre'],
  types: {},
  nowMs: 0,
});
before(async () => {
  planted = await plantedProject({ groups: 3, usersPerGroup: 300, itemsPerGroup: 20, eventsPerUser: 8, loyalty: 0.9 });
  const range = await allUsers(planted.store, planted.project);
  context = { ...(await planted.run('RECOMMENDATION', {})), range };
  data = {
    model_id: planted.modelId,
    ranker_model_id: null,
    users: { all: true },
    limit: 5,
    objective: 'auto',
    filter_query: null,
    filter_params: {},
    exclude_event_types: [],
    attributes: ['genre'],
    format: 'jsonl',
    placement: null,
    model_given: true,
    destination: null,
  };
});
after(() => planted.close());

async function linesOf(maker: ListMaker): Promise<string[]> {
  try {
    const { batches } = await batchesOf(data.users, planted.project, context);
    const parts: string[] = [];
    for await (const { bytes } of maker.make(batches(maker))) parts.push(Buffer.from(bytes).toString());
    return parts.join('').trimEnd().split('\n');
  } finally {
    await maker.close();
  }
}

test('threads make the lists that one thread makes, in the same order', async () => {
  const alone = await linesOf(await UserLists.open(context, orderOf()));
  assert.equal(alone.length, 903);
  assert.equal(new Set(alone.map((line) => JSON.parse(line).user_id)).size, 903);
  const threads = await ListThreads.open({ config: context.config, ...orderOf() }, 3);
  assert.deepEqual(await linesOf(threads), alone);
});

test('long lists come in more batches, the same however many make them', async () => {
  const order = orderOf({ limit: 500 });
  const lists = await UserLists.open(context, order);
  const { batches } = await batchesOf(data.users, planted.project, context);
  const sizes = (await Array.fromAsync(batches(lists))).map(({ userIds }) => userIds.length);
  assert.equal(Math.max(...sizes), 102);
  const threads = await ListThreads.open({ config: context.config, ...order }, 2);
  assert.deepEqual(await linesOf(threads), await linesOf(lists));
});

test('users named by their ids get the lists they get in a scan', async () => {
  const { project } = planted;
  const all = new Map<string, string>();
  for (const line of await linesOf(await UserLists.open(context, orderOf()))) {
    all.set(JSON.parse(line).user_id, line);
  }
  const userIds = [...all.keys()].slice(0, 300);
  const named = await UserLists.open(context, orderOf());
  const { batches } = await batchesOf({ user_ids: userIds }, project, context);
  const parts: string[] = [];
  for await (const { bytes } of named.make(batches(named))) parts.push(Buffer.from(bytes).toString());
  assert.equal(parts.join(''), userIds.map((id) => `${all.get(id)}\n`).join(''));
});

test('a model that is gone fails the job with its reason', async () => {
  await assert.rejects(ListThreads.open({ config: context.config, ...orderOf({ model_id: 'mdl_gone' }) }, 2), {
    code: 'MODEL_NOT_FOUND',
  });
});

test('a thread that cannot open the store fails the lists with the error', async () => {
  const config = { ...context.config, dataDir: '/dev/null/nowhere', databaseUrl: null };
  await assert.rejects(ListThreads.open({ config, ...orderOf() }, 1), /ENOTDIR/);
});

test('what fails in a thread fails the lists', async () => {
  const broken = orderOf({ filter_query: 'year < $missing' });
  const threads = await ListThreads.open({ config: context.config, ...broken }, 2);
  await assert.rejects(linesOf(threads), { code: 'INVALID_FILTER' });
});

test('a thread that ends without an error fails the lists, before it is ready or while it works', async () => {
  const opened = () => ListThreads.open({ config: context.config, ...orderOf() }, 1);
  const nextThread = async () => ((await once(process, 'worker')) as [Worker])[0];
  const failureAfter = async (ended: Promise<unknown>, lists: Promise<unknown>) => {
    const failure = lists.then(
      () => 'none',
      ({ message }: Error) => message,
    );
    await ended;
    return Promise.race([failure, nextTurn('still waiting')]);
  };
  const expected = 'A thread that makes lists ended unexpectedly.';

  const endedEarly = nextThread().then((thread) => thread.terminate());
  assert.equal(await failureAfter(endedEarly, opened()), expected);

  const starting = nextThread();
  const threads = await opened();
  const thread = await starting;
  const { batches } = await batchesOf(data.users, planted.project, context);
  const [first, second] = await Array.fromAsync(batches(threads));
  const ended = Promise.withResolvers<void>();
  async function* given(): AsyncGenerator<UserBatch> {
    yield first;
    await thread.terminate();
    ended.resolve();
    yield second;
  }
  try {
    assert.equal(await failureAfter(ended.promise, Array.fromAsync(threads.make(given()))), expected);
  } finally {
    await threads.close();
  }
});
