// The dataset calls from create to delete, over HTTP.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const event = (n: number, change = {}) => ({
  event_id: `e${n}`,
  user_id: `u${n % 3}`,
  item_id: `i${n}`,
  ts: 1000 + n,
  event_type: 'view',
  ...change,
});

test('a user dataset lives from create to delete', async () => {
  const created = await service.ok('POST', '/create-user-dataset', {
    name: 'users',
    num_shards: 2,
    attribute_schema: { age: 'NUMERICAL' },
  });
  const { user_dataset_id } = created;
  assert.match(user_dataset_id, /^uds_/);
  assert.deepEqual(
    { name: created.name, num_shards: created.num_shards, attribute_schema: created.attribute_schema },
    { name: 'users', num_shards: 2, attribute_schema: { age: 'NUMERICAL' } },
  );

  const upserted = await service.ok('POST', '/upsert-dataset-users', {
    user_dataset_id,
    users: [
      { user_id: 'a', attributes: { age: 30, city: 'Delft' } },
      { user_id: 'b' },
      { user_id: 'c', attributes: { age: 'old' } },
      { user_id: 'a', attributes: { age: 31, city: 'Delft' } },
      { attributes: {} },
    ],
  });
  assert.deepEqual(upserted.succeed_ids, ['b', 'a']);
  assert.deepEqual(upserted.failed_ids, ['c', '#4']);
  assert.deepEqual(
    upserted.failures.map(({ index, id, code }: Record<string, unknown>) => ({ index, id, code })),
    [
      { index: 2, id: 'c', code: 'ATTRIBUTE_TYPE_MISMATCH' },
      { index: 4, id: '#4', code: 'INVALID_RECORD' },
    ],
  );

  const read = await service.ok('GET', '/get-user-dataset', { user_dataset_id });
  assert.equal(read.num_records, 2);
  assert.deepEqual(read.inferred_attribute_schema, { age: 'CATEGORICAL', city: 'CATEGORICAL' });
  assert.deepEqual(await service.ok('GET', '/get-dataset-record', { user_dataset_id, user_id: 'a' }), {
    user_id: 'a',
    attributes: { age: 31, city: 'Delft' },
  });
  assert.equal((await service.call('GET', '/get-dataset-record', { user_dataset_id, user_id: 'c' })).status, 404);

  const renamed = await service.ok('PUT', '/update-user-dataset', { user_dataset_id, name: 'people' });
  assert.equal(renamed.name, 'people');
  assert.deepEqual(renamed.attribute_schema, { age: 'NUMERICAL' });
  const removed = await service.ok('DELETE', '/delete-dataset-users', { user_dataset_id, user_ids: ['a', 'zz'] });
  assert.deepEqual(removed, { user_dataset_id, deleted_count: 1 });
  assert.equal((await service.ok('DELETE', '/delete-user-dataset', { user_dataset_id })).name, 'people');
  assert.equal((await service.call('GET', '/get-user-dataset', { user_dataset_id })).body.code, 'DATASET_NOT_FOUND');
});

test('new item and event datasets return their id also as user_dataset_id', async () => {
  for (const kind of ['item', 'event']) {
    const created = await service.ok('POST', `/create-${kind}-dataset`, { name: 'x' });
    assert.equal(created.user_dataset_id, created[`${kind}_dataset_id`]);
    assert.equal(created.num_shards, 10);
    assert.equal(created.attribute_schema, null);
  }
});

test('events are upserted, counted, listed and deleted by user, by time and by id', async () => {
  const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'clicks', num_shards: 1 });
  const events = Array.from({ length: 30 }, (_, n) => event(n));
  const response = await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
  assert.equal(response.event_dataset_id, event_dataset_id);
  assert.deepEqual(
    response.succeed_ids,
    events.map((one) => one.event_id),
  );
  assert.deepEqual(response.failures, []);

  assert.deepEqual(await service.ok('GET', '/get-dataset-record', { event_dataset_id, event_id: 'e3' }), {
    ...event(3),
    event_value: 1,
    attributes: {},
  });
  const listed = await service.ok('GET', '/list-dataset-records', { event_dataset_id, user_id: 'u1', page_size: 4 });
  assert.deepEqual(
    listed.records.map((record: { event_id: string }) => record.event_id),
    ['e28', 'e25', 'e22', 'e19'],
  );
  const statistics = await service.ok('GET', '/get-event-statistics', { event_dataset_id, buckets: 3 });
  assert.deepEqual(statistics.types, [{ event_type: 'view', count: 30 }]);

  const ofUser = await service.ok('DELETE', '/delete-dataset-user-events', { event_dataset_id, user_id: 'u1' });
  assert.deepEqual(ofUser, { event_dataset_id, user_id: 'u1', deleted_count: 10 });
  const range = { event_dataset_id, ts: 1010, start_ts: 1003 };
  const dry = await service.ok('DELETE', '/delete-dataset-events-before-ts', { ...range, dry_run: true });
  const wet = await service.ok('DELETE', '/delete-dataset-events-before-ts', range);
  assert.deepEqual(dry, wet);
  assert.deepEqual(wet, { event_dataset_id, ts: 1010, deleted_count: 5 });
  assert.equal((await service.ok('GET', '/get-event-dataset', { event_dataset_id })).num_records, 15);

  const byId = { event_dataset_id, event_ids: ['e0', 'e29', 'e29', 'e1', 'nobody'] };
  assert.deepEqual(await service.ok('DELETE', '/delete-dataset-events', byId), { event_dataset_id, deleted_count: 2 });
  assert.equal((await service.call('GET', '/get-dataset-record', { event_dataset_id, event_id: 'e29' })).status, 404);
  assert.equal((await service.ok('GET', '/get-event-dataset', { event_dataset_id })).num_records, 13);
  assert.equal((await service.ok('DELETE', '/delete-dataset-events', byId)).deleted_count, 0);
});

test('a dataset used by a project cannot be deleted', async () => {
  const ids = Object.fromEntries(
    await Promise.all(
      ['user', 'item', 'event'].map(async (kind) => {
        const created = await service.ok('POST', `/create-${kind}-dataset`, { name: kind });
        return [`${kind}_dataset_id`, created[`${kind}_dataset_id`]];
      }),
    ),
  );
  const project = await service.ok('POST', '/create-project', {
    name: 'shop',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    ...ids,
    target_event_type: 'buy',
  });
  assert.equal(project.serving_uri, `${service.baseUrl}/projects/${project.project_id}`);
  const { item_dataset_id } = ids;
  const refused = await service.call('DELETE', '/delete-item-dataset', { item_dataset_id });
  assert.equal(refused.status, 409);
  assert.equal(refused.body.code, 'DATASET_IN_USE');

  const { project_id } = project;
  const algorithm = await service.ok('POST', '/create-algorithm', { project_id, name: 'auto', algorithm_type: 'G1' });
  assert.deepEqual(algorithm.algorithm_parameters, {});
  const wrong = await service.call('POST', '/create-algorithm', {
    project_id,
    name: 'auto',
    algorithm_type: 'G1',
    algorithm_parameters: { nonsense: 1 },
  });
  assert.equal(wrong.body.code, 'INVALID_ALGORITHM_PARAMETER');
  assert.equal((await service.ok('GET', '/list-algorithms', { project_id })).algorithms.length, 1);
  await service.ok('DELETE', '/delete-project', { project_id });
  await service.ok('DELETE', '/delete-item-dataset', { item_dataset_id });
});

test('the token of a page belongs to its list', async () => {
  const ids: Record<string, string[]> = { user: [], item: [] };
  for (const [kind, made] of Object.entries(ids)) {
    for (const name of ['one', 'two']) {
      made.push((await service.ok('POST', `/create-${kind}-dataset`, { name }))[`${kind}_dataset_id`]);
    }
  }
  const users = { page_size: 1, page_token: '' };
  users.page_token = (await service.ok('GET', '/list-user-datasets', { page_size: 1 })).next_page_token;
  const [next] = (await service.ok('GET', '/list-user-datasets', users)).user_datasets;
  assert.equal(next.user_dataset_id, ids.user[0]);
  const unmarked = { page_size: 1, page_token: users.page_token.split('=')[0] };
  const [same] = (await service.ok('GET', '/list-user-datasets', unmarked)).user_datasets;
  assert.equal(same.user_dataset_id, ids.user[0], 'a token of an earlier version');
  const other = await service.call('GET', '/list-item-datasets', users);
  assert.deepEqual([other.status, other.body.code], [400, 'INVALID_PAGE_TOKEN']);

  const [item_dataset_id, another] = ids.item;
  await service.ok('POST', '/upsert-dataset-items', { item_dataset_id, items: [{ item_id: 'a' }, { item_id: 'ba' }] });
  const records = (dataset: string, page_token?: string, search = 'a') =>
    service.call('GET', '/list-dataset-records', {
      item_dataset_id: dataset,
      page_size: 1,
      search,
      ...(page_token && { page_token }),
    });
  const first = await records(item_dataset_id);
  const second = await records(item_dataset_id, first.body.next_page_token);
  assert.deepEqual([...first.body.records, ...second.body.records].map(({ item_id }) => item_id).sort(), ['a', 'ba']);
  assert.equal((await records(another, first.body.next_page_token)).body.code, 'INVALID_PAGE_TOKEN');
  assert.equal((await records(item_dataset_id, first.body.next_page_token, 'b')).body.code, 'INVALID_PAGE_TOKEN');
});

test('event shards above the plan are refused', async () => {
  const refused = await service.call('POST', '/create-event-dataset', { name: 'huge', num_shards: 100_000 });
  assert.equal(refused.status, 403);
  assert.equal(refused.body.code, 'PLAN_LIMIT_EXCEEDED');
});
