// Pages of placements: the next pages of their lists, and a page that is refused after some of its lists were made, without a model
// and with one: none of them was returned.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { idsOf } from '../support/placement-list.ts';
import { plantModel } from '../support/plant-model.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, succeed, type TasteProject, tasteModel } from '../support/taste-project.ts';
import { newTestPlace, type TestPlace } from '../support/test-database.ts';

let place: TestPlace;
let service: TestService;
let project: TasteProject;

before(async () => {
  place = await newTestPlace('sqlite');
  service = await startTestService({ KINDRED_ROLES: 'api,worker', ...place.env });
  project = await createTasteProject(service);
});
after(async () => {
  await service.stop();
  await place.remove();
});

async function countsReturnedListsOnly(placement: string): Promise<void> {
  const { project_id } = project;
  await service.ok('POST', '/create-placement', {
    project_id,
    name: placement,
    kind: 'newest',
    defaults: { limit: 3 },
  });
  const variants = ['a', 'b'].map((name) => ({ name, share: 1 }));
  const { experiment_id } = await service.ok('POST', '/create-experiment', { project_id, placement, variants });
  const pageOf = (user_id: string, ...names: string[]) =>
    service.call('POST', '/compose-page', { project_id, user_id, placements: names.map((name) => ({ name })) });
  const refused = await pageOf('u1', placement, 'gone');
  assert.equal(`${refused.status} ${refused.body.code}`, '404 PLACEMENT_NOT_FOUND');
  assert.equal((await pageOf('u2', placement)).status, 200);
  const served = async () => {
    const { totals } = await service.ok('GET', '/get-placement-report', { project_id, placement, by: 'total' });
    return totals.reduce((sum: number, { served }: { served: number }) => sum + served, 0);
  };
  // Counted in the order of the calls, so the refused page would be in it too.
  await eventually(async () => (await served()) > 0);
  assert.equal(await served(), 1);
  const { results } = await service.ok('GET', '/get-experiment', { project_id, experiment_id });
  const visitors = results.variants.map((variant: { visitors: number }) => variant.visitors);
  assert.equal(visitors[0] + visitors[1], 1);
}

test('without a model a refused page has served no list and no visitor', () => countsReturnedListsOnly('early'));

test('with a model a refused page has served no list and no visitor', async () => {
  const { modelId } = await plantModel(place, project, tasteModel());
  const { project_id } = project;
  await succeed(service, '/submit-deployment-job', { project_id, generator_model_id: modelId, qps: 10_000 });
  await countsReturnedListsOnly('later');
});

test('each list of a page has pages of its own', async () => {
  const { project_id } = project;
  await service.ok('POST', '/create-placement', { project_id, name: 'home', kind: 'for_you', defaults: { limit: 4 } });
  await service.ok('POST', '/create-placement', { project_id, name: 'new', kind: 'newest' });
  const pageOf = (body: object) => service.call('POST', '/compose-page', { project_id, user_id: 'u7', ...body });
  const [first] = (await pageOf({ placements: [{ name: 'home', limit: 5 }] })).body.placements;
  const token = { page_token: first.next_page_token };
  const { body } = await pageOf({
    placements: [
      { name: 'new', limit: 3 },
      { name: 'home', ...token },
    ],
  });
  const [latest, second]: string[][] = body.placements.map(idsOf);
  assert.deepEqual([latest.length, second.length], [3, 4]);
  assert.ok(!second.some((id) => idsOf(first).includes(id) || latest.includes(id)));
  const alone = await pageOf({ placements: [{ name: 'home' }], ...token });
  assert.equal(idsOf(alone.body.placements[0]).length, 4);
  const both = await pageOf({ placements: [{ name: 'home' }, { name: 'new' }], ...token });
  assert.deepEqual([both.status, both.body.code], [400, 'INVALID_PAGE_TOKEN']);
});

test('null in a list of a page leaves what the page says', async () => {
  const shared = { project_id: project.project_id, user_id: 'u7', limit: 3, filter_query: 'price < 5' };
  const nulls = { user_id: null, limit: null, filter_query: null };
  const [plain, withNulls] = await Promise.all(
    [{}, nulls].map((own) =>
      service.ok('POST', '/compose-page', { ...shared, placements: [{ name: 'home', ...own }] }),
    ),
  );
  const [list] = withNulls.placements;
  assert.deepEqual([list.user_id, list.limit, list.filter_query], ['u7', 3, 'price < 5']);
  assert.deepEqual(idsOf(list), idsOf(plain.placements[0]));
});

test('pages of a placement continue while its definition changes', async () => {
  const { project_id } = project;
  const definition = { project_id, name: 'paged', kind: 'for_you', defaults: { limit: 5 } };
  await service.ok('POST', '/create-placement', definition);
  const pageOf = (page_token: string | null, placement = 'paged') =>
    service.call('POST', '/call-placement', {
      project_id,
      placement,
      user_id: 'u9',
      ...(page_token && { page_token }),
    });
  const { body: first } = await pageOf(null);
  const defaults = { limit: 5, boosts: [{ filter_query: 'price > 1', factor: 3 }] };
  await service.ok('PUT', '/update-placement', { project_id, name: 'paged', defaults });
  const { body: second } = await pageOf(first.next_page_token);
  assert.equal(new Set([...idsOf(first), ...idsOf(second)]).size, 10);
  const newest = {
    kind: 'newest',
    fallback: ['popular'],
    defaults: { limit: 5, objective: 'auto', window_hours: 700 },
  };
  await service.ok('PUT', '/update-placement', { project_id, name: 'paged', ...newest });
  const { body: third } = await pageOf(second.next_page_token);
  assert.equal(new Set([first, second, third].flatMap(idsOf)).size, 15);
  const { status, body } = await pageOf(first.next_page_token, 'early');
  assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 'INVALID_PAGE_TOKEN', '/page_token']);
});
