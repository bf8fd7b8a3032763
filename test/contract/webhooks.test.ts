// Which webhooks are sent, on every database, by couriers that send to real servers.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { webhookSecret } from '../../src/automation/webhooks/signature.ts';
import { MAX_ATTEMPTS, WebhookCourier } from '../../src/automation/webhooks/webhook-courier.ts';
import type { WebhookEvent } from '../../src/domain/webhook.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { newId } from '../support/new-ids.ts';
import { ACCOUNT, NOW, QueuedJobs, REASON, RETRY } from '../support/queued-jobs.ts';
import { type Scripted, startScriptedServer } from '../support/scripted-server.ts';
import { DIALECTS } from '../support/test-database.ts';

const SECRET = 'secret of the service';

for (const dialect of DIALECTS) {
  describe(`webhooks on ${dialect}`, () => {
    let made: QueuedJobs;
    before(async () => {
      made = await QueuedJobs.open(dialect);
    });
    after(() => made.close());

    const addWebhook = async (url: string, events: WebhookEvent[], accountId = ACCOUNT): Promise<string> => {
      const webhook_id = newId('webhook');
      const webhook = { account_id: accountId, webhook_id, url, events, created_ts: NOW, last_attempt: null };
      assert.equal(await made.webhooks.create(webhook, 100), 'created');
      return webhook_id;
    };
    const startCourier = (allowsPrivate = true) => {
      const courier = new WebhookCourier({
        webhooks: made.webhooks,
        log: createLogger('silent'),
        secret: SECRET,
        allowsPrivate,
        pollMs: 5,
        firstRetryMs: 1,
      });
      courier.start();
      return courier;
    };
    const until = async (holds: () => boolean | Promise<boolean>) => {
      for (let tries = 0; !(await holds()); tries++) {
        assert.ok(tries < 2000, 'it happens');
        await delay(10);
      }
    };
    const lastAttempt = async (webhookId: string, accountId = ACCOUNT) =>
      (await made.webhooks.list(accountId)).find(({ webhook_id }) => webhook_id === webhookId)?.last_attempt;

    test('the end of jobs is told once, signed, to those who want it', async () => {
      const account = newId('account');
      await made.addAccount(account);
      const receiver = await startScriptedServer(() => ({ status: 204 }));
      const all = await addWebhook(`${receiver.baseUrl}/all`, ['job.failed', 'model.trained'], account);
      await addWebhook(`${receiver.baseUrl}/trained`, ['model.trained'], account);
      await addWebhook(`${receiver.baseUrl}/other-account`, ['job.failed', 'model.trained']);
      const couriers = [startCourier(), startCourier()];
      try {
        const failed = await made.submit('QUERYING', newId('project'), account);
        const claimed = await made.claim('QUERYING');
        assert.ok(await made.queue.fail(claimed.lease, REASON, NOW));
        assert.equal(await made.queue.fail(claimed.lease, REASON, NOW + 1), false);
        const trained = await made.submit('TRAINING', newId('project'), account);
        const training = await made.claim('TRAINING');
        assert.ok(await made.queue.finish(training.lease, { result: { model_id: 'mdl_1' } }, NOW));
        await until(() => receiver.asked.length >= 3);
        await made.queue.finish(training.lease, { result: {} }, NOW + 5);
        await delay(50);
        assert.deepEqual(receiver.asked.map(({ path }) => path).sort(), ['/all', '/all', '/trained']);
        const [first] = receiver.asked.filter(({ path }) => path === '/all');
        const [, seconds, digest] =
          /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(first.headers['kindred-signature'])) ?? [];
        const secret = webhookSecret(SECRET, all);
        assert.equal(digest, createHmac('sha256', secret).update(`${seconds}.${first.body}`).digest('hex'));
        const told = receiver.asked.filter(({ path }) => path === '/all').map(({ body }) => JSON.parse(body));
        assert.deepEqual(
          told.map(({ event, data }) => [event, data.job_id, data.model_id, data.failure_reason?.code ?? null]),
          [
            ['job.failed', failed.job_id, null, REASON.code],
            ['model.trained', trained.job_id, 'mdl_1', null],
          ],
        );
      } finally {
        await Promise.all(couriers.map((courier) => courier.stop()));
        await receiver.close();
      }
    });

    test('a job that failed for good because its worker was lost is told too', async () => {
      const account = newId('account');
      await made.addAccount(account);
      const receiver = await startScriptedServer(() => ({}));
      await addWebhook(receiver.baseUrl, ['job.failed'], account);
      const courier = startCourier();
      try {
        const job = await made.submit('CLUSTERING', newId('project'), account);
        for (let attempt = 0; attempt < 4; attempt++) {
          await made.claim('CLUSTERING');
          assert.equal(await made.queue.takeBackFrom('worker', RETRY), 1);
        }
        await until(() => receiver.asked.length === 1);
        assert.equal(JSON.parse(receiver.asked[0].body).data.job_id, job.job_id);
      } finally {
        await courier.stop();
        await receiver.close();
      }
    });

    test('a receiver that is down, slow, redirects or switches protocols is tried again and delays nobody', async () => {
      const slow = await startScriptedServer(async () => {
        await delay(60_000, undefined, { ref: false });
        return {};
      });
      const receiver = await startScriptedServer(({ path }, nth): Scripted => {
        if (path === '/redirects') return { status: 302, headers: { location: `${receiver.baseUrl}/elsewhere` } };
        if (path === '/recovers') return { status: nth < 4 ? 500 : 200 };
        if (path === '/switches') return { status: 101, headers: { connection: 'upgrade', upgrade: 'websocket' } };
        return path === '/cuts' ? { cut: true } : {};
      });
      const account = newId('account');
      await made.addAccount(account);
      const paths = ['/fine', '/redirects', '/recovers', '/cuts', '/switches'];
      const ids = new Map<string, string>();
      await addWebhook(slow.baseUrl, ['data.warning'], account);
      for (const path of paths) ids.set(path, await addWebhook(receiver.baseUrl + path, ['data.warning'], account));
      const news = { event: 'data.warning' as const, subject: 'late-events', data: { count: 3 } };
      await made.webhooks.announce(account, news, NOW);
      await made.webhooks.announce(account, news, NOW);
      const courier = startCourier();
      try {
        const count = (path: string) => receiver.asked.filter((asked) => asked.path === path).length;
        await until(() => count('/fine') === 1 && count('/recovers') === 4);
        const endOf = async (path: string) => (await lastAttempt(ids.get(path) ?? '', account)) ?? null;
        await until(async () => (await endOf('/recovers'))?.succeeded === true);
        assert.equal(count('/fine'), 1);
        await until(async () => (await endOf('/redirects')) !== null);
        assert.match((await endOf('/redirects'))?.message ?? '', /302.*not followed/);
        assert.equal(count('/elsewhere'), 0);
        await until(async () => (await endOf('/switches'))?.message === 'The receiver responded 101.');
        const repeats = receiver.asked
          .filter(({ path }) => path === '/recovers')
          .map(({ body }) => JSON.parse(body).id);
        assert.equal(new Set(repeats).size, 1);
      } finally {
        await courier.stop();
        await Promise.all([slow.close(), receiver.close()]);
      }
    });

    test('after the last attempt a delivery is given up', async () => {
      const account = newId('account');
      await made.addAccount(account);
      const webhookId = await addWebhook('http://127.0.0.1:9/', ['data.warning'], account);
      await made.webhooks.announce(account, { event: 'data.warning', subject: 'x', data: {} }, NOW);
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const delivery = await made.webhooks.claim(webhookId, NOW, NOW);
        assert.equal(delivery?.attempts, attempt);
        assert.equal(await made.webhooks.claim(webhookId, NOW - 1, NOW), null);
        const nextMs = attempt === MAX_ATTEMPTS ? null : NOW;
        await made.webhooks.ended(delivery, { succeeded: false, message: 'down', nowMs: NOW, nextMs });
      }
      assert.equal(await made.webhooks.claim(webhookId, NOW, NOW), null);
      assert.deepEqual(await lastAttempt(webhookId, account), { ts: NOW, succeeded: false, message: 'down' });
    });

    test('private addresses are not reached, by number or by name', async () => {
      const receiver = await startScriptedServer(() => ({}));
      const account = newId('account');
      await made.addAccount(account);
      const port = new URL(receiver.baseUrl).port;
      const ids = [];
      for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '[::1]']) {
        ids.push(await addWebhook(`http://${host}:${port}/`, ['data.warning'], account));
      }
      const courier = startCourier(false);
      try {
        await made.webhooks.announce(account, { event: 'data.warning', subject: 'x', data: {} }, NOW);
        for (const id of ids) {
          await until(async () => (await lastAttempt(id, account)) !== null);
          assert.match((await lastAttempt(id, account))?.message ?? '', /private address/);
        }
        assert.equal(receiver.asked.length, 0);
      } finally {
        await courier.stop();
        await receiver.close();
      }
    });
  });
}
