// Patches of single attributes over HTTP, on every database: effective in the next call on every node, and what is refused.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { plantModel } from '../support/plant-model.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, ITEMS, succeed, type TasteProject, tasteModel } from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

const ALL = Array.from({ length: ITEMS }, (_, n) => `i${n}`);

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`patches on ${dialect}`, () => {
    let place: TestPlace;
    let project: TasteProject;
    /** PostgreSQL has a second one. */
    const nodes: TestService[] = [];
    const start = async (roles: string) =>
      nodes.push(
        await startTestService({
          KINDRED_ROLES: roles,
          ...place.env,
        }),
      );

    before(async () => {
      place = await newTestPlace(dialect);
      await start('api,worker');
      if (place.databaseUrl) await start('api');
      project = await createTasteProject(nodes[0]);
      const { modelId } = await plantModel(place, project, tasteModel());
      const { project_id } = project;
      await succeed(nodes[0], '/submit-deployment-job', { project_id, generator_model_id: modelId, qps: 10_000 });
      await nodes[0].ok('POST', '/upsert-dataset-items', {
        item_dataset_id: project.item_dataset_id,
        items: ALL.map((item_id) => ({ item_id, attributes: { price: 10, stock: 1, name: `Item ${item_id}` } })),
      });
    });
    after(async () => {
      for (const node of nodes) await node.stop();
      await place.remove();
    });

    const patchItems = (items: unknown[]) =>
      nodes[0].ok('POST', '/patch-dataset-items', { item_dataset_id: project.item_dataset_id, items });
    const inStock = async (node: TestService) => {
      const { results } = await node.ok('POST', '/recommend-items-to-user', {
        project_id: project.project_id,
        user_id: 'somebody-new',
        limit: 500,
        attributes: ['price', 'stock', 'name'],
        filter_query: 'stock > 0',
      });
      return results.map(({ item }: { item: object }) => item) as { item_id: string; price: number; name: string }[];
    };

    test('a new price and stock hold in the next call on every node, the rest of the record stays', async () => {
      for (const node of nodes) assert.equal((await inStock(node)).length, ITEMS);
      const response = await patchItems([
        { item_id: 'i0', set: { stock: 0 } },
        { item_id: 'i1', set: { price: 9.5 } },
        { item_id: 'i2', unset: ['stock'] },
        { item_id: 'nowhere', set: { price: 1 } },
      ]);
      assert.deepEqual(response.succeed_ids, ['i0', 'i1', 'i2']);
      assert.deepEqual(response.failed_ids, ['nowhere']);
      assert.equal(response.failures[0].index, 3);
      assert.equal(response.failures[0].code, 'RECORD_NOT_FOUND');
      const both = await patchItems([{ item_id: 'nowhere', set: { price: 1 } }, { item_id: 'i1' }]);
      assert.deepEqual(both.failed_ids, ['nowhere', 'i1'], 'in the order of the batch');
      assert.match(response.failures[0].message, /no item with this id\. Upsert it first/);
      for (const node of nodes) {
        const items = await inStock(node);
        assert.equal(items.length, ITEMS - 2);
        const patched = items.find(({ item_id }) => item_id === 'i1');
        assert.deepEqual(patched, { item_id: 'i1', price: 9.5, stock: 1, name: 'Item i1' });
      }
      const record = { item_dataset_id: project.item_dataset_id, item_id: 'nowhere' };
      assert.equal((await nodes[0].call('GET', '/get-dataset-record', record)).status, 404);
    });

    test('users are patched like items', async () => {
      const { user_dataset_id } = project;
      const user_id = 'patched-user';
      await nodes[0].ok('POST', '/upsert-dataset-users', {
        user_dataset_id,
        users: [{ user_id, attributes: { age: 30, country: 'NL' } }],
      });
      const patch = { user_id, set: { age: 31, constructor: 'x' }, unset: ['country', 'never-there'] };
      await nodes[0].ok('POST', '/patch-dataset-users', { user_dataset_id, users: [patch] });
      const record = await nodes[0].ok('GET', '/get-dataset-record', { user_dataset_id, user_id });
      assert.deepEqual(record.attributes, { age: 31, constructor: 'x' });
    });

    test('a body large enough for a parser thread is patched the same way', async () => {
      const text = 'é'.repeat(20_000);
      const response = await patchItems(ALL.map((item_id) => ({ item_id, set: { text } })));
      assert.equal(response.succeed_ids.length, ITEMS);
      const { item_dataset_id } = project;
      const record = await nodes[0].ok('GET', '/get-dataset-record', { item_dataset_id, item_id: 'i5' });
      assert.equal(record.attributes.text, text);
      assert.equal(record.attributes.name, 'Item i5');
    });

    test('what is wrong is refused by record, what is wrong with the call whole', async () => {
      const response = await patchItems([
        JSON.parse('{"item_id": "i3", "set": {"a": 1, "__proto__": {"polluted": true}}}'),
        { item_id: 'i4', unset: ['__proto__'] },
        { item_id: 'i5', attributes: { price: 1 } },
        { item_id: 7, set: {} },
        { item_id: 'i6', set: { price: 3 } },
      ]);
      assert.deepEqual(response.succeed_ids, ['i6']);
      assert.deepEqual(response.failed_ids, ['i3', 'i4', 'i5', '7']);
      assert.equal(({} as Record<string, unknown>).polluted, undefined);
      const { item_dataset_id } = project;
      const many = Array.from({ length: 1001 }, (_, n) => ({ item_id: `i${n}`, set: { price: 1 } }));
      const refused = await nodes[0].call('POST', '/patch-dataset-items', { item_dataset_id, items: many });
      assert.equal(refused.body.code, 'BATCH_TOO_LARGE');
      const elsewhere = { item_dataset_id: 'ids_none', items: [{ item_id: 'i1', set: {} }] };
      assert.equal((await nodes[0].call('POST', '/patch-dataset-items', elsewhere)).body.code, 'DATASET_NOT_FOUND');
    });
  });
}
