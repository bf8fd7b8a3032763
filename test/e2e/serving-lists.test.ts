// What a list contains, over HTTP on every database: filters, seen items, attributes of the store now, explanations.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertProblem } from '../support/assert-problem.ts';
import { codesOf } from '../support/placement-list.ts';
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

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`lists on ${dialect}`, () => {
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
      const { modelId } = await plantModel(place, project, tasteModel());
      await succeed(service, '/submit-deployment-job', {
        project_id: project.project_id,
        generator_model_id: modelId,
        qps: 1000,
      });
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const recommend = (body: Record<string, unknown>) => service.ok('POST', '/recommend-items-to-user', body);
    const idsOf = (response: { results: { item: { item_id: string } }[] }) =>
      response.results.map(({ item }) => item.item_id);
    const filledIdsOf = (response: { results: { filled?: boolean; item: { item_id: string } }[] }) =>
      response.results.flatMap(({ filled, item }) => (filled ? item.item_id : []));

    test('seen items come back when the request says so', async () => {
      const all = await recommend({ user_id: 'u7', limit: 60, exclude_seen: false });
      assert.equal(all.results.length, 60);
      assert.deepEqual(filledIdsOf(all), []);
      assert.equal(idsOf(await recommend({ user_id: 'u7', limit: 60, exclude_seen: true })).length, 41);
      const filled = await recommend({ user_id: 'u7', limit: 60 });
      assert.equal(filled.results.length, 60);
      assert.equal(filledIdsOf(filled).length, 19, 'too few are new: the rest fills the list and is marked');
    });

    test('a filter works inside the search, and a wrong one is refused with its position', async () => {
      const filter_query = "genre = 'Horror' AND price >= 30";
      const response = await recommend({ user_id: 'u7', limit: 500, filter_query });
      assert.equal(response.filter_query, filter_query);
      assert.equal(response.results.length, 10);
      for (const id of idsOf(response)) assert.ok(isOfKind(id, 2) && Number(id.slice(1)) >= 30, id);
      const { status, body } = await service.call('POST', '/recommend-items-to-user', {
        user_id: 'u7',
        filter_query: 'genre = ',
      });
      assert.equal(status, 400);
      assert.equal(body.code, 'INVALID_FILTER');
      assert.equal(typeof body.position, 'number');
    });

    test('a filter may speak of the user, of parameters and of the time', async () => {
      const { user_dataset_id } = project;
      const ask = async (filter_query: string, more = {}) =>
        idsOf(await recommend({ user_id: 'u7', limit: 500, filter_query, ...more }));
      const setUser = (attributes: object) =>
        service.ok('POST', '/upsert-dataset-users', { user_dataset_id, users: [{ user_id: 'u7', attributes }] });
      await setUser({ likes: ['Horror'], budget: 31 });
      const mine = 'genre = user.likes AND price * 2 <= user.budget + $more';
      const first = await ask(mine, { filter_params: { more: 1 } });
      assert.deepEqual(first.toSorted(), ['i11', 'i14', 'i2', 'i5', 'i8']);
      assert.deepEqual((await ask(mine, { filter_params: { more: -25 } })).toSorted(), ['i2']);
      await setUser({ likes: ['Drama'], budget: 31 });
      const second = await ask(mine, { filter_params: { more: 1 } });
      assert.deepEqual(second.toSorted(), ['i0', 'i12', 'i15', 'i3', 'i6', 'i9'], 'the user as stored now');
      await setUser({});
      assert.deepEqual(await ask(mine, { filter_params: { more: 1 } }), [], 'a user without the attributes');
      assert.equal((await ask('genre != user.likes')).length, ITEMS);
      assert.equal((await ask("days_since('2020-01-01') > price + 1000")).length, ITEMS);
      const missing = await service.call('POST', '/recommend-items-to-user', { user_id: 'u7', filter_query: mine });
      assert.equal(missing.status, 400);
      assert.equal(missing.body.position, 51);
      assert.deepEqual(
        missing.body.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/filter_params/more'],
      );
      await service.ok('DELETE', '/delete-dataset-users', { user_dataset_id, user_ids: ['u7'] });
    });

    test('a filter that looks like a mistake returns a warning with what was meant', async () => {
      const warned = async (filter_query: string) =>
        ((await recommend({ user_id: 'u7', filter_query })).warnings ?? []).map(
          ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
        );
      assert.deepEqual(await warned("genre = 'Drama' AND price < 20"), []);
      assert.deepEqual(await warned("gerne = 'Drama' OR price < 20"), [
        'UNKNOWN_ATTRIBUTE No item has an attribute gerne. Did you mean genre?',
      ]);
      assert.deepEqual(await warned("price < '20'"), [
        'WRONG_TYPE price holds numbers. The filter compares it with text. Write 20 without quotes.',
        'FILTER_MATCHES_NOTHING No item meets the filter. Try a broader one.',
      ]);
      assert.match((await warned('genre * 2 > 1')).join(), /WRONG_TYPE genre holds text\. The filter computes with it/);
      assert.match((await warned('title = 5')).join(), /WRONG_TYPE title holds text\..*single quotes: '5'/);
      assert.match((await warned('genre = user.nothing')).join(), /No item meets the filter: an attribute/);
    });

    test('items and attributes are those of the store now', async () => {
      const { item_dataset_id } = project;
      const item = (title: string) => ({ item_id: 'i7', attributes: { title, genre: ['Comedy'], price: 7 } });
      await service.ok('POST', '/upsert-dataset-items', { item_dataset_id, items: [item('Renamed')] });
      const [first] = (await recommend({ user_id: 'u7', attributes: ['title'], limit: 1 })).results;
      assert.deepEqual(first.item, { item_id: 'i7', title: 'Renamed' });
      await service.ok('DELETE', '/delete-dataset-items', { item_dataset_id, item_ids: ['i7'] });
      assert.ok(!idsOf(await recommend({ user_id: 'u7', limit: 100, exclude_seen: false })).includes('i7'));
      await service.ok('POST', '/upsert-dataset-items', { item_dataset_id, items: [item('Film 7')] });
      const cold = { item_id: 'cold', attributes: { title: 'New', genre: ['Comedy'], price: 3 } };
      await service.ok('POST', '/upsert-dataset-items', { item_dataset_id, items: [cold] });
      const ids = idsOf(await recommend({ user_id: 'u7', limit: 100 }));
      assert.ok(ids.includes('cold'), 'an item without events is recommended too');
      await service.ok('DELETE', '/delete-dataset-items', { item_dataset_id, item_ids: ['cold'] });
    });

    test('explain adds scores and what led there', async () => {
      const { results } = await recommend({ user_id: 'u7', limit: 3, explain: true });
      for (const { score, reasons } of results) {
        assert.equal(typeof score, 'number');
        assert.ok(reasons.length > 0);
      }
      assert.equal(results[0].reasons[0].kind, 'history');
      assert.ok(isOfKind(results[0].reasons[0].item_id, 1));
    });

    test('given items are put in the order for the user, unknown ones last with a warning', async () => {
      const rank = (body: Record<string, unknown>) => service.ok('POST', '/rank-items-to-user', body);
      const refused = async (body: Record<string, unknown>, pointer: string) => {
        const problem = await service.call('POST', '/rank-items-to-user', body);
        assertProblem(problem, { status: 400, codes: ['INVALID_REQUEST'] }, pointer);
        assert.equal(problem.body.errors[0].pointer, pointer);
      };
      const item_ids = ['nothing', 'i3', 'i7', 'i4', 'i3', 'i58'];
      const response = await rank({ user_id: 'u7', item_ids, attributes: ['title'] });
      assert.equal(idsOf(response)[0], 'i7', 'the only one of its kind that u7 has not had');
      assert.deepEqual([response.results.length, idsOf(response).at(-1)], [5, 'nothing']);
      assert.deepEqual(response.results.at(-1), { item: { item_id: 'nothing', title: null }, score: null });
      assert.deepEqual(Object.keys(response.results[0]), ['item', 'score']);
      const scores = response.results.slice(0, -1).map(({ score }: { score: number }) => score);
      assert.deepEqual(
        scores,
        scores.toSorted((a: number, b: number) => b - a),
      );
      assert.deepEqual(codesOf(response), ['UNKNOWN_ITEM']);
      const { item_dataset_id } = project;
      await service.ok('POST', '/upsert-dataset-items', {
        item_dataset_id,
        items: [{ item_id: 'brief', attributes: {} }],
      });
      await service.ok('DELETE', '/delete-dataset-items', { item_dataset_id, item_ids: ['brief'] });
      const withDeleted = await rank({ user_id: 'u7', item_ids: ['brief', 'i7'] });
      assert.deepEqual([idsOf(withDeleted), codesOf(withDeleted)], [['i7', 'brief'], ['UNKNOWN_ITEM']]);
      const without = await rank({ user_id: 'u7', item_ids, exclude_item_ids: ['i3', 'nothing'] });
      assert.deepEqual([idsOf(without).toSorted(), codesOf(without)], [['i4', 'i58', 'i7'], []]);
      const visitor = await service.ok('POST', `/projects/${project.project_id}/rank-items-to-user`, {
        session_events: [{ item_id: 'i1', event_type: 'buy' }],
        item_ids,
        filter_query: 'price > 3',
      });
      assert.deepEqual(
        new Set(idsOf(visitor)),
        new Set(['i7', 'i4', 'i58']),
        'what cannot meet the filter is left out',
      );
      const lifted = await rank({
        user_id: 'u7',
        item_ids,
        boosts: Array(3).fill({ filter_query: "item_id = 'i3'", factor: 100 }),
      });
      assert.equal(idsOf(lifted)[0], 'i3');
      const { event_dataset_id } = project;
      const dislike = { user_id: 'critic', event_type: 'buy', event_value: -1, ts: Date.now() };
      await service.ok('POST', '/upsert-dataset-events', {
        event_dataset_id,
        events: ['i7', 'i58'].map((item_id) => ({ ...dislike, item_id, event_id: `critic-${item_id}` })),
      });
      const critic = { user_id: 'critic', item_ids: ['i7', 'i58', 'nothing', 'i4'], attributes: ['title'] };
      const disliked = await rank(critic);
      assert.deepEqual(idsOf(disliked), ['i4', 'i7', 'i58', 'nothing']);
      assert.deepEqual([disliked.results[1].score, typeof disliked.results[1].item.title], [null, 'string']);
      assert.deepEqual(codesOf(disliked), ['DISLIKED_ITEM', 'DISLIKED_ITEM', 'UNKNOWN_ITEM']);
      assert.deepEqual(idsOf(await rank({ ...critic, exclude_item_ids: ['i7'], filter_query: 'price > 5' })), ['i58']);
      await service.ok('POST', '/create-placement', { project_id: project.project_id, name: 'order', kind: 'ranking' });
      const placed = {
        ...critic,
        item_ids: [...critic.item_ids, 'nothing', 'brief', 'none'],
        exclude_item_ids: ['none'],
      };
      const inPlacement = await service.ok('POST', `/projects/${project.project_id}/placements/order`, placed);
      assert.deepEqual(idsOf(inPlacement), ['i4'], 'a placement leaves out what has no place in the order');
      assert.deepEqual(inPlacement.warnings, (await rank(placed)).warnings);
      assert.equal(inPlacement.warnings.length, 4);
      await refused({ user_id: 'u7', item_ids: [] }, '/item_ids');
      await refused({ item_ids: ['i1'] }, '/user_id');
      const many = Array.from({ length: 1001 }, (_, n) => `i${n}`);
      await refused({ user_id: 'u7', item_ids: many }, '/item_ids');
    });
  });
}
