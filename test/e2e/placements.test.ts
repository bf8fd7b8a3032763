// Placements over HTTP, on every database: definitions, versions, rules, fallbacks, calls, pages and what goes wrong.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { comparable } from '../support/comparable-response.ts';
import { codesOf, idsOf, type PlacementList } from '../support/placement-list.ts';
import { plantModel } from '../support/plant-model.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, succeed, type TasteProject, tasteModel, turnedModel } from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

type Body = Record<string, unknown>;
const HOUR = 3_600_000;
const GERMAN_USER = { user_id: 'u7', attributes: { country: 'DE' } };
for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`placements on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: TasteProject;
    let path: string;

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService({ KINDRED_ROLES: 'api,worker', ...place.env });
      project = await createTasteProject(service);
      path = new URL(project.serving_uri).pathname;
      const users = { user_dataset_id: project.user_dataset_id, users: [GERMAN_USER] };
      await service.ok('POST', '/upsert-dataset-users', users);
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const create = (name: string, definition: Body) =>
      service.ok('POST', '/create-placement', { project_id: project.project_id, name, ...definition });
    const update = (name: string, change: Body) =>
      service.ok('PUT', '/update-placement', { project_id: project.project_id, name, ...change });
    const call = (name: string, body: Body = {}): Promise<PlacementList> =>
      service.ok('POST', `${path}/placements/${name}`, body);
    const refused = async (at: string, body: Body, method: 'POST' | 'PUT' | 'GET' | 'DELETE' = 'POST') => {
      const { status, body: problem } = await service.call(method, at, body);
      return `${status} ${problem.code}${problem.errors ? ` ${problem.errors[0].pointer}` : ''}`;
    };

    test('without a deployed model a call says so, or shows a top list of the placement', async () => {
      await create('early', { kind: 'for_you' });
      assert.equal(await refused(`${path}/placements/early`, { user_id: 'u7' }), '409 NO_MODEL_DEPLOYED');
      const defaults = {
        limit: 3,
        attributes: ['title'],
        filter_query: 'price > 5',
        pins: [1, 20].map((item, n) => ({ position: n + 1, item_id: `i${item}` })),
      };
      await create('early-or-new', { kind: 'for_you', fallback: ['newest'], defaults });
      const shown = await call('early-or-new', { user_id: 'u7', exclude_item_ids: ['i6'] });
      assert.equal(shown.results.length, 3);
      assert.ok(shown.results.every(({ item }) => item.title !== null && item.item_id !== 'i1'));
      assert.deepEqual([idsOf(shown)[1], shown.results[1].pinned], ['i20', true]);
      assert.deepEqual(codesOf(shown), ['NO_MODEL', 'PIN_SKIPPED']);

      // An editor sees what the placement would return, and a page is made of the same lists, without repeats.
      const { project_id: previewed } = project;
      const definition = { kind: 'for_you', fallback: ['newest'], defaults };
      const preview = await service.ok('POST', '/preview-placement', { project_id: previewed, definition });
      assert.deepEqual([preview.placement, preview.version, preview.model_id], [null, null, null]);
      assert.deepEqual(codesOf(preview), codesOf(shown));
      assert.deepEqual(idsOf(preview), idsOf(await call('early-or-new')));
      const needy = { project_id: previewed, definition: { kind: 'for_you' } };
      assert.equal(await refused('/preview-placement', needy), '409 NO_MODEL_DEPLOYED');
      await create('new', { kind: 'newest', defaults: { limit: 5 } });
      const early = await service.ok('POST', `${path}/page`, {
        placements: [{ name: 'early-or-new' }, { name: 'new' }],
      });
      const both: string[] = early.placements.flatMap(idsOf);
      assert.deepEqual([both.length, new Set(both).size], [8, 8]);
      const halved = { placements: [{ name: 'new' }, { name: 'early' }] };
      assert.equal(await refused(`${path}/page`, halved), '409 NO_MODEL_DEPLOYED');
      const { modelId } = await plantModel(place, project, tasteModel());
      const { project_id } = project;
      await succeed(service, '/submit-deployment-job', { project_id, generator_model_id: modelId, qps: 10_000 });
      assert.equal((await call('early', { user_id: 'u7' })).results.length, 10);
    });

    test('a call returns the same as the plain call with the same fields', async () => {
      const fields = { limit: 4, attributes: ['title'], boosts: [{ filter_query: 'price > 40', factor: 5 }] };
      await create('home', { kind: 'for_you', defaults: { ...fields, objective: 'any' } });
      const list = await call('home', { user_id: 'u7' });
      const plain = await service.ok('POST', '/recommend-items-to-user', {
        user_id: 'u7',
        objective: 'any',
        ...fields,
      });
      assert.deepEqual(list.results, plain.results);
      assert.deepEqual([list.placement, list.version, list.kind, list.limit], ['home', 1, 'for_you', 4]);
      const bare = await service.ok('POST', '/call-placement', { placement: 'home', user_id: 'u7' });
      assert.deepEqual(comparable(bare), comparable(list));
      const visitor = await call('home', { session_events: [{ item_id: 'i1', event_type: 'buy' }] });
      assert.equal(visitor.results.length, 4);
      assert.equal(
        (await call('home', { session_events: [] })).results.length,
        4,
        'a visitor of whom nothing is known',
      );
    });

    test('fields of the call win, filters are joined, exclusions add up', async () => {
      const defaults = {
        limit: 4,
        filter_query: 'price < $most',
        filter_params: { most: 30 },
        exclude_item_ids: ['i7'],
      };
      await create('joined', { kind: 'for_you', defaults });
      const asked = { user_id: 'u7', limit: 30, filter_query: 'price >= 20', exclude_item_ids: ['i22'] };
      const prices = idsOf(await call('joined', asked)).map((id) => Number(id.slice(1)));
      assert.deepEqual(
        prices.toSorted((a, b) => a - b),
        [20, 21, 23, 24, 25, 26, 27, 28, 29],
      );
      assert.ok(!idsOf(await call('joined', { user_id: 'u7', limit: 60 })).includes('i7'));
      const params = await call('joined', { user_id: 'u7', limit: 60, filter_params: { most: 3 } });
      assert.deepEqual(new Set(idsOf(params)), new Set(['i0', 'i1', 'i2']));
    });

    test('rules hold for their time and for whom they say', async () => {
      const now = Date.now();
      const pin = (item_id: string, position = 1) => ({ pins: [{ position, item_id }] });
      await create('ruled', {
        kind: 'for_you',
        rules: [
          { name: 'past', to_ts: now - HOUR, ...pin('i50') },
          { name: 'coming', from_ts: now + HOUR, ...pin('i51') },
          { name: 'now', from_ts: now - HOUR, to_ts: now + HOUR, filter_query: 'price >= 10' },
          { name: 'Germany', only_if: "user.country = 'DE'", ...pin('i52') },
          { name: 'phones', only_if: "context.device = 'phone'", ...pin('i53', 2) },
          { name: 'same place', ...pin('i54') },
        ],
      });
      const german = await call('ruled', { user_id: 'u7', context: { device: 'phone' }, limit: 50 });
      assert.deepEqual(german.rules, ['now', 'Germany', 'phones', 'same place']);
      assert.deepEqual(idsOf(german).slice(0, 2), ['i52', 'i53'], 'the first rule keeps its place');
      assert.ok(idsOf(german).every((id) => Number(id.slice(1)) >= 10));
      const other = await call('ruled', { user_id: 'u8' });
      assert.deepEqual(other.rules, ['now', 'same place']);
      assert.equal(idsOf(other)[0], 'i54');
    });

    test('a pin that is filtered out, a missing attribute and a model that is gone are warned of', async () => {
      const { project_id } = project;
      const { modelId } = await plantModel(place, project, turnedModel());
      await create('odd', {
        kind: 'for_you',
        defaults: { model_id: modelId, filter_query: 'price < 20 AND color IS NULL' },
        rules: [{ name: 'pin', pins: [{ position: 1, item_id: 'i40' }] }],
      });
      await service.ok('DELETE', '/delete-model', { project_id, model_id: modelId });
      const response = await call('odd', { user_id: 'u7' });
      assert.deepEqual(codesOf(response), ['MODEL_MISSING', 'UNKNOWN_ATTRIBUTE', 'PIN_SKIPPED']);
      assert.equal(response.results.length, 10);
      assert.equal(
        await refused(`${path}/placements/odd`, { user_id: 'u7', model_id: modelId }),
        '404 MODEL_NOT_FOUND /model_id',
      );
      await update('odd', { defaults: { model_id: modelId }, rules: [] });
    });

    test('every kind says what it needs, and fallbacks fill what is left', async () => {
      await create('instead', { kind: 'similar', defaults: { limit: 3 } });
      assert.equal((await call('instead', { item_id: 'i10' })).results.length, 3);
      const partly = await call('instead', { item_ids: ['i10', 'nobody'], user_id: 'u7' });
      assert.deepEqual([partly.results.length, codesOf(partly)], [3, ['UNKNOWN_ITEM']]);
      assert.equal(await refused(`${path}/placements/instead`, {}), '400 INVALID_REQUEST /item_id');
      assert.equal(await refused(`${path}/placements/early`, {}), '400 INVALID_REQUEST /user_id');
      await create('order', { kind: 'ranking' });
      assert.equal(await refused(`${path}/placements/order`, { user_id: 'u7' }), '400 INVALID_REQUEST /item_ids');
      const ranked = await call('order', { user_id: 'u7', item_ids: ['i3', 'i7', 'i4'] });
      assert.deepEqual([idsOf(ranked)[0], ranked.results.length], ['i7', 3]);

      const { event_dataset_id } = project;
      const event = { event_id: 'open', user_id: 'starter', item_id: 'i5', event_type: 'view', ts: Date.now() };
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: [event] });
      await create('go-on', { kind: 'continue' });
      assert.deepEqual(idsOf(await call('go-on', { user_id: 'starter' })), ['i5'], 'there is nothing else to continue');
      await update('go-on', { fallback: ['similar', 'for_you'] });
      const filled = await call('go-on', { user_id: 'starter', limit: 6 });
      assert.deepEqual(
        filled.results.map((result) => result.filled === true),
        [false, true, true, true, true, true],
      );
    });

    test('top lists are placements too, and fill others', async () => {
      const { event_dataset_id } = project;
      const events = ['i11', 'i11', 'i11', 'i23', 'i23', 'i35'].map((item_id, n) => ({
        ...{ event_id: `top-${n}`, user_id: `crowd-${n}`, item_id, event_type: 'look', ts: Date.now() - 1000 },
      }));
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
      await create('popular-now', { kind: 'popular', defaults: { window_hours: 1, event_type: 'look' } });
      assert.deepEqual(idsOf(await call('popular-now')), ['i11', 'i23', 'i35']);
      const boosts = [{ filter_query: 'price = 35', factor: 10 }];
      assert.deepEqual(idsOf(await call('popular-now', { boosts, exclude_item_ids: ['i23'] })), ['i35', 'i11']);
      const pinned = await call('popular-now', { pins: [{ position: 2, item_id: 'i1' }], filter_query: 'price < 30' });
      assert.deepEqual(idsOf(pinned), ['i11', 'i1', 'i23']);
      await create('go-on-or-popular', {
        ...{ kind: 'continue', fallback: ['popular'], defaults: { window_hours: 1, event_type: 'look', limit: 3 } },
      });
      const filled = await call('go-on-or-popular', { user_id: 'starter' });
      assert.deepEqual(idsOf(filled), ['i5', 'i11', 'i23']);
      assert.deepEqual(
        filled.results.map((result) => result.filled === true),
        [false, true, true],
      );
      await create('fresh', { kind: 'newest', defaults: { limit: 5 } });
      assert.equal((await call('fresh')).results.length, 5);
    });

    test('changes are kept as versions with who and when, and can be rolled back', async () => {
      const created = await create('steered', { kind: 'for_you', defaults: { limit: 2 } });
      assert.deepEqual([created.version, created.change, created.changed_by.key_name], [1, 'created', 'first key']);
      const steered = { project_id: project.project_id, name: 'steered' };
      const first = await service.call('POST', '/rollback-placement', steered);
      assert.deepEqual([first.status, first.body.detail], [400, 'Placement steered has no earlier version.']);
      await update('steered', { defaults: { limit: 3 } });
      assert.equal((await call('steered', { user_id: 'u7' })).results.length, 3, 'at once');
      const read = await service.ok('GET', '/get-placement', steered);
      const third = await service.ok('PUT', '/update-placement', { ...read, fatigue: { after: 3, days: 7 } });
      assert.deepEqual([third.version, third.defaults, third.fatigue], [3, { limit: 3 }, { after: 3, days: 7 }]);
      const back = await service.ok('POST', '/rollback-placement', { ...steered, version: 1 });
      assert.deepEqual(
        [back.version, back.change, back.defaults, back.fatigue],
        [4, 'rolled_back', { limit: 2 }, null],
      );
      const response = await call('steered', { user_id: 'u7' });
      assert.deepEqual([response.version, response.results.length], [4, 2]);
      const { versions } = await service.ok('GET', '/list-placement-versions', steered);
      assert.deepEqual(
        versions.map(({ version, change }: Body) => `${version} ${change}`),
        ['4 rolled_back', '3 updated', '2 updated', '1 created'],
      );
      assert.ok(versions.every(({ changed_ts }: { changed_ts: number }) => Math.abs(Date.now() - changed_ts) < 60_000));
      const before = await service.ok('POST', '/rollback-placement', steered);
      assert.deepEqual(before.fatigue, { after: 3, days: 7 }, 'without a version: the one before');
      const stale = { ...steered, expected_version: 4, defaults: {} };
      assert.equal(await refused('/update-placement', stale, 'PUT'), '409 PLACEMENT_CHANGED');
      assert.equal(await refused('/rollback-placement', { ...steered, version: 99 }), '400 INVALID_REQUEST /version');
    });

    test('they are listed and deleted, and are not there any more then', async () => {
      const project_id = project.project_id;
      await create('brief', { kind: 'for_you' });
      const { placements } = await service.ok('GET', '/list-placements', { project_id });
      assert.equal(placements[0].name, 'brief');
      const deleted = await service.ok('DELETE', '/delete-placement', { project_id, name: 'brief' });
      assert.equal(deleted.name, 'brief');
      assert.equal(await refused(`${path}/placements/brief`, { user_id: 'u7' }), '404 PLACEMENT_NOT_FOUND /name');
      for (const [method, at] of [
        ['GET', '/get-placement'],
        ['GET', '/list-placement-versions'],
        ['DELETE', '/delete-placement'],
        ['PUT', '/update-placement'],
      ] as const) {
        assert.equal(await refused(at, { project_id, name: 'brief' }, method), '404 PLACEMENT_NOT_FOUND /name', at);
      }
      const elsewhere = { project_id: 'prj_none', name: 'x', kind: 'for_you' };
      assert.equal(await refused('/create-placement', elsewhere), '404 PROJECT_NOT_FOUND /project_id');
    });

    test('a page has several placements and no item twice', async () => {
      const placements = [
        { name: 'home', limit: 6 },
        { name: 'early', limit: 8 },
        { name: 'instead', item_id: 'i10' },
      ];
      const page = await service.ok('POST', `${path}/page`, { user_id: 'u7', placements, exclude_item_ids: ['i40'] });
      assert.deepEqual(
        page.placements.map(({ placement, results }: PlacementList) => [placement, results.length]),
        [
          ['home', 6],
          ['early', 8],
          ['instead', 3],
        ],
      );
      const all = page.placements.flatMap(idsOf);
      assert.equal(new Set(all).size, all.length);
      assert.ok(!all.includes('i40'));
      const base = await service.ok('POST', '/compose-page', { user_id: 'u7', placements: [{ name: 'home' }] });
      assert.equal(base.placements[0].results.length, 4);
      const broken = { user_id: 'u7', placements: [{ name: 'home' }, { name: 'nothing' }] };
      assert.equal(await refused(`${path}/page`, broken), '404 PLACEMENT_NOT_FOUND /name');
      assert.equal(await refused(`${path}/page`, { user_id: 'u7', placements: [] }), '400 INVALID_REQUEST /placements');
    });

    test('what a call of a placement gets wrong is refused, and a pin of the call wins over one of the placement', async () => {
      await create('bounded', {
        kind: 'for_you',
        defaults: { limit: 3, filter_query: 'price < $most', pins: [{ position: 1, item_id: 'i4' }] },
      });
      const at = `${path}/placements/bounded`;
      assert.match(await refused(at, { user_id: 'u7' }), /^400 INVALID_FILTER/, 'a parameter is missing');
      const filter_params = { most: 50 };
      const pinned = await call('bounded', { user_id: 'u7', filter_params, pins: [{ position: 1, item_id: 'i5' }] });
      assert.deepEqual([idsOf(pinned)[0], pinned.warnings], ['i5', undefined]);
      const twice = [
        { position: 1, item_id: 'i5' },
        { position: 1, item_id: 'i6' },
      ];
      assert.equal(await refused(at, { user_id: 'u7', filter_params, pins: twice }), '400 INVALID_REQUEST /pins/1');
      const { next_page_token } = await call('bounded', { user_id: 'u7', filter_params });
      for (const [body, name] of [
        [{ user_id: 'u7', filter_params, page_token: `${next_page_token}x` }, 'bounded'],
        [{ user_id: 'u8', filter_params, page_token: next_page_token }, 'bounded'],
        [{ user_id: 'u7', filter_params, item_id: 'i1', page_token: next_page_token }, 'bounded'],
        [{ user_id: 'u7', filter_params, objective: 'discover', page_token: next_page_token }, 'bounded'],
        [{ user_id: 'u7', page_token: next_page_token }, 'early'],
      ] as const) {
        assert.equal(await refused(`${path}/placements/${name}`, body), '400 INVALID_PAGE_TOKEN /page_token');
      }
      for (const [fields, place] of [
        ['"boosts":[{"filter_query":"price > 1","factor":1e999}]', 'boosts/0/factor'],
        ['"context":{"device":1e999}', 'context/device'],
        ['"filter_params":{"most":-1e999}', 'filter_params/most'],
      ]) {
        const { status, body } = await service.call('POST', at, undefined, { raw: `{"user_id":"u7",${fields}}` });
        const detail = `${place} must be a number from -1.8e308 to 1.8e308.`;
        assert.deepEqual([status, body.errors[0].pointer, body.detail], [400, `/${place}`, detail]);
      }
      await create('typo', { kind: 'for_you', rules: [{ name: 'sale', filter_query: 'color IS NULL', boosts: [] }] });
      assert.deepEqual(codesOf(await call('typo', { user_id: 'u7' })), ['UNKNOWN_ATTRIBUTE']);
    });

    test('a preview shows what a definition would, and keeps nothing', async () => {
      const definition = { kind: 'for_you', defaults: { limit: 3, pins: [{ position: 2, item_id: 'i33' }] } };
      const body = { project_id: project.project_id, definition, request: { user_id: 'u7' } };
      const preview = await service.ok('POST', '/preview-placement', body);
      assert.deepEqual([idsOf(preview)[1], preview.placement, preview.version], ['i33', null, null]);
      const wrong = { ...body, definition: { kind: 'for_you', defaults: { filter_query: ')' } } };
      assert.equal(await refused('/preview-placement', wrong), '400 INVALID_FILTER /defaults/filter_query');
    });

    test('a placement may name a model of its own', async () => {
      const { modelId } = await plantModel(place, project, turnedModel());
      await create('own-model', { kind: 'for_you', defaults: { model_id: modelId, objective: 'any' } });
      const own = idsOf(await call('own-model', { user_id: 'u7' }));
      assert.notDeepEqual(own, idsOf(await call('home', { user_id: 'u7', limit: 10 })));
    });
  });
}
