// Experiments over HTTP, on every database: who gets which variant, what it shows, and how an experiment ends while calls continue.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readRecommendation } from '../../src/domain/recommendation.ts';
import { eventually } from '../support/eventually.ts';
import { plantModel } from '../support/plant-model.ts';
import { startTestService, type TestService } from '../support/service.ts';
import {
  createTasteProject,
  succeed,
  type TasteProject,
  tasteModel,
  turnedModel,
  USERS,
} from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

type Body = Record<string, unknown>;

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`experiments on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: TasteProject;
    let path: string;
    let otherModel: string;

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService({
        KINDRED_ROLES: 'api,worker',
        ...place.env,
      });
      project = await createTasteProject(service);
      path = new URL(project.serving_uri).pathname;
      const { modelId } = await plantModel(place, project, tasteModel());
      otherModel = (await plantModel(place, project, turnedModel())).modelId;
      const { project_id } = project;
      await succeed(service, '/submit-deployment-job', { project_id, generator_model_id: modelId, qps: 10_000 });
      for (const name of ['home', 'cart', 'end']) {
        await service.ok('POST', '/create-placement', { project_id, name, kind: 'for_you', defaults: { limit: 4 } });
      }
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const create = (placement: string, variants: Body[], more: Body = {}) =>
      service.ok('POST', '/create-experiment', { project_id: project.project_id, placement, variants, ...more });
    const call = (name: string, body: Body) => service.ok('POST', `${path}/placements/${name}`, body);
    const users = Array.from({ length: USERS }, (_, n) => `u${n}`);

    test('a user keeps a variant, which shows what it overrides and is in the id of the list', async () => {
      const before = await Promise.all(users.slice(0, 20).map((user_id) => call('home', { user_id })));
      assert.equal(before[1].variant, null);
      const variants = [
        { name: 'today', share: 1 },
        { name: 'other model', share: 1, overrides: { model_id: otherModel } },
        { name: 'holdout', share: 1, overrides: { kind: 'popular', limit: 2 } },
      ];
      const made = await create('home', variants, { metric: 'target', min_days: 3, name: 'Which model' });
      assert.deepEqual([made.status, made.metric, made.variants[0].overrides], ['RUNNING', 'target', {}]);
      const seen = new Map<string, number>();
      for (const user_id of users) {
        const list = await call('home', { user_id });
        seen.set(list.variant, (seen.get(list.variant) ?? 0) + 1);
        const id = readRecommendation(list.recommendation_id);
        assert.deepEqual([id?.variant, id?.experimentId, id?.placement], [list.variant, made.experiment_id, 'home']);
        assert.equal((await call('home', { user_id })).variant, list.variant, 'the same again');
        if (list.variant === 'holdout') assert.deepEqual([list.kind, list.limit], ['popular', 2]);
        if (list.variant === 'other model') assert.equal(list.model_id, otherModel);
        if (list.variant === 'today') assert.deepEqual([list.kind, list.limit], ['for_you', 4]);
      }
      for (const [n, { next_page_token: page_token, results }] of before.entries()) {
        const next = await call('home', { user_id: users[n], page_token });
        assert.ok(
          !idsOfItems(next).some((id) => idsOfItems({ results }).includes(id)),
          'the next page of a list of before',
        );
      }
      assert.equal(seen.size, 3);
      assert.ok(
        [...seen.values()].every((count) => count > USERS / 10),
        JSON.stringify([...seen]),
      );
      const visitor = await call('home', { session_events: [{ item_id: 'i1' }] });
      assert.deepEqual([visitor.variant, visitor.kind], [null, 'for_you'], 'without an id nobody can keep a variant');
      const page = await service.ok('POST', `${path}/page`, { user_id: 'u1', placements: [{ name: 'home' }] });
      assert.equal(page.placements[0].variant, (await call('home', { user_id: 'u1' })).variant);
      const tried = { user_id: 'an editor', preview: true };
      const shown = await call('home', tried);
      assert.ok(seen.has(shown.variant), 'a preview shows what the user would get');
      assert.deepEqual(
        [readRecommendation(shown.recommendation_id)].map((id) => [id?.placement, id?.variant, id?.experimentId]),
        [[null, null, undefined]],
      );
      await service.ok('POST', `${path}/page`, { ...tried, placements: [{ name: 'home' }] });
      await call('home', { user_id: 'u1' });
      const { experiment_id, project_id } = made;
      const visitorsOf = (one: { results: { variants: { visitors: number }[] } }) =>
        one.results.variants.reduce((sum, { visitors }) => sum + visitors, 0);
      let read = await service.ok('GET', '/get-experiment', { project_id, experiment_id });
      await eventually(async () => {
        read = await service.ok('GET', '/get-experiment', { project_id, experiment_id });
        return visitorsOf(read) >= USERS;
      });
      assert.deepEqual(
        read.results.variants.map(({ name, visitors }: { name: string; visitors: number }) => [name, visitors]),
        variants.map(({ name }) => [name, seen.get(name)]),
        'every user is counted once, for the variant that was shown',
      );
      assert.deepEqual([read.results.split_as_planned, read.results.winner, read.decided], [true, null, null]);
      assert.ok(read.results.sentence.length > 0);
      const { experiments } = await service.ok('GET', '/list-experiments', { project_id, placement: 'home' });
      assert.deepEqual(experiments, [made]);
    });

    test('what would make calls fail later is refused, and a second experiment on a placement too', async () => {
      const control = { name: 'a', share: 1 };
      const refused = async (variants: Body[], more: Body = {}) => {
        const body = { project_id: project.project_id, placement: 'cart', variants, ...more };
        const { status, body: problem } = await service.call('POST', '/create-experiment', body);
        return `${status} ${problem.code}${problem.errors ? ` ${problem.errors[0].pointer}` : ''}`;
      };
      const overriding = (overrides: Body) => refused([control, { name: 'b', share: 1, overrides }]);
      assert.match(await refused([control]), /^400 INVALID_REQUEST \/variants/);
      assert.match(await refused([control, control]), /^400 INVALID_REQUEST \/variants\/1\/name/);
      assert.match(await refused([control, { name: 'b', share: 0 }]), /^400 INVALID_REQUEST \/variants\/1\/share/);
      assert.match(await overriding({ kind: 'similar' }), /^400 INVALID_REQUEST \/variants\/1\/overrides\/kind/);
      assert.match(await overriding({ kind: 'ranking' }), /^400 INVALID_REQUEST/);
      assert.match(await overriding({ color: 'red' }), /^400 UNKNOWN_FIELD \/variants\/1\/overrides\/color/);
      assert.match(
        await overriding({ filter_query: 'price <' }),
        /^400 INVALID_FILTER \/variants\/1\/overrides\/filter_query/,
      );
      assert.match(
        await overriding({ model_id: 'mdl_none' }),
        /^404 MODEL_NOT_FOUND \/variants\/1\/overrides\/model_id/,
      );
      const two = [control, { name: 'b', share: 1 }];
      assert.match(await refused(two, { placement: 'nowhere' }), /^404 PLACEMENT_NOT_FOUND \/placement$/);
      assert.match(await refused(two, { project_id: 'prj_none' }), /^404 PROJECT_NOT_FOUND/);
      assert.match(await refused(two, { min_days: 400 }), /^400/);
      assert.match(await refused(two, { placement: 'home' }), /^409 EXPERIMENT_RUNNING/);
      const gone = { project_id: project.project_id, experiment_id: 'exp_none' };
      assert.equal((await service.call('GET', '/get-experiment', gone)).body.code, 'EXPERIMENT_NOT_FOUND');
      assert.equal((await service.call('POST', '/stop-experiment', gone)).body.code, 'EXPERIMENT_NOT_FOUND');
    });

    test('starting, promoting and stopping fail no call, and the winner becomes the next version', async () => {
      const { project_id } = project;
      const variants = [
        { name: 'today', share: 1 },
        { name: 'short', share: 1, overrides: { limit: 2, model_id: otherModel } },
      ];
      let isOver = false;
      const statuses = new Set<number>();
      const calls = [0, 1, 2].map(async (offset) => {
        for (let n = offset; !isOver; n++) {
          const body = { user_id: `u${n % USERS}` };
          statuses.add((await service.call('POST', `${path}/placements/end`, body)).status);
        }
      });
      const first = await create('end', variants);
      const wrong = await service.call('POST', '/stop-experiment', { ...idsOf(first), promote: 'none' });
      assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [400, '/promote']);
      const stopped = await service.ok('POST', '/stop-experiment', idsOf(first));
      assert.deepEqual([stopped.status, stopped.promoted], ['STOPPED', null]);
      assert.equal((await call('end', { user_id: 'u1' })).variant, null);
      const second = await create('end', variants);
      const [promoted] = await Promise.all([
        service.ok('POST', '/stop-experiment', { ...idsOf(second), promote: 'short' }),
        service.ok('PUT', '/update-placement', { project_id, name: 'end', rules: [{ name: 'sale' }] }).catch(() => {}),
      ]);
      assert.deepEqual([promoted.status, promoted.promoted], ['STOPPED', 'short']);
      isOver = true;
      await Promise.all(calls);
      assert.deepEqual([...statuses], [200]);
      const list = await call('end', { user_id: 'u1' });
      assert.deepEqual([list.variant, list.limit, list.model_id], [null, 2, otherModel]);
      const placement = await service.ok('GET', '/get-placement', { project_id, name: 'end' });
      assert.deepEqual(placement.defaults, { limit: 2, model_id: otherModel });
      // A request that is sent again makes no version that a roll-back would have to go past.
      await Promise.all(
        [1, 2].map(() => service.ok('POST', '/stop-experiment', { ...idsOf(second), promote: 'short' })),
      );
      assert.equal((await service.ok('GET', '/get-placement', { project_id, name: 'end' })).version, placement.version);
      const other = variants.find(({ name }) => name !== 'short')!.name;
      const another = await service.call('POST', '/stop-experiment', { ...idsOf(second), promote: other });
      assert.deepEqual([another.status, another.body.code], [409, 'VARIANT_PROMOTED']);
      assert.equal((await service.ok('GET', '/get-placement', { project_id, name: 'end' })).version, placement.version);
      await service.ok('POST', '/rollback-placement', { project_id, name: 'end', version: 1 });
      assert.equal((await call('end', { user_id: 'u1' })).limit, 4);
    });

    test('a variant whose model is deleted falls back to the deployed one', async () => {
      const { project_id } = project;
      const { modelId } = await plantModel(place, project, tasteModel());
      const made = await create('cart', [
        { name: 'a', share: 1, overrides: { model_id: modelId } },
        { name: 'b', share: 1, overrides: { model_id: modelId } },
      ]);
      assert.equal((await call('cart', { user_id: 'u1' })).model_id, modelId);
      await service.ok('DELETE', '/delete-model', { project_id, model_id: modelId });
      const list = await call('cart', { user_id: 'u1' });
      assert.equal(list.results.length, 4);
      assert.deepEqual(
        list.warnings.map(({ code }: { code: string }) => code),
        ['MODEL_MISSING'],
      );
      await service.ok('POST', '/stop-experiment', idsOf(made));
    });

    test('a variant of another kind refuses no call that the placement takes', async () => {
      const top = { project_id: project.project_id, name: 'top' };
      await service.ok('POST', '/create-placement', { ...top, kind: 'popular' });
      const variants = ['popular', 'trending'].map((kind) => ({ name: kind, share: 1, overrides: { kind } }));
      await create('top', variants);
      const seen = await Promise.all(
        users.slice(0, 20).map((user_id) => call('top', { user_id, window_hours: 720 }).then(({ kind }) => kind)),
      );
      assert.deepEqual(new Set(seen), new Set(['popular', 'trending']));
    });

    test('a placement is deleted only when no experiment runs on it', async () => {
      const { project_id } = project;
      const made = await create('cart', [
        { name: 'a', share: 1 },
        { name: 'b', share: 1, overrides: { limit: 2 } },
      ]);
      const cart = { project_id, name: 'cart' };
      const { status, body } = await service.call('DELETE', '/delete-placement', cart);
      assert.deepEqual([status, body.code], [409, 'EXPERIMENT_RUNNING']);
      assert.ok(body.detail.includes(made.experiment_id), body.detail);
      assert.equal((await service.ok('GET', '/get-experiment', idsOf(made))).status, 'RUNNING');
      await service.ok('POST', '/stop-experiment', { ...idsOf(made), promote: 'b' });
      assert.equal((await service.ok('DELETE', '/delete-placement', cart)).defaults.limit, 2);
      assert.equal((await service.ok('GET', '/get-experiment', idsOf(made))).promoted, 'b');
    });
  });
}

const idsOfItems = ({ results }: { results: { item: { item_id: string } }[] }) =>
  results.map(({ item }) => item.item_id);

const idsOf = ({ project_id, experiment_id }: { project_id: string; experiment_id: string }) => ({
  project_id,
  experiment_id,
});
