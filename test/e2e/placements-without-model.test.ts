// Placements of a project without a deployed model, on every database: how its top lists fill a list.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { idsOf, type PlacementList } from '../support/placement-list.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, type TasteProject } from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`placements without a model on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: TasteProject;

    before(async () => {
      place = await newTestPlace(dialect);
      const stores = { KINDRED_DATA_DIR: place.dataDir, KINDRED_DATABASE_URL: place.databaseUrl ?? '' };
      service = await startTestService({ KINDRED_ROLES: 'api', ...stores });
      project = await createTasteProject(service);
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const create = (name: string, definition: object) =>
      service.ok('POST', '/create-placement', { project_id: project.project_id, name, ...definition });
    const call = (placement: string, body: object = {}): Promise<PlacementList> =>
      service.ok('POST', '/call-placement', { project_id: project.project_id, placement, ...body });

    test('fallbacks fill what the list leaves open, in their order and on the next page', async () => {
      // Nothing has risen.
      await create('trend', { kind: 'trending', fallback: ['newest', 'popular'], defaults: { limit: 3 } });
      const first = await call('trend');
      const newest = await service.ok('POST', '/list-top-items', { project_id: project.project_id, by: 'newest' });
      assert.deepEqual(idsOf(first), idsOf(newest).slice(0, 3));
      const second = await call('trend', { page_token: first.next_page_token });
      assert.deepEqual(idsOf(second), idsOf(newest).slice(3, 6));
      assert.ok([...first.results, ...second.results].every(({ filled }) => filled));
    });

    test('items that are not of the kind are marked, pinned ones are not', async () => {
      const pins = [{ position: 2, item_id: 'i20' }];
      await create('home', { kind: 'for_you', fallback: ['newest'], defaults: { limit: 3, pins } });
      assert.deepEqual(
        (await call('home', { user_id: 'u7' })).results.map(({ filled, pinned }) => [filled, pinned]),
        [
          [true, undefined],
          [undefined, true],
          [true, undefined],
        ],
      );
      await create('new', { kind: 'newest' });
      assert.ok((await call('new')).results.every(({ filled }) => filled === undefined));
    });

    test('every filter holds, whatever the others are', async () => {
      const long = (filter: string) => `${filter} AND price != ${'0'.repeat(2100)}1`;
      const rules = ['price < 30', 'price > 20'].map((text) => ({ name: text, filter_query: long(text) }));
      await create('some', { kind: 'newest', defaults: { filter_query: 'price != 25' }, rules });
      const priced = await call('some', { filter_query: 'price < 24 OR price > 27' });
      assert.deepEqual(idsOf(priced).sort(), ['i21', 'i22', 'i23', 'i28', 'i29']);
      const open = { project_id: project.project_id, placement: 'some', filter_query: 'price > 0) OR (price <= 0' };
      const refused = await service.call('POST', '/call-placement', open);
      assert.equal(`${refused.status} ${refused.body.code}`, '400 INVALID_FILTER');
    });

    test('a window that is too long for a trend is refused, as in /list-top-items', async () => {
      const refused = async (path: string, body: object) => {
        const response = await service.call('POST', path, { project_id: project.project_id, ...body });
        return `${response.status} ${response.body.errors?.[0].pointer}`;
      };
      const long = { kind: 'trending', defaults: { window_hours: 169 } };
      assert.equal(await refused('/list-top-items', { by: 'trending', window_hours: 169 }), '400 /window_hours');
      assert.equal(await refused('/create-placement', { name: 'long', ...long }), '400 /defaults/window_hours');
      await create('week', { ...long, defaults: { window_hours: 168 } });
      assert.equal(await refused('/call-placement', { placement: 'week', window_hours: 169 }), '400 /window_hours');
      await create('month', { kind: 'popular', fallback: ['trending', 'newest'], defaults: { window_hours: 720 } });
      assert.ok((await call('month')).results.length > 0);
    });

    test('a list of a page continues alone', async () => {
      for (const name of ['top', 'more']) await create(name, { kind: 'newest', defaults: { limit: 3 } });
      const shared = { project_id: project.project_id, user_id: 'u7' };
      const page = await service.ok('POST', '/compose-page', {
        ...shared,
        placements: [{ name: 'top' }, { name: 'more' }],
        exclude_item_ids: ['i20'],
      });
      const [top, more]: PlacementList[] = page.placements;
      const next = await call('more', { user_id: 'u7', page_token: more.next_page_token });
      assert.equal(new Set([...idsOf(more), ...idsOf(next)]).size, 6);
      for (const body of [
        { placement: 'more', user_id: 'u7', page_token: top.next_page_token },
        { placement: 'more', user_id: 'u8', page_token: more.next_page_token },
        { placement: 'more', user_id: 'u7', filter_query: 'price > 3', page_token: more.next_page_token },
      ]) {
        const refused = await service.call('POST', '/call-placement', { ...shared, ...body });
        assert.equal(`${refused.status} ${refused.body.code}`, '400 INVALID_PAGE_TOKEN');
      }
    });

    test('pages continue while the placement and what holds of its rules change', async () => {
      await create('changing', {
        kind: 'newest',
        defaults: { limit: 3 },
        rules: [{ name: 'phone', only_if: `context.device = 'phone'`, pins: [{ position: 1, item_id: 'i20' }] }],
      });
      const first = await call('changing', { context: { device: 'phone' } });
      assert.deepEqual([first.rules, idsOf(first)[0]], [['phone'], 'i20']);
      const second = await call('changing', { context: { device: 'desk' }, page_token: first.next_page_token });
      assert.deepEqual(second.rules, []);
      const boosts = [{ filter_query: 'price > 1', factor: 3 }];
      await service.ok('PUT', '/update-placement', {
        project_id: project.project_id,
        name: 'changing',
        defaults: { limit: 3, boosts, exclude_seen: false },
      });
      const third = await call('changing', { page_token: second.next_page_token });
      assert.equal(new Set([first, second, third].flatMap(idsOf)).size, 9);
    });
  });
}
