// Fields of every recommending call over HTTP, on every database: exclusions, boosts, pins, diversity and pages.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { plantModel } from '../support/plant-model.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, ITEMS, succeed, type TasteProject, tasteModel } from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

interface ListResponse {
  objective?: string;
  model_id: string;
  recommendation_id: string;
  next_page_token: string | null;
  results: {
    item: Record<string, unknown> & { item_id: string };
    pinned?: boolean;
    score?: number;
    filled?: boolean;
  }[];
  warnings?: { code: string; message: string }[];
}
type Body = Record<string, unknown>;

const idsOf = ({ results }: ListResponse) => results.map(({ item }) => item.item_id);
const codesOf = ({ warnings = [] }: ListResponse) => warnings.map(({ code }) => code);
const genreOf = (id: string) => Number(id.slice(1)) % 3;

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`fields of recommending calls on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: TasteProject;
    /** the calls with a body each that starts from a user or an item */
    let calls: { path: string; base: Body }[];

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
        qps: 10_000,
      });
      calls = [
        { path: '/recommend-items-to-user', base: { user_id: 'u7', objective: 'any' } },
        { path: new URL(project.serving_uri).pathname, base: { user_id: 'u8' } },
        { path: '/recommend-items-to-item', base: { item_id: 'i10' } },
        { path: '/list-top-items', base: { by: 'newest' } },
      ];
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const ask = (path: string, body: Body): Promise<ListResponse> => service.ok('POST', path, body);
    const recommend = (body: Body) => ask('/recommend-items-to-user', body);

    test('excluded items are left out inside the search: the list is still filled', async () => {
      for (const { path, base } of calls) {
        const plain = idsOf(await ask(path, { ...base, limit: 20 }));
        const without = idsOf(
          await ask(path, { ...base, limit: 20, exclude_item_ids: [...plain.slice(0, 5), 'nobody'] }),
        );
        assert.equal(without.length, 20, path);
        assert.ok(!without.some((id) => plain.slice(0, 5).includes(id)), path);
      }
    });

    test('a boost brings an item from outside the list to its top, a factor below 1 takes items out', async () => {
      for (const { path, base } of calls) {
        const plain = idsOf(await ask(path, { ...base, limit: 5 }));
        const all = await ask(path, { ...base, limit: ITEMS });
        // What fills a list stays behind what meets its objective, whatever its chance.
        const last = all.results.findLast(({ filled }) => !filled)!.item.item_id;
        assert.ok(!plain.includes(last));
        const many = Array.from({ length: 4 }, () => ({ filter_query: `item_id = '${last}'`, factor: 100 }));
        assert.equal(idsOf(await ask(path, { ...base, limit: 5, boosts: many }))[0], last, path);
        const fewer = plain.map((id) => ({ filter_query: `item_id = '${id}'`, factor: 0.01 }));
        const lowered = idsOf(await ask(path, { ...base, limit: 5, boosts: [...fewer, ...fewer] }));
        assert.ok(!lowered.some((id) => plain.includes(id)), `${path}: ${lowered}`);
      }
    });

    test('boosts take parameters and attributes of the user, as filters do', async () => {
      const boosts = [{ filter_query: 'price > $least', factor: 100 }];
      const response = await recommend({ user_id: 'u7', limit: 5, boosts, filter_params: { least: 55 } });
      assert.ok(idsOf(response).some((id) => Number(id.slice(1)) > 55));
      const { status, body } = await service.call('POST', '/recommend-items-to-user', { user_id: 'u7', boosts });
      assert.equal(status, 400);
      assert.equal(body.code, 'INVALID_FILTER');
    });

    test('pins are at their places, and those that cannot are skipped with a warning', async () => {
      for (const { path, base } of calls) {
        const pins = [
          { position: 2, item_id: 'i50' },
          { position: 4, item_id: 'i51' },
          { position: 1, item_id: 'nobody' },
          { position: 3, item_id: 'i40' },
          { position: 5, item_id: 'i49' },
        ];
        const query = { filter_query: 'price >= 45', exclude_item_ids: ['i49'] };
        const response = await ask(path, { ...base, limit: 6, pins, ...query });
        assert.deepEqual(codesOf(response), ['PIN_SKIPPED', 'PIN_SKIPPED', 'PIN_SKIPPED'], path);
        const ids = idsOf(response);
        assert.equal(ids[1], 'i50');
        assert.equal(ids[3], 'i51');
        assert.deepEqual(
          response.results.map(({ pinned }) => pinned === true),
          [false, true, false, true, false, false],
        );
        assert.equal(new Set(ids).size, 6);
        // A top list has scores in any case.
        const explain = path === '/list-top-items' ? {} : { explain: true };
        const explained = await ask(path, { ...base, limit: 6, pins, ...query, ...explain });
        assert.deepEqual(idsOf(explained), ids);
        assert.equal(typeof explained.results[0].score, 'number');
        assert.equal(explained.results[1].score, undefined);
      }
    });

    test('caps hold and the list is filled with other values', async () => {
      for (const { path, base } of calls) {
        const response = await ask(path, { ...base, limit: 6, diversity: { max_per: { genre: 2 } } });
        const counts = [0, 0, 0];
        for (const id of idsOf(response)) counts[genreOf(id)]++;
        assert.deepEqual(counts, [2, 2, 2], path);
        const spread = await ask(path, { ...base, limit: 6, diversity: 0.5 });
        assert.equal(new Set(idsOf(spread)).size, 6);
        assert.equal(idsOf(spread)[0], idsOf(await ask(path, { ...base, limit: 6 }))[0]);
      }
    });

    test('pages are pieces of one list, to its end', async () => {
      for (const { path, base } of calls) {
        const seen: string[] = [];
        let token: string | null | undefined;
        do {
          const response: ListResponse = await ask(path, { ...base, limit: 7, ...(token && { page_token: token }) });
          seen.push(...idsOf(response));
          token = response.next_page_token;
        } while (token !== null);
        assert.deepEqual(seen, idsOf(await ask(path, { ...base, limit: 100 })), path);
      }
    });

    test('no item comes again while events arrive, and pins hold over pages', async () => {
      const { event_dataset_id } = project;
      const base = { user_id: 'pager', limit: 5, pins: [{ position: 7, item_id: 'i59' }] };
      const seen: string[] = [];
      let token: string | null = null;
      for (let page = 0; page < 6; page++) {
        const response: ListResponse = await recommend({ ...base, ...(token && { page_token: token }) });
        const ids = idsOf(response);
        if (page === 1) assert.equal(ids[1], 'i59');
        seen.push(...ids);
        token = response.next_page_token;
        // The taste turns with every page.
        const event = { event_id: `page-${page}`, user_id: 'pager', item_id: `i${page * 7 + 1}`, event_type: 'buy' };
        await service.ok('POST', '/upsert-dataset-events', {
          event_dataset_id,
          events: [{ ...event, ts: Date.now() }],
        });
      }
      assert.equal(seen.length, 30);
      assert.equal(new Set(seen).size, 30);
    });

    test('a page continues whatever the order of the fields, with null or without', async () => {
      const diversity = { max_per: { genre: 2, price: 3 } };
      const request = { user_id: 'u7', filter_query: 'price > $least', filter_params: { least: 3, b: 1 }, diversity };
      const { next_page_token: page_token } = await recommend({ ...request, limit: 2 });
      const turned = {
        diversity: { max_per: { price: 3, genre: 2 } },
        filter_params: { b: 1, least: 3 },
        filter_query: 'price > $least',
      };
      assert.equal((await recommend({ page_token, limit: 2, ...turned, user_id: 'u7' })).results.length, 2);
      const plain = await recommend({ user_id: 'u7', limit: 2 });
      const nulls = { filter_query: null, boosts: null, page_token: plain.next_page_token };
      assert.equal((await recommend({ ...nulls, user_id: 'u7', limit: 2 })).results.length, 2);
    });

    test('a page token of another list, another call or none of ours is refused', async () => {
      const { next_page_token: token } = await recommend({ user_id: 'u7', limit: 5 });
      const refused = async (path: string, body: Body) => {
        const { status, body: problem } = await service.call('POST', path, body);
        assert.equal(status, 400);
        assert.equal(problem.code, 'INVALID_PAGE_TOKEN', JSON.stringify(problem));
      };
      const path = '/recommend-items-to-user';
      await refused(path, { user_id: 'u8', page_token: token });
      await refused(path, { user_id: 'u7', page_token: token, filter_query: 'price > 3' });
      await refused(path, { user_id: 'u7', page_token: token, objective: 'again' });
      await refused(path, { user_id: 'u7', page_token: `${token}x` });
      await refused(path, { user_id: 'u7', page_token: `A${token}` });
      await refused('/recommend-items-to-item', { item_id: 'i7', page_token: token });
      await refused('/rank-items-to-user', { user_id: 'u7', item_ids: ['i7'], page_token: token });
      const next = await recommend({ user_id: 'u7', limit: 9, attributes: ['title'], page_token: token });
      assert.equal(next.results.length, 9, 'limit and attributes may differ');
    });

    test('an objective says which items come first in every list, the others fill', async () => {
      const { event_dataset_id } = project;
      const event = { user_id: 'seeker', event_value: 1, ts: Date.now() };
      await service.ok('POST', '/upsert-dataset-events', {
        event_dataset_id,
        events: [
          { ...event, event_id: 'seeker-1', item_id: 'i13', event_type: 'buy' },
          { ...event, event_id: 'seeker-2', item_id: 'i16', event_type: 'view' },
        ],
      });
      const lists = [
        { path: '/recommend-items-to-item', base: { item_id: 'i10' } },
        { path: '/rank-items-to-user', base: { item_ids: ['i13', 'i16', 'i19', 'i22'] } },
        { path: '/list-top-items', base: { by: 'newest' } },
      ];
      const meeting = async (list: (typeof lists)[number], objective: string) => {
        const limit = list.path.startsWith('/rank') ? {} : { limit: ITEMS };
        const response = await ask(list.path, { ...list.base, ...limit, user_id: 'seeker', objective });
        assert.equal(response.objective, objective, list.path);
        const first = response.results.findIndex(({ filled }) => filled);
        assert.ok(response.results.every(({ filled }, n) => (filled ?? false) === (first >= 0 && n >= first)));
        return { ids: idsOf(response).slice(0, first < 0 ? undefined : first), all: idsOf(response).toSorted() };
      };
      for (const list of lists) {
        const { all } = await meeting(list, 'any');
        const known = ['i13', 'i16'];
        const discovered = await meeting(list, 'discover');
        assert.deepEqual(
          discovered.ids.toSorted(),
          all.filter((id) => !known.includes(id)),
          list.path,
        );
        assert.deepEqual((await meeting(list, 'again')).ids, ['i13'], list.path);
        assert.deepEqual((await meeting(list, 'continue')).ids, ['i16'], list.path);
        assert.deepEqual(discovered.all, all, 'nothing is lost');
      }
    });

    test('filters that match nothing, unknown attributes and unknown pins are warned of', async () => {
      const none = await recommend({ user_id: 'u7', filter_query: 'price > 1000' });
      assert.deepEqual([none.results.length, none.next_page_token], [0, null]);
      assert.deepEqual(codesOf(none), ['FILTER_MATCHES_NOTHING']);
      const kept = await recommend({ user_id: 'u7', filter_query: 'price > 1000' });
      assert.deepEqual(codesOf(kept), codesOf(none), 'also for a list that was kept');
      const one = { user_id: 'u7', filter_query: 'price = 5' };
      assert.deepEqual(codesOf(await recommend({ ...one, exclude_item_ids: ['i5'] })), [], 'an item meets the filter');
      const { next_page_token: page_token } = await recommend({ ...one, limit: 1 });
      const past = await recommend({ ...one, limit: 1, page_token });
      assert.deepEqual([past.results.length, codesOf(past)], [0, []], 'the page after the last full one');
      const ranked = { user_id: 'u7', item_ids: ['i1', 'i2'] };
      const codesOfRanked = async (filter_query: string) =>
        codesOf(await ask('/rank-items-to-user', { ...ranked, filter_query }));
      assert.deepEqual(await codesOfRanked('price > 30'), ['FILTER_MATCHES_NOTHING'], 'none of those given');
      const top = { by: 'newest', filter_query: 'price = 5', exclude_item_ids: ['i5'] };
      assert.deepEqual(codesOf(await ask('/list-top-items', top)), []);
      const boosts = [{ filter_query: 'prise > 10', factor: 2 }];
      const typo = await recommend({ user_id: 'u7', boosts });
      assert.deepEqual(codesOf(typo), ['UNKNOWN_ATTRIBUTE']);
      assert.equal(typo.results.length, 10);
    });

    test('wrong fields are refused with their place, and nothing is returned', async () => {
      const refused = async (fields: Body, pointer: string, code = 'INVALID_REQUEST') => {
        for (const { path, base } of calls) {
          const { status, body } = await service.call('POST', path, { ...base, ...fields });
          assert.equal(status, 400, JSON.stringify(fields));
          assert.equal(body.code, code);
          if (code !== 'INVALID_FILTER')
            assert.ok(body.errors[0].pointer.startsWith(pointer), JSON.stringify(body.errors));
        }
      };
      const boost = (factor: unknown) => ({ boosts: [{ filter_query: 'price > 1', factor }] });
      await refused(boost(0), '/boosts/0/factor');
      await refused(boost(101), '/boosts/0/factor');
      await refused(boost(-2), '/boosts/0/factor');
      await refused(boost('2'), '/boosts/0/factor');
      await refused({ boosts: [{ factor: 2 }] }, '/boosts/0');
      await refused({ boosts: [{ filter_query: 'price >', factor: 2 }] }, '', 'INVALID_FILTER');
      await refused(
        { boosts: Array.from({ length: 21 }, () => ({ filter_query: 'price > 1', factor: 2 })) },
        '/boosts',
      );
      await refused({ exclude_item_ids: Array.from({ length: 10_000 }, (_, n) => `i${n}`) }, '/exclude_item_ids');
      const pin = (position: number, item_id: string) => ({ position, item_id });
      await refused({ pins: [pin(0, 'i1')] }, '/pins/0/position');
      await refused({ pins: [pin(1, 'i1'), pin(1, 'i2')] }, '/pins/1');
      await refused({ pins: [pin(1, 'i1'), pin(2, 'i1')] }, '/pins/1');
      await refused({ diversity: 1.5 }, '/diversity');
      await refused({ diversity: { max_per: {} } }, '/diversity');
      await refused({ diversity: { max_per: { genre: 0 } } }, '/diversity');
      await refused({ diversity: { per: 1 } }, '/diversity', 'UNKNOWN_FIELD');
      await refused({ page_token: '' }, '/page_token');
      await refused({ attributes: ['genre', '__proto__'] }, '/attributes/1');
      const { project_id } = project;
      const job = { project_id, users: { all: true }, attributes: ['__proto__'], format: 'parquet' };
      const submitted = await service.call('POST', '/submit-recommendation-job', job);
      assert.deepEqual([submitted.status, submitted.body.detail], [400, 'attributes/0 must not be __proto__.']);
      await refused({ filter_query: 'price > $missing' }, '', 'INVALID_FILTER');
      const text = '{"user_id":"u7","boosts":[{"filter_query":"price > 1","factor":Infinity}]}';
      const { status } = await service.call('POST', '/recommend-items-to-user', text as never);
      assert.equal(status, 400);
    });

    test('a visitor’s session alone gives what the same events stored give', async () => {
      const { event_dataset_id } = project;
      const did = ['i1', 'i4', 'i12'].map((item_id, n) => ({
        item_id,
        event_type: 'buy',
        ts: Date.now() - (3 - n) * 60_000,
      }));
      const events = did.map((event, n) => ({ ...event, event_id: `visitor-${n}`, user_id: 'signed-in' }));
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
      for (const fields of [
        {},
        { diversity: { max_per: { genre: 4 } }, boosts: [{ filter_query: 'price > 30', factor: 3 }] },
        { pins: [{ position: 3, item_id: 'i44' }], exclude_item_ids: ['i2'] },
        // Scores of this one fall with every millisecond.
        { objective: 'again', explain: false },
      ]) {
        const body = { limit: 20, explain: true, ...fields };
        const stored = await recommend({ user_id: 'signed-in', ...body });
        const told = await recommend({ session_events: did, ...body });
        assert.deepEqual(told.results, stored.results);
        assert.equal(told.objective, stored.objective);
      }
      const path = '/recommend-items-to-item';
      const stored = await ask(path, { item_id: 'i10', user_id: 'signed-in' });
      assert.deepEqual((await ask(path, { item_id: 'i10', session_events: did })).results, stored.results);
    });
  });
}
