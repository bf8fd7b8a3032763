// Deployments and the recommendation call over HTTP, with models put in place by hand: on every database.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { callsAtOnce } from '../support/calls-at-once.ts';
import { comparable } from '../support/comparable-response.ts';
import { plantModel } from '../support/plant-model.ts';
import { startTestService, type TestService } from '../support/service.ts';
import {
  createTasteProject,
  ended,
  isOfKind,
  succeed,
  type TasteProject,
  tasteModel,
  turnedModel,
} from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`serving on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: TasteProject;
    let generator: { modelId: string; file: string };

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService({
        KINDRED_ROLES: 'api,worker',
        ...place.env,
      });
      project = await createTasteProject(service);
      generator = await plantModel(place, project, tasteModel());
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const deploy = (modelId: string, more = {}) =>
      succeed(service, '/submit-deployment-job', {
        project_id: project.project_id,
        generator_model_id: modelId,
        qps: 1000,
        ...more,
      });
    const recommend = (body: Record<string, unknown>) => service.ok('POST', '/recommend-items-to-user', body);
    const idsOf = (response: { results: { item: { item_id: string } }[] }) =>
      response.results.map(({ item }) => item.item_id);
    const filledIdsOf = (response: { results: { filled?: boolean; item: { item_id: string } }[] }) =>
      response.results.flatMap(({ filled, item }) => (filled ? item.item_id : []));
    const event = (n: number, user: string, item: string) => ({
      event_id: `fresh-${n}`,
      user_id: user,
      item_id: item,
      ts: 1_800_000_000_000 + n,
      event_type: 'buy',
    });

    test('nothing is served before a deployment', async () => {
      const { status, body } = await service.call('POST', '/recommend-items-to-user', { user_id: 'u1' });
      assert.equal(status, 409);
      assert.equal(body.code, 'NO_MODEL_DEPLOYED');
    });

    test('a deployment job succeeds with the address that serves', async () => {
      const job = await deploy(generator.modelId);
      assert.deepEqual(job.job_data, { generator_model_id: generator.modelId, ranker_model_id: null, qps: 1000 });
      assert.deepEqual(job.job_result, { serving_uri: project.serving_uri, qps: 1000 });
      const deployment = await service.ok('GET', '/get-deployment', { project_id: project.project_id });
      assert.equal(deployment.generator_model_id, generator.modelId);
      const model = await service.ok('GET', '/get-model', {
        project_id: project.project_id,
        model_id: generator.modelId,
      });
      assert.equal(model.deployed, true);
      assert.equal(model.artifact_key, undefined);
    });

    test('the response has exactly the shape of the contract, at every address', async () => {
      const request = { user_id: 'u7', attributes: ['title', 'nothing'], limit: 1 };
      const expected = {
        user_id: 'u7',
        limit: 1,
        attributes: ['title', 'nothing'],
        filter_query: null,
        objective: 'discover',
        model_id: generator.modelId,
        results: [{ item: { item_id: 'i7', title: 'Film 7', nothing: null } }],
      };
      const first = await recommend(request);
      assert.match(first.recommendation_id, /^[\w-]+\.[\w-]{44}$/);
      assert.deepEqual(comparable(first), expected);
      assert.deepEqual(comparable(await recommend({ ...request, project_id: project.project_id })), expected);
      const { pathname } = new URL(project.serving_uri);
      assert.deepEqual(comparable(await service.ok('POST', pathname, request)), expected);
      const below = await service.ok('POST', `${pathname}/recommend-items-to-user`, request);
      assert.deepEqual(comparable(below), expected);
      assert.notEqual(below.recommendation_id, first.recommendation_id, 'each response has its own id');
      const { results } = await recommend({ user_id: 'u7' });
      assert.equal(results.length, 10, 'limit is 10 when left out');
    });

    test('a new event changes the next list, and deleting it changes it back', async () => {
      const { event_dataset_id } = project;
      const before = idsOf(await recommend({ user_id: 'newcomer', limit: 5 }));
      for (const kind of [1, 2]) {
        await service.ok('POST', '/upsert-dataset-events', {
          event_dataset_id,
          events: [event(kind, 'newcomer', `i${kind}`)],
        });
        const items = idsOf(await recommend({ user_id: 'newcomer', limit: 5 }));
        assert.ok(isOfKind(items[0], kind), `${items} follow i${kind}`);
        assert.ok(!items.includes(`i${kind}`), 'what was had is left out');
        await service.ok('DELETE', '/delete-dataset-user-events', { event_dataset_id, user_id: 'newcomer' });
        assert.deepEqual(idsOf(await recommend({ user_id: 'newcomer', limit: 5 })), before);
      }
    });

    test('with many clients at once each acknowledged event counts in the next call', async () => {
      const { event_dataset_id } = project;
      const client = async (user_id: string): Promise<void> => {
        const upsert = (n: number, item_id: string, owner = user_id) =>
          service.ok('POST', '/upsert-dataset-events', {
            event_dataset_id,
            events: [{ ...event(n, owner, item_id), event_id: `${user_id}-${n}` }],
          });
        const had: string[] = [];
        for (let n = 0; n < 12; n++) {
          const items = idsOf(await recommend({ user_id, limit: 5 }));
          assert.ok(!items.some((item) => had.includes(item)), `${user_id} had one of ${items}`);
          had.push(items[0]);
          await upsert(n, items[0]);
        }
        // The last event becomes somebody else's.
        await upsert(11, had[11], `${user_id}-friend`);
        const list = await recommend({ user_id, limit: 60 });
        assert.deepEqual(new Set(filledIdsOf(list)), new Set(had.slice(0, 11)));
        await service.ok('DELETE', '/delete-dataset-user-events', { event_dataset_id, user_id });
        assert.equal(idsOf(await recommend({ user_id, limit: 50 })).length, 50);
        await service.ok('DELETE', '/delete-dataset-user-events', { event_dataset_id, user_id: `${user_id}-friend` });
      };
      await Promise.all(Array.from({ length: 12 }, (_, n) => client(`client-${n}`)));
    });

    test('a cached ranking equals a computed one, and the next event still counts', async () => {
      const computed = async (user_id: string) => {
        const { results } = await recommend({ user_id, limit: 5, explain: true });
        return results.map(({ item }: { item: object }) => ({ item }));
      };
      for (const user_id of ['u3', 'u7', 'u3', 'u7']) {
        assert.deepEqual((await recommend({ user_id, limit: 5 })).results, await computed(user_id));
      }
      const { event_dataset_id } = project;
      const before = idsOf(await recommend({ user_id: 'u7', limit: 5 }));
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: [event(9, 'u7', before[0])] });
      assert.ok(!idsOf(await recommend({ user_id: 'u7', limit: 5 })).includes(before[0]));
      // The event moves to another user: both rankings are out of date.
      await service.ok('POST', '/upsert-dataset-events', {
        event_dataset_id,
        events: [event(9, 'other', before[0])],
      });
      assert.deepEqual(idsOf(await recommend({ user_id: 'u7', limit: 5 })), before);
      await service.ok('DELETE', '/delete-dataset-user-events', { event_dataset_id, user_id: 'other' });
    });

    test('a ranker orders what the generator found', async () => {
      const plain = idsOf(await recommend({ user_id: 'u7', limit: 30 }));
      // Turns the generator's taste round: what it likes best comes last of the candidates.
      const ranker = await plantModel(place, project, turnedModel());
      await deploy(generator.modelId, { ranker_model_id: ranker.modelId });
      const ranked = idsOf(await recommend({ user_id: 'u7', limit: 60, exclude_seen: true }));
      assert.equal(ranked.at(-1), plain[0]);
      // Of 60 items it gets a quarter: what it likes best, items of other kinds, does not come that far.
      const short = idsOf(await recommend({ user_id: 'u7', limit: 3, exclude_seen: false }));
      assert.ok(
        short.every((id) => isOfKind(id, 1)),
        `${short}`,
      );
      for (const model_id of [generator.modelId, ranker.modelId]) {
        const { status, body } = await service.call('DELETE', '/delete-model', {
          project_id: project.project_id,
          model_id,
        });
        assert.equal(status, 409);
        assert.equal(body.code, 'MODEL_DEPLOYED');
      }
      assert.deepEqual(idsOf(await recommend({ user_id: 'u7', limit: 30, model_id: generator.modelId })), plain);
      await deploy(generator.modelId);
      await service.ok('DELETE', '/delete-model', { project_id: project.project_id, model_id: ranker.modelId });
      assert.ok(!existsSync(ranker.file), 'the file goes with the model');
    });

    test('a damaged model file fails the job with its reason, and what was deployed keeps serving', async () => {
      const before = await recommend({ user_id: 'u7' });
      const damage: Record<string, (file: string) => void> = {
        'cut short': (file) => truncateSync(file, readFileSync(file).length - 100),
        'with a flipped bit': (file) => {
          const bytes = readFileSync(file);
          bytes[bytes.length - 200] ^= 4;
          writeFileSync(file, bytes);
        },
      };
      for (const [how, harm] of Object.entries(damage)) {
        const { modelId, file } = await plantModel(place, project, tasteModel());
        harm(file);
        const { job_id } = await service.ok('POST', '/submit-deployment-job', {
          project_id: project.project_id,
          generator_model_id: modelId,
        });
        const job = await ended(service, project.project_id, job_id);
        assert.equal(job.job_status, 'FAILED', how);
        assert.equal(job.retry_count, 0);
        assert.equal(job.failure_reason.code, 'MODEL_UNREADABLE');
        assert.match(job.failure_reason.message, /damaged/);
        assert.ok(!job.failure_reason.message.includes(place.dataDir), 'no path of the server is shown');
        assert.deepEqual((await recommend({ user_id: 'u7' })).results, before.results);
      }
    });

    test('no call fails and none is mixed while deployments are switched', async () => {
      const other = await plantModel(place, project, turnedModel());
      const responses = new Set([idsOf(await recommend({ user_id: 'u7' })).join()]);
      responses.add(idsOf(await recommend({ user_id: 'u7', model_id: other.modelId })).join());
      assert.equal(responses.size, 2);
      let switching = true;
      let calls = 0;
      const load = Promise.all(
        Array.from({ length: 4 }, async () => {
          while (switching) {
            assert.ok(responses.has(idsOf(await recommend({ user_id: 'u7' })).join()));
            calls++;
          }
        }),
      ).finally(() => {
        switching = false;
      });
      const deployed = (async () => {
        for (const modelId of [other.modelId, generator.modelId]) await deploy(modelId, { qps: 10_000 });
      })().finally(() => {
        switching = false;
      });
      await Promise.all([load, deployed]);
      assert.ok(calls > 10);
    });

    test('calls above qps are told to come back later', async () => {
      await deploy(generator.modelId, { qps: 2 });
      const { responses, accepted } = await callsAtOnce({ calls: 6, qps: 2 }, () =>
        service.call('POST', '/recommend-items-to-user', { user_id: 'u7' }),
      );
      const refused = responses.filter(({ status }) => status === 429);
      assert.equal(refused.length, 6 - accepted);
      assert.equal(refused[0].body.code, 'RATE_LIMITED');
      assert.ok(Number(refused[0].headers.get('retry-after')) >= 1);
      await deploy(generator.modelId);
    });

    test('the rate is looked at before the body, if the path says which project is meant: invalid calls count', async () => {
      await deploy(generator.modelId, { qps: 2 });
      const path = '/recommend-items-to-user';
      const { responses, accepted } = await callsAtOnce({ calls: 6, qps: 2 }, () =>
        service.call('POST', `/projects/${project.project_id}${path}`, undefined, { raw: '{ not JSON' }),
      );
      const statuses = Array.from(responses, (_, n) => (n < accepted ? 400 : 429));
      assert.deepEqual(responses.map(({ status }) => status).sort(), statuses);
      const ofNone = await service.call('POST', path, { user_id: 'u7', project_id: 'prj_none' });
      assert.equal(ofNone.status, 404, 'its rate is not that of a deployed project');
      await deploy(generator.modelId);
    });

    test('a call without project means the first one deployed, until that is deleted or another is chosen', async () => {
      const { project_id } = project;
      const byDefault = async () => (await service.ok('GET', '/get-account')).default_project_id;
      const bareCall = () => service.call('POST', '/recommend-items-to-user', { user_id: 'u7' });
      assert.equal(await byDefault(), project_id);
      const first = await recommend({ user_id: 'u7', project_id });
      const second = await createTasteProject(service);
      const turned = await plantModel(place, second, turnedModel());
      const deploySecond = () =>
        succeed(service, '/submit-deployment-job', {
          project_id: second.project_id,
          generator_model_id: turned.modelId,
        });

      await deploySecond();
      const other = await recommend({ user_id: 'u7', project_id: second.project_id });
      assert.notDeepEqual(other.results, first.results);
      assert.deepEqual(
        comparable((await bareCall()).body),
        comparable(first),
        'deploying another project changes nothing',
      );
      await service.ok('DELETE', '/shutdown-deployment', { project_id: second.project_id });
      assert.deepEqual(comparable((await bareCall()).body), comparable(first), 'shutting it down neither');

      await deploySecond();
      await service.ok('DELETE', '/shutdown-deployment', { project_id });
      const { status, body } = await bareCall();
      assert.equal(status, 409);
      assert.equal(body.code, 'NO_MODEL_DEPLOYED');
      assert.match(body.detail, new RegExp(project_id));

      const chosen = await service.ok('PUT', '/update-account', { default_project_id: second.project_id });
      assert.equal(chosen.default_project_id, second.project_id);
      assert.deepEqual(comparable((await bareCall()).body), comparable(other));
      const unknown = await service.call('PUT', '/update-account', { default_project_id: 'prj_unknown' });
      assert.equal(unknown.body.code, 'PROJECT_NOT_FOUND');

      await deploy(generator.modelId);
      await service.ok('DELETE', '/shutdown-deployment', { project_id: second.project_id });
      await service.ok('DELETE', '/delete-project', { project_id: second.project_id });
      assert.equal(await byDefault(), project_id);
      assert.deepEqual(comparable((await bareCall()).body), comparable(first));
    });

    test('a model of another project is not there, deleted or not', async () => {
      const second = await createTasteProject(service);
      const { modelId } = await plantModel(place, second, tasteModel());
      const named = (model_id: string) => service.call('POST', '/recommend-items-to-user', { user_id: 'u1', model_id });
      const unknown = await named('mdl_unknown');
      assert.equal(unknown.status, 404);
      const like = (id: string) => JSON.stringify(unknown.body).replaceAll('mdl_unknown', id);
      const textOf = ({ body }: { body: object }, id: string) =>
        JSON.stringify({ ...body, request_id: unknown.body.request_id, instance: unknown.body.instance }) === like(id);
      assert.ok(textOf(await named(modelId), modelId), 'of another project');
      const mine = await plantModel(place, project, tasteModel());
      await recommend({ user_id: 'u1', model_id: mine.modelId });
      await service.ok('DELETE', '/delete-model', { project_id: project.project_id, model_id: mine.modelId });
      assert.ok(textOf(await named(mine.modelId), mine.modelId), 'deleted');
    });

    test('after shutdown nothing is served, and the model can be deleted', async () => {
      const { project_id } = project;
      assert.deepEqual(await service.ok('DELETE', '/shutdown-deployment', { project_id }), { project_id });
      assert.equal((await service.call('POST', '/recommend-items-to-user', { user_id: 'u7' })).status, 409);
      assert.equal((await service.call('DELETE', '/shutdown-deployment', { project_id })).status, 409);
      await service.ok('DELETE', '/delete-model', { project_id, model_id: generator.modelId });
      const { models } = await service.ok('GET', '/list-models', { project_id });
      assert.ok(!models.some(({ model_id }: { model_id: string }) => model_id === generator.modelId));
    });
  });
}
