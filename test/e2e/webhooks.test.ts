// Webhooks over the API: what may be created, and that a failed job reaches a receiver with a signature the secret checks.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startScriptedServer } from '../support/scripted-server.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('webhooks', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({ KINDRED_ROLES: 'api,worker', KINDRED_PRIVATE_WEBHOOKS: 'true' });
  });
  after(() => service.stop());

  test('a failed job is told to the receiver', async () => {
    const receiver = await startScriptedServer(() => ({}));
    try {
      const request = { url: `${receiver.baseUrl}/hook`, events: ['job.failed'] };
      const { secret, ...webhook } = await service.ok('POST', '/create-webhook', request);
      const make = async (kind: string) =>
        (await service.ok('POST', `/create-${kind}-dataset`, { name: kind }))[`${kind}_dataset_id`];
      const { project_id } = await service.ok('POST', '/create-project', {
        name: 'shop',
        project_type: 'RECOMMEND_ITEMS_TO_USER',
        target_event_type: 'buy',
        user_dataset_id: await make('user'),
        item_dataset_id: await make('item'),
        event_dataset_id: await make('event'),
      });
      const { algorithm_id } = await service.ok('POST', '/create-algorithm', {
        project_id,
        name: 'G1',
        algorithm_type: 'G1',
        algorithm_parameters: {},
      });
      const { job_id } = await service.ok('POST', '/submit-training-job', { project_id, algorithm_id });
      for (let tries = 0; receiver.asked.length === 0 && tries < 1200; tries++) await delay(50);
      assert.equal(receiver.asked.length, 1);
      const { headers, body } = receiver.asked[0];
      const { event, data } = JSON.parse(body);
      assert.deepEqual([event, data.job_id, data.project_id], ['job.failed', job_id, project_id]);
      const [, seconds, hex] = /^t=(\d+),v1=(.+)$/.exec(String(headers['kindred-signature'])) ?? [];
      assert.equal(createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex'), hex);
      let [listed] = (await service.ok('GET', '/list-webhooks')).webhooks;
      for (let tries = 0; listed.last_attempt === null && tries < 1200; tries++) {
        await delay(50);
        [listed] = (await service.ok('GET', '/list-webhooks')).webhooks;
      }
      assert.equal(listed.last_attempt.succeeded, true);
      assert.equal(listed.secret, undefined);
      assert.deepEqual(await service.ok('DELETE', '/delete-webhook', { webhook_id: webhook.webhook_id }), listed);
      assert.equal((await service.call('DELETE', '/delete-webhook', { webhook_id: webhook.webhook_id })).status, 404);
    } finally {
      await receiver.close();
    }
  });

  test('events that look like mistakes are told once per dataset and hour', async () => {
    const receiver = await startScriptedServer(() => ({}));
    try {
      const request = { url: `${receiver.baseUrl}/data`, events: ['data.warning'] };
      const { webhook_id } = await service.ok('POST', '/create-webhook', request);
      const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'events' });
      for (const n of [1, 2, 3]) {
        // Seconds instead of milliseconds.
        const event = { event_id: `e${n}`, user_id: 'u', item_id: 'i', event_type: 'buy', ts: 1_762_000_000 + n };
        const response = await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: [event] });
        assert.equal(response.warnings[0].code, 'SUSPICIOUS_TIME');
      }
      for (let tries = 0; receiver.asked.length === 0 && tries < 1200; tries++) await delay(50);
      await delay(1500);
      // Two where the hour ended in between.
      assert.ok(receiver.asked.length === 1 || receiver.asked.length === 2, String(receiver.asked.length));
      const { event, data } = JSON.parse(receiver.asked[0].body);
      assert.deepEqual(
        [event, data.event_dataset_id, data.code, data.events_in_batch, data.example.event_id],
        ['data.warning', event_dataset_id, 'SUSPICIOUS_TIME', 1, 'e1'],
      );
      await service.ok('DELETE', '/delete-webhook', { webhook_id });
    } finally {
      await receiver.close();
    }
  });

  test('addresses that cannot be meant are refused, and an account has at most 20', async () => {
    const create = (url: string) => service.call('POST', '/create-webhook', { url, events: ['model.trained'] });
    for (const url of ['shop', 'ftp://example.com', 'https://me:secret@example.com', 'https://example.com/#part', '']) {
      const { status, body } = await create(url);
      assert.deepEqual([status, body.code], [400, 'INVALID_REQUEST'], url);
    }
    const none = await service.call('POST', '/create-webhook', { url: 'https://example.com', events: [] });
    assert.equal(none.status, 400);
    const responses = await Promise.all(Array.from({ length: 22 }, () => create('https://example.com/hook')));
    assert.equal(responses.filter(({ status }) => status === 200).length, 20);
    assert.ok(
      responses.filter(({ status }) => status !== 200).every(({ body }) => body.code === 'PLAN_LIMIT_EXCEEDED'),
    );
  });

  test('private addresses are refused unless the operator allows them', async () => {
    const strict = await startTestService({ KINDRED_ROLES: 'api' });
    try {
      for (const host of ['127.0.0.1', '[::1]', '169.254.169.254', '2130706433', 'localhost', 'a.localhost']) {
        const { status, body } = await strict.call('POST', '/create-webhook', {
          url: `https://${host}/hook`,
          events: ['model.trained'],
        });
        assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 'INVALID_REQUEST', '/url'], host);
      }
      await strict.ok('POST', '/create-webhook', { url: 'https://8.8.8.8/hook', events: ['model.trained'] });
    } finally {
      await strict.stop();
    }
  });
});
