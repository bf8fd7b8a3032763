import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { submit, versionOf } from '../../../test/support/filled-account.ts';
import { newId } from '../../../test/support/new-ids.ts';
import { plantModel } from '../../../test/support/plant-model.ts';
import { PEOPLE, recommendationPlaces } from '../../../test/support/recommendation-stage.ts';
import { makeEvent } from '../../../test/support/store-fixtures.ts';
import { tasteModel, turnedModel } from '../../../test/support/taste-project.ts';
import type { LiftTables } from '../../artifact/g1-model.ts';
import type { PlacementDefinition } from '../../domain/placement.ts';
import { AppError } from '../../errors.ts';
import { DELETED_USER } from '../../results/named-users.ts';
import { resultKey, resultPath } from '../../results/result-link.ts';

const stage = recommendationPlaces();
const idsOf = (results: { item: { item_id: string } }[]) => results.map(({ item }) => item.item_id);

test('every user gets a list, also those who have a record alone', async () => {
  const { ask, lists } = await stage();
  const { result, progress } = await ask();
  const found = await lists();
  assert.deepEqual(found.map(({ user_id }) => user_id).sort(), [...PEOPLE, 'u9']);
  for (const { user_id, results } of found.filter((list) => list.user_id !== 'u9')) {
    assert.deepEqual(
      [results.length, results[0].item.item_id],
      [1, `i${user_id.slice(1)}`],
      'the one that they did not have',
    );
  }
  assert.deepEqual([result.total_users, result.message, result.format], [5, 'Lists for 5 users.', 'jsonl']);
  assert.deepEqual(progress[0], { fraction: 0, phase: 'load', message: 'Loading the model and the item catalog.' });
  assert.deepEqual(progress.at(-2), { fraction: 0.95, phase: 'users', message: '5 of 5 users.' });
  assert.deepEqual(progress.at(-1), { fraction: 0.95, phase: 'write', message: 'Writing the result.' });

  // A limit of 60 exceeds the catalog, where lists are filled in other ways.
  for (const limit of [3, 60]) {
    await ask({ limit });
    const scanned = (await lists()).filter(({ user_id }) => user_id !== 'u9');
    await ask({ limit, users: { user_ids: scanned.map(({ user_id }) => user_id) } });
    assert.deepEqual(await lists(), scanned, 'the same whether users are named or scanned');
    assert.equal(scanned.length, PEOPLE.length);
  }

  const { result: named } = await ask({ users: { user_ids: ['u2'] } });
  assert.equal(named.message, 'Lists for 1 user.');
  assert.deepEqual(await lists(), [found.find(({ user_id }) => user_id === 'u2')], 'the same without a scan');
});

test('boosts, pins and excluded items of the job are in every list, whether users are named or scanned', async () => {
  const { ask, lists } = await stage();
  for (const users of [{ user_ids: ['u0', 'u9'] }, { all: true }]) {
    const found = async (call: object): Promise<Record<string, string[]>> => {
      await ask({ limit: 2, users, ...call });
      return Object.fromEntries((await lists()).map(({ user_id, results }) => [user_id, idsOf(results)]));
    };
    assert.equal((await found({})).u0[0], 'i0');
    const pinned = await found({ call: { pins: [{ position: 1, item_id: 'i7' }] } });
    assert.deepEqual([pinned.u0[0], pinned.u9[0]], ['i7', 'i7']);
    const without = await found({ call: { exclude_item_ids: ['i0'] } });
    assert.ok(Object.values(without).every((ids) => !ids.includes('i0')));
    const boosts = [{ filter_query: "item_id = 'i8'", factor: 100 }];
    assert.equal((await found({ call: { boosts } })).u9[0], 'i8', 'of a user with a record alone');
  }
});

test('the users of a job can be those of a querying job, without deleted ones', async () => {
  const { store, blobs, dataDir, project, ask, lists } = await stage();
  const { job_id } = await submit(store, project, 'QUERYING');
  const { lease } = (await store.queue.claim('worker', ['QUERYING'], Date.now()))!;
  const reference = { resultId: 'found', expiredAtSec: 9_999_999_999 };
  const users = ['u3', DELETED_USER, 'u1', 'u3'].map((user_id) => ({ user_id }));
  writeFileSync(join(dataDir, 'found.json'), JSON.stringify({ users }));
  await blobs.putFile(resultKey(reference, 'json'), join(dataDir, 'found.json'));
  assert.ok(await store.queue.finish(lease, { result: { download_path: resultPath('', reference) } }, Date.now()));
  const { result } = await ask({ users: { job_id } });
  assert.deepEqual(
    (await lists()).map(({ user_id }) => user_id),
    ['u3', 'u1'],
  );
  assert.equal(result.total_users, 2);
  await assert.rejects(ask({ users: { job_id } }), { code: 'RESULT_NOT_FOUND' }, 'its files are deleted');
});

test('filters see the record of each user, wherever they are in a placement', async () => {
  const { store, project, ask, lists } = await stage();
  const { account_id, project_id, user_dataset_id, item_dataset_id } = project;
  const users = (await store.datasets.get(account_id, 'user', user_dataset_id))!;
  const items = (await store.datasets.get(account_id, 'item', item_dataset_id))!;
  await store.items.upsert(
    items,
    Array.from({ length: 9 }, (_, n) => ({ id: `i${n}`, attributes: { price: n } })),
  );
  // Each user pays for an item that they have not had.
  const pays = (n: number) => (n % 3) + 4;
  await store.users.upsert(
    users,
    PEOPLE.map((id, n) => ({ id, attributes: { pays: pays(n), skips: n } })),
  );
  const found = async (change: object) => {
    await ask({ users: { user_ids: PEOPLE }, ...change });
    const listed = (await lists()).filter(({ user_id }) => PEOPLE.includes(user_id));
    return listed.map(({ user_id, results }) => `${user_id}: ${results[0]?.item.item_id}`).sort();
  };
  const wanted = PEOPLE.map((id, n) => `${id}: i${pays(n)}`);
  const filter_query = 'price = user.pays';
  assert.deepEqual(await found({ filter_query }), wanted);
  const others = await found({ filter_query: 'price != user.skips' });
  assert.ok(!others.includes('u1: i1'), 'what came first for them is left out');
  assert.deepEqual(await found({ filter_query: 'price != user.skips', users: { all: true } }), others);

  const boosts = [{ filter_query, factor: 1e6 }];
  const perPrice = [4, 5, 6].map((price) => ({
    ...{ name: `${price}`, only_if: `user.pays = ${price}`, filter_query: `price = ${price}` },
  }));
  const definitions: Record<string, Partial<PlacementDefinition>> = {
    filter: { defaults: { filter_query } },
    boost: { defaults: { boosts } },
    'filter-of-rule': { rules: [{ name: 'theirs', filter_query }] },
    'boost-of-rule': { rules: [{ name: 'theirs', boosts }] },
    'condition-of-rule': { rules: perPrice },
    variant: {},
  };
  for (const [name, change] of Object.entries(definitions)) {
    const { definition, ...version } = versionOf(1);
    const current = { ...version, definition: { ...definition, ...change } };
    assert.equal(
      typeof (await store.placements.create({ account_id, project_id, name, created_ts: 1, current })),
      'number',
    );
    if (name === 'variant') {
      const experiment = { account_id, project_id, experiment_id: newId('experiment'), name, placement: name };
      assert.equal(
        typeof (await store.experiments.create({
          ...{ ...experiment, metric: 'click', min_days: 7, status: 'RUNNING', created_ts: 1, stopped_ts: null },
          variants: ['one', 'other'].map((variant) => ({ name: variant, share: 1, overrides: { filter_query } })),
          ...{ promoted: null, decided: null },
        })),
        'number',
      );
    }
    assert.deepEqual(await found({ placement: name, limit: null, objective: null }), wanted, name);
  }
});

test('a model that knows attributes of users lists by them, for users who are new too', async () => {
  const { dataDir, project, store, ask, lists } = await stage();
  const users = (await store.datasets.get(project.account_id, 'user', project.user_dataset_id))!;
  await store.users.upsert(users, [{ id: 'u8', attributes: { kind: 'other' } }]);
  const plain = tasteModel();
  const { length } = plain.itemIds;
  // New users get the fifth item, others the seventh.
  const coldUsers: LiftTables = {
    binnings: [{ attribute: 'kind', handling: 'CATEGORICAL', edges: [] }],
    ...{ features: ['0:new', '0:other'], offsets: new Float32Array(2), kappas: [1] },
    lifts: {
      ...{ rowCount: 2, columnCount: length, offsets: Uint32Array.of(0, 1, 2) },
      ...{ columns: Uint32Array.of(4, 6), values: Float32Array.of(9, 9) },
    },
    logPopularity: new Float32Array(length).fill(-2),
  };
  const { modelId } = await plantModel({ dataDir }, project, { ...plain, coldUsers });
  for (const users of [{ user_ids: ['u8', 'u9'] }, { all: true }]) {
    await ask({ model_id: modelId, users });
    const found = Object.fromEntries((await lists()).map(({ user_id, results }) => [user_id, idsOf(results)]));
    assert.deepEqual([found.u9, found.u8], [[plain.itemIds.at(4)], [plain.itemIds.at(6)]]);
  }
});

test('a placement makes lists as long as it says, whether users are named or scanned', async () => {
  const { store, project, ask, lists } = await stage();
  const { account_id, project_id } = project;
  await store.placements.create({ account_id, project_id, name: 'home', created_ts: 1, current: versionOf(2) });
  const byPlacement = { placement: 'home', limit: null, objective: null };
  await ask(byPlacement);
  const all = (await lists()).sort((a, b) => (a.user_id < b.user_id ? -1 : 1));
  assert.deepEqual(
    all.map(({ results }) => results.length),
    [2, 2, 2, 2, 2],
  );
  await ask({ ...byPlacement, users: { user_ids: [...PEOPLE, 'u9'] } });
  assert.deepEqual(await lists(), all);
  await ask({ ...byPlacement, limit: 1, objective: 'any' });
  for (const { results, objective } of await lists()) assert.deepEqual([results.length, objective], [1, 'any']);
});

test('a job can be for many named users, and by a placement of what is popular', async () => {
  const { store, project, ask, lists } = await stage();
  const { account_id, project_id } = project;
  const { definition, ...version } = versionOf(2);
  const current = { ...version, definition: { ...definition, kind: 'popular' as const } };
  await store.placements.create({ account_id, project_id, name: 'top', created_ts: 1, current });
  const events = (await store.datasets.get(account_id, 'event', project.event_dataset_id))!;
  const today = ['i4', 'i4', 'i5'].map((item_id, n) =>
    makeEvent({ event_id: `today ${n}`, ts: Date.now() - 60_000, user_id: `u${n}`, item_id, event_type: 'buy' }),
  );
  await store.events.upsert(events, today);
  const user_ids = Array.from({ length: 1100 }, (_, n) => `named ${n}`);
  const { progress } = await ask({ placement: 'top', limit: null, objective: null, users: { user_ids } });
  const found = await lists();
  assert.deepEqual(
    found.map(({ user_id }) => user_id),
    user_ids,
  );
  for (const { results } of found) assert.deepEqual(idsOf(results), ['i4', 'i5']);
  const done = progress.filter(({ phase }) => phase === 'users').map(({ fraction }) => fraction);
  assert.ok(done.length > 2 && done.at(-1) === 0.95);
  for (const [n, fraction] of done.entries()) assert.ok(fraction > (done[n - 1] ?? 0), 'it rises with the users done');
});

test('the model of a placement makes its lists, unless the job names one or it is gone', async () => {
  const { store, dataDir, project, ask, lists } = await stage();
  const { account_id, project_id } = project;
  const { modelId, file } = await plantModel({ dataDir }, project, turnedModel());
  for (const [name, model_id] of Object.entries({ own: undefined, turned: modelId, gone: 'mdl_gone' })) {
    const { definition, ...version } = versionOf(5);
    const current = { ...version, definition: { ...definition, defaults: { limit: 5, model_id } } };
    await store.placements.create({ account_id, project_id, name, created_ts: 1, current });
  }
  const made = async (placement: string, model_given: boolean) => {
    await ask({ placement, model_given, limit: null, objective: null });
    return lists();
  };
  const own = await made('own', false);
  assert.notDeepEqual(await made('turned', false), own);
  assert.deepEqual(await made('turned', true), own);
  assert.deepEqual(await made('gone', false), own);
  truncateSync(file, 100);
  await assert.rejects(made('turned', false), { code: 'MODEL_UNREADABLE' }, 'it is there, but damaged');
});

test('a placement that cannot be read now is no reason to fail the job for good', async (t) => {
  const { store, ask } = await stage();
  const away = new AppError('STORE_UNAVAILABLE', 'The store is away.');
  t.mock.method(store.placements, 'get', () => Promise.reject(away));
  await assert.rejects(ask({ placement: 'home' }), away);
});

test('what is gone before the job runs fails it, with what to do', async () => {
  const { store, project, ask } = await stage();
  await assert.rejects(ask({ placement: 'home' }), {
    code: 'PLACEMENT_NOT_FOUND',
    message: 'Placement home was deleted before the job ran.',
  });
  await assert.rejects(ask({ users: { job_id: 'job_gone' } }), {
    code: 'RESULT_NOT_FOUND',
    message: 'The result of job job_gone no longer exists. Submit the querying job again.',
  });
  const { job_id } = await submit(store, project, 'QUERYING');
  await assert.rejects(ask({ users: { job_id } }), { code: 'RESULT_NOT_FOUND' }, 'it has not ended');
  await store.jobs.cancel(project.account_id, project.project_id, job_id, Date.now());
  await assert.rejects(ask({ model_id: 'mdl_gone' }), {
    code: 'MODEL_NOT_FOUND',
    message: 'Model mdl_gone was deleted before the job ran.',
  });
  await assert.rejects(ask({ filter_query: 'price >' }), { code: 'INVALID_FILTER' });
  await store.projects.delete(project.account_id, project.project_id);
  await assert.rejects(ask(), { code: 'PROJECT_NOT_FOUND' });
});
