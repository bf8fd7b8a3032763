// A project that runs automatically, over the API: it trains when events arrive, deploys its first model, rejects a worse one,
// deploys a better one, and is rolled back while calls keep being served.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ended } from '../support/taste-project.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const USERS = 160;
const ITEMS = 240;
const KINDS = 4;

describe('automation', () => {
  let service: TestService;
  let project_id: string;
  let event_dataset_id: string;
  const { next: random } = seededRandom(11);

  before(async () => {
    service = await startTestService({ KINDRED_ROLES: 'api,worker' });
  });
  after(() => service.stop());

  /** Every user buys an item of the own kind every other day. */
  const addDays = async (from: number, to: number) => {
    const events = [];
    for (let day = from; day < to; day++) {
      for (let user = day % 2; user < USERS; user += 2) {
        const drawn = Math.floor(random() * ITEMS);
        const item_id = `i${drawn - (drawn % KINDS) + (user % KINDS)}`;
        const ts = START + day * DAY_MS + user * 1000;
        events.push({ event_id: `${day}-${user}`, user_id: `u${user}`, item_id, ts, event_type: 'buy' });
      }
    }
    for (let at = 0; at < events.length; at += 1000) {
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: events.slice(at, at + 1000) });
    }
  };
  const decisions = async () => (await service.ok('GET', '/list-automation-decisions', { project_id })).decisions;
  const nextDecision = async (count: number) => {
    for (let tries = 0; tries < 1500; tries++) {
      const all = await decisions();
      if (all.length >= count) return all[0];
      await delay(200);
    }
    throw new Error(JSON.stringify(await service.ok('GET', '/get-automation-status', { project_id })));
  };

  test('is part of a project, checked, and null when it is off', async () => {
    const make = async (kind: string) =>
      (await service.ok('POST', `/create-${kind}-dataset`, { name: kind }))[`${kind}_dataset_id`];
    event_dataset_id = await make('event');
    const request = {
      name: 'shop',
      project_type: 'RECOMMEND_ITEMS_TO_USER',
      target_event_type: 'buy',
      event_dataset_id,
      user_dataset_id: await make('user'),
      item_dataset_id: await make('item'),
    };
    for (const automation of [
      { retrain: {} },
      {},
      { retrain: { every_hours: 0 } },
      { retrain: { every_hours: 1.5 } },
      { retrain: { after_new_events: 1 }, deploy: 'sometimes' },
      { retrain: { every_hours: 1 }, keep_models: 0 },
    ]) {
      const { status, body } = await service.call('POST', '/create-project', { ...request, automation });
      assert.deepEqual([status, body.code], [400, 'INVALID_REQUEST'], JSON.stringify(automation));
    }
    const misspelled = { ...request, automation: { retrain: { every_hour: 1 } } };
    const { body: problem } = await service.call('POST', '/create-project', misspelled);
    const detail = 'Unknown field "every_hour" in automation/retrain. Did you mean "every_hours"?';
    assert.deepEqual([problem.code, problem.detail], ['UNKNOWN_FIELD', detail]);
    const made = await service.ok('POST', '/create-project', request);
    assert.equal(made.automation, null);
    ({ project_id } = made);
    const rules = { retrain: { after_new_events: 600 } };
    const changed = await service.ok('PUT', '/update-project', { project_id, automation: rules });
    assert.deepEqual(changed.automation, { ...rules, deploy: 'if_not_worse', keep_models: 10 });
    assert.deepEqual(await service.ok('GET', '/get-project', { project_id }), changed);
    await service.ok('PUT', '/update-project', changed);
    const off = await service.ok('PUT', '/update-project', { project_id, automation: null });
    assert.equal(off.automation, null);
    const status = await service.ok('GET', '/get-automation-status', { project_id });
    assert.deepEqual([status.automation, status.new_events], [null, 0]);
    await service.ok('PUT', '/update-project', { project_id, automation: rules });
    const other = await service.call('GET', '/list-automation-decisions', { project_id: 'prj_other' });
    assert.equal(other.status, 404);
  });

  test('trains and deploys the first model, rejects a worse one and deploys a better one', async () => {
    const algorithm = (name: string, algorithm_parameters: object) =>
      service.ok('POST', '/create-algorithm', { project_id, name, algorithm_type: 'G1', algorithm_parameters });
    await algorithm('all', {});
    await addDays(0, 20);
    const first = await nextDecision(1);
    assert.equal(first.decision, 'deploy', first.reason);
    assert.equal((await ended(service, project_id, first.deployment_job_id)).job_status, 'SUCCEED');
    const none = await service.call('POST', '/rollback-deployment', { project_id });
    assert.deepEqual([none.status, none.body.code], [409, 'NO_EARLIER_DEPLOYMENT']);
    assert.match(none.body.detail, /served before the current one/);

    await algorithm('only popular', { experts: ['popularity'] });
    await addDays(20, 30);
    const second = await nextDecision(2);
    assert.equal(second.decision, 'reject', second.reason);
    assert.equal(second.comparison.compared_model_id, first.model_id);
    assert.ok(second.comparison.interval[1] < 0 && second.comparison.users >= 50);
    const deployed = async () => (await service.ok('GET', '/get-deployment', { project_id })).generator_model_id;
    assert.equal(await deployed(), first.model_id);
    const status = await service.ok('GET', '/get-automation-status', { project_id });
    assert.deepEqual([status.new_events, status.training_job_id, status.failures], [0, null, 0]);

    await algorithm('all again', {});
    await addDays(30, 40);
    const third = await nextDecision(3);
    assert.equal(third.decision, 'deploy', third.reason);
    await ended(service, project_id, third.deployment_job_id);
    assert.equal(await deployed(), third.model_id);
  });

  test('is rolled back in one call while every recommendation call is served', async () => {
    const [third, , first] = await decisions();
    let isOver = false;
    const statuses: number[] = [];
    const calls = (async () => {
      while (!isOver) {
        const body = { project_id, user_id: `u${statuses.length % USERS}` };
        statuses.push((await service.call('POST', '/recommend-items-to-user', body)).status);
      }
    })();
    const request = { project_id, from_model_id: third.model_id };
    const [one, two] = [
      await service.ok('POST', '/rollback-deployment', request),
      await service.ok('POST', '/rollback-deployment', request),
    ];
    assert.equal(one.model_id, first.model_id);
    assert.ok(two.job_id === one.job_id || two.job_id === null, 'a repeated call does nothing more');
    assert.equal((await ended(service, project_id, one.job_id)).job_status, 'SUCCEED');
    isOver = true;
    await calls;
    assert.ok(statuses.length > 0 && statuses.every((status) => status === 200), String(new Set(statuses)));
    const { generator_model_id } = await service.ok('GET', '/get-deployment', { project_id });
    assert.equal(generator_model_id, first.model_id);
    const late = await service.ok('POST', '/rollback-deployment', request);
    assert.deepEqual(late, { job_id: null, model_id: first.model_id });
  });
});
