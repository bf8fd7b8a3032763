// From items to items over HTTP, on every database: three relations, new and several items, filters, users, wrong requests.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SparseRows } from '../../src/artifact/g1-model.ts';
import { comparable } from '../support/comparable-response.ts';
import { plantModel } from '../support/plant-model.ts';
import { startTestService, type TestService } from '../support/service.ts';
import {
  createTasteProject,
  ITEMS,
  isOfKind,
  succeed,
  type TasteProject,
  tasteModel,
} from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

const model = tasteModel();
/** Item n leads to item n + step. */
function leadingTo(step: number): SparseRows {
  const columns = Array.from({ length: ITEMS }, (_, warm) => {
    const number = (Number(model.itemIds.at(warm)!.slice(1)) + step) % ITEMS;
    return model.itemIds.indexOf(`i${number}`);
  });
  return {
    rowCount: ITEMS,
    columnCount: ITEMS,
    offsets: Uint32Array.from({ length: ITEMS + 1 }, (_, row) => row),
    columns: Uint32Array.from(columns),
    values: new Float32Array(ITEMS).fill(0.9),
  };
}
const relations = { similar: leadingTo(3), together: leadingTo(1), next: leadingTo(2) };

interface ListResponse {
  relation: string;
  item_ids: string[];
  results: {
    item: Record<string, unknown> & { item_id: string };
    score?: number;
    reasons?: { kind: string }[];
    filled?: true;
  }[];
  warnings?: { code: string; message: string }[];
}

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`items to items on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: TasteProject;

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService({
        KINDRED_ROLES: 'api,worker',
        ...place.env,
      });
      project = await createTasteProject(service);
      const { modelId } = await plantModel(place, project, { ...model, relations });
      await succeed(service, '/submit-deployment-job', {
        project_id: project.project_id,
        generator_model_id: modelId,
        qps: 10_000,
      });
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const related = (body: Record<string, unknown>): Promise<ListResponse> =>
      service.ok('POST', '/recommend-items-to-item', body);
    const idsOf = ({ results }: ListResponse) => results.map(({ item }) => item.item_id);

    test('each relation is its own list, filled to the limit, without the item itself', async () => {
      for (const [relation, first] of Object.entries({ similar: 'i13', together: 'i11', next: 'i12' })) {
        const response = await related({ item_id: 'i10', relation, limit: 8, attributes: ['title'] });
        assert.equal(response.relation, relation);
        assert.equal(response.results[0].item.item_id, first);
        assert.equal(response.results[0].item.title, `Film ${first.slice(1)}`);
        assert.equal(response.results.length, 8);
        assert.ok(!idsOf(response).includes('i10'));
      }
      assert.equal((await related({ item_id: 'i10' })).relation, 'similar', 'the default');
    });

    test('several items, exclusions and filters work inside the search', async () => {
      const several = await related({ item_ids: ['i10', 'i20'], relation: 'together', limit: 2 });
      assert.deepEqual(idsOf(several).sort(), ['i11', 'i21']);
      const without = await related({ item_id: 'i10', relation: 'together', limit: 1, exclude_item_ids: ['i11'] });
      assert.notEqual(idsOf(without)[0], 'i11');
      const query = { filter_query: 'price >= $least', filter_params: { least: 50 } };
      const filtered = await related({ item_id: 'i10', relation: 'next', limit: 20, ...query });
      assert.equal(filtered.results.length, 10);
      assert.ok(idsOf(filtered).every((id) => Number(id.slice(1)) >= 50));
    });

    test('an item imported a moment ago has rivals by its attributes', async () => {
      const items = [{ item_id: 'fresh', attributes: { title: 'Film 300', genre: ['Drama'], price: 6 } }];
      await service.ok('POST', '/upsert-dataset-items', { item_dataset_id: project.item_dataset_id, items });
      const rivals = idsOf(await related({ item_id: 'fresh', limit: 5 }));
      assert.equal(rivals.length, 5);
      assert.ok(rivals.filter((id) => isOfKind(id, 0)).length >= 3, String(rivals));
    });

    test('a user leaves out what the user had, and reasons add up', async () => {
      const response = await related({ item_id: 'i1', relation: 'similar', user_id: 'u0', limit: 5, explain: true });
      assert.ok(!idsOf(response).some((id) => isOfKind(id, 0) && id !== 'i0'), 'u0 has had all of its kind but i0');
      for (const { score, reasons } of response.results) {
        assert.ok(Number.isFinite(score) && reasons!.length > 0);
      }
      assert.equal(response.results[0].reasons![0].kind, 'related');

      const personal = { item_id: 'i1', user_id: 'u0', limit: 5 };
      const again = await related({ ...personal, objective: 'again' });
      assert.ok(again.results.every(({ item, filled }) => isOfKind(item.item_id, 0) && !filled));
      const any = idsOf(await related({ ...personal, objective: 'any' }));
      assert.ok(any.filter((id) => isOfKind(id, 0)).length >= 3, String(any));
      const { project_id } = project;
      await service.ok('POST', '/create-placement', { project_id, name: 'alike', kind: 'similar' });
      const seen = { project_id, placement: 'alike', ...personal, exclude_seen: false };
      assert.deepEqual(idsOf(await service.ok('POST', '/call-placement', seen)), any);
    });

    test('a list that was kept follows changes of items and of what the user had', async () => {
      const { item_dataset_id, event_dataset_id } = project;
      const body = { item_id: 'i30', relation: 'together', limit: 3 };
      const personal = { ...body, user_id: 'new-here' };
      const first = idsOf(await related(body))[0];
      await related(personal);
      assert.equal(idsOf(await related(body))[0], first, 'kept');
      const event = { event_id: 'had', user_id: 'new-here', item_id: first, event_type: 'buy', ts: Date.now() };
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: [event] });
      assert.ok(!idsOf(await related(personal)).includes(first), 'the user had it');
      assert.equal(idsOf(await related(body))[0], first);
      await service.ok('DELETE', '/delete-dataset-items', { item_dataset_id, item_ids: [first] });
      assert.ok(!idsOf(await related(body)).includes(first), 'it was deleted');
      const items = [{ item_id: first, attributes: { title: 'again', genre: ['Drama'], price: 31 } }];
      await service.ok('POST', '/upsert-dataset-items', { item_dataset_id, items });
      assert.equal(idsOf(await related(body))[0], first);
    });

    test('items that nobody knows are ignored with a warning', async () => {
      const response = await related({ item_ids: ['i10', 'nothing'], relation: 'together', limit: 3 });
      assert.equal(idsOf(response)[0], 'i11');
      assert.deepEqual(
        response.warnings!.map(({ code }) => code),
        ['UNKNOWN_ITEM'],
      );
      const alone = await related({ item_id: 'nothing', limit: 3 });
      assert.equal(alone.results.length, 3, 'what is popular');
    });

    test('a relation that the model does not have is replaced, with a warning', async () => {
      const { modelId } = await plantModel(place, project, { ...model, relations: { similar: relations.similar } });
      for (const relation of ['together', 'next']) {
        const response = await related({ item_id: 'i10', relation, limit: 3, model_id: modelId });
        assert.deepEqual([response.relation, idsOf(response)[0]], ['similar', 'i13']);
        assert.deepEqual(
          response.warnings!.map(({ code }) => code),
          ['RELATION_REPLACED'],
        );
      }
      const plain = await related({ item_id: 'i10', relation: 'similar', limit: 3, model_id: modelId });
      assert.equal(plain.warnings, undefined);
    });

    test('the project’s own address returns the same', async () => {
      const path = `/projects/${project.project_id}/recommend-items-to-item`;
      const body = { item_id: 'i10', relation: 'next', limit: 3 };
      assert.deepEqual(comparable(await service.ok('POST', path, body)), comparable(await related(body)));
    });

    test('wrong requests say what is wrong', async () => {
      const refused = async (body: Record<string, unknown>, pointer: string) => {
        const { status, body: problem } = await service.call('POST', '/recommend-items-to-item', body);
        assert.equal(status, 400, JSON.stringify(problem));
        assert.equal(problem.errors[0].pointer, pointer);
      };
      await refused({}, '/item_id');
      await refused({ item_id: 'a', item_ids: ['b'] }, '/item_ids');
      await refused({ item_ids: [] }, '/item_ids');
      await refused({ item_ids: Array.from({ length: 51 }, (_, n) => `i${n}`) }, '/item_ids');
      await refused({ item_id: 'i1', relation: 'like' }, '/relation');
    });
  });
}
