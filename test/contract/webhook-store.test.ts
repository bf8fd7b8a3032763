// Webhooks and what waits for them, on every dialect.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Job, JobType } from '../../src/domain/job.ts';
import type { Webhook, WebhookEvent } from '../../src/domain/webhook.ts';
import { newId } from '../support/new-ids.ts';
import { NOW, QueuedJobs, REASON, RETRY } from '../support/queued-jobs.ts';
import { DIALECTS } from '../support/test-database.ts';

const NEWS: WebhookEvent = 'job.failed';
const LIMIT = 3;

for (const dialect of DIALECTS) {
  describe(`webhook store on ${dialect}`, () => {
    let made: QueuedJobs;
    let account: string;
    before(async () => {
      made = await QueuedJobs.open(dialect);
    });
    after(() => made.close());
    beforeEach(async () => {
      account = newId('account');
      await made.addAccount(account);
    });

    const webhookOf = (created_ts: number, events: WebhookEvent[] = [NEWS]): Webhook => ({
      account_id: account,
      webhook_id: newId('webhook'),
      url: 'https://example.com/',
      events,
      created_ts,
      last_attempt: null,
    });
    const announce = (subject: string, nowMs = NOW) =>
      made.webhooks.announce(account, { event: NEWS, subject, data: { subject } }, nowMs);
    const waiting = async (webhookId: string) => {
      const sql = 'SELECT delivery_id FROM webhook_delivery WHERE webhook_id = ?';
      return (await made.database.all(sql, [webhookId])).length;
    };
    const started = async (jobType: JobType, jobData?: Job['job_data']) => {
      await made.submit(jobType, newId('project'), account, jobData);
      return made.claim(jobType);
    };
    const idsOf = async (accountId: string) => (await made.webhooks.list(accountId)).map((one) => one.webhook_id);

    test('an account has a limited number of webhooks, also when they are created at once, listed newest first', async () => {
      const webhooks = [1, 2, 3, 4, 5].map((ts) => webhookOf(ts));
      const outcomes = await Promise.all(webhooks.map((webhook) => made.webhooks.create(webhook, LIMIT)));
      const created = webhooks.filter((_, n) => outcomes[n] === 'created');
      assert.equal(created.length, LIMIT);
      assert.equal(outcomes.filter((outcome) => outcome === 'limit').length, 2);
      assert.deepEqual(await made.webhooks.list(account), created.toReversed());
      assert.equal(await made.webhooks.create({ ...webhooks[0], account_id: newId('account') }, LIMIT), 'limit');
    });

    test('a webhook is deleted for its account alone, with what waits for it', async () => {
      const [one, other] = [webhookOf(1), webhookOf(2)];
      for (const webhook of [one, other]) await made.webhooks.create(webhook, LIMIT);
      await announce('first');
      assert.equal(await made.webhooks.delete('acc_other', one.webhook_id), null);
      assert.deepEqual([await waiting(one.webhook_id), await waiting(other.webhook_id)], [1, 1]);
      assert.deepEqual(await made.webhooks.delete(account, one.webhook_id), one);
      assert.deepEqual([await waiting(one.webhook_id), await waiting(other.webhook_id)], [0, 1]);
      assert.deepEqual(await idsOf(account), [other.webhook_id]);
      assert.equal(await made.webhooks.delete(account, one.webhook_id), null);
      await made.webhooks.delete(account, other.webhook_id);
    });

    test('news wait once for each webhook that wants them, and no more than a thousand at a time', async () => {
      const [wants, other] = [webhookOf(1), webhookOf(2, ['model.trained'])];
      for (const webhook of [wants, other]) await made.webhooks.create(webhook, LIMIT);
      await announce('first');
      await announce('first');
      assert.deepEqual([await waiting(wants.webhook_id), await waiting(other.webhook_id)], [1, 0]);
      for (let n = 0; n < 1100; n += 100) {
        await Promise.all(Array.from({ length: 100 }, (_, k) => (n + k < 998 ? announce(`news ${n + k}`) : null)));
      }
      for (const last of ['last', 'too late', 'later']) await announce(last);
      assert.equal(await waiting(wants.webhook_id), 1000);
      const free = webhookOf(3);
      await made.webhooks.create(free, LIMIT);
      await announce('latest');
      assert.deepEqual([await waiting(wants.webhook_id), await waiting(free.webhook_id)], [1000, 1]);
      const { lease } = await started('CLUSTERING');
      assert.ok(await made.queue.fail(lease, REASON, NOW));
      assert.deepEqual([await waiting(wants.webhook_id), await waiting(free.webhook_id)], [1000, 2]);
      for (const { webhook_id } of [wants, other, free]) await made.webhooks.delete(account, webhook_id);
    });

    test('the end of a job is told once, also when a worker dies later', async () => {
      const [early, late] = [webhookOf(1), webhookOf(2)];
      await made.webhooks.create(early, LIMIT);
      const { lease } = await started('CLUSTERING');
      assert.ok(await made.queue.fail(lease, REASON, NOW));
      const delivery = (await made.webhooks.claim(early.webhook_id, NOW, NOW + 1000))!;
      await made.webhooks.ended(delivery, { succeeded: true, message: '200', nowMs: NOW, nextMs: null });
      await made.webhooks.create(late, LIMIT);
      const lost = await started('CLUSTERING');
      assert.equal(await made.queue.takeBackFrom('worker', { ...RETRY, nowMs: NOW + 5 }), 1);
      assert.deepEqual([await waiting(early.webhook_id), await waiting(late.webhook_id)], [0, 0]);
      await made.jobs.cancel(account, lost.job.project_id, lost.job.job_id, NOW);
    });

    test('the end of a training and of a deployment is told with the model, and a query that succeeded is not', async () => {
      const webhook = webhookOf(1, ['model.trained', 'model.deployed', 'job.failed']);
      await made.webhooks.create(webhook, LIMIT);
      const told: unknown[] = [];
      const tell = async () => {
        const delivery = await made.webhooks.claim(webhook.webhook_id, NOW, NOW + 1000);
        told.push(delivery && [delivery.event, delivery.data.model_id]);
        if (delivery)
          await made.webhooks.ended(delivery, { succeeded: true, message: '200', nowMs: NOW, nextMs: null });
      };
      const deployed = { generator_model_id: 'mdl_2', ranker_model_id: 'mdl_3' };
      assert.ok(await made.queue.finish((await started('TRAINING')).lease, { result: { model_id: 'mdl_1' } }, NOW));
      await tell();
      assert.ok(await made.queue.finish((await started('DEPLOYMENT', deployed)).lease, { result: {} }, NOW));
      await tell();
      assert.ok(await made.queue.fail((await started('DEPLOYMENT', deployed)).lease, REASON, NOW));
      await tell();
      assert.ok(await made.queue.finish((await started('QUERYING')).lease, { result: {} }, NOW));
      await tell();
      assert.deepEqual(told, [['model.trained', 'mdl_1'], ['model.deployed', 'mdl_2'], ['job.failed', 'mdl_2'], null]);
      await made.webhooks.delete(account, webhook.webhook_id);
    });

    test('a webhook is claimed by one node at a time, oldest delivery first, and again when the claim ends', async () => {
      const webhook = webhookOf(1);
      await made.webhooks.create(webhook, LIMIT);
      // By clocks that are an hour ahead, which delays nothing.
      await announce('second', NOW + 3_600_002);
      await announce('first', NOW + 3_600_001);
      const due = async (nowMs: number) =>
        (await made.webhooks.due(nowMs, 10)).filter(({ accountId }) => accountId === account);
      assert.deepEqual(await due(NOW), [{ accountId: account, webhookId: webhook.webhook_id }]);
      const claim = (nowMs: number) => made.webhooks.claim(webhook.webhook_id, nowMs, nowMs + 1000);
      const first = await claim(NOW + 2);
      assert.deepEqual([first!.data, first!.attempts, first!.webhook.url], [{ subject: 'first' }, 1, webhook.url]);
      assert.deepEqual([await claim(NOW + 2), await due(NOW + 2)], [null, []], 'the second one waits');
      await made.webhooks.ended(first!, { succeeded: false, message: '', nowMs: NOW + 3, nextMs: NOW + 2000 });
      const second = await claim(NOW + 4);
      assert.deepEqual(second!.data, { subject: 'second' });
      assert.deepEqual([await due(NOW + 1003), (await due(NOW + 1004)).length], [[], 1]);
      const again = await claim(NOW + 1004);
      assert.deepEqual([again!.data, again!.attempts], [{ subject: 'second' }, 2], 'its node is gone');
      await made.webhooks.ended(second!, { succeeded: true, message: '', nowMs: NOW + 1005, nextMs: null });
      assert.equal(await claim(NOW + 2000), null, 'a node that was thought dead ends no claim of another one');
      await made.webhooks.ended(again!, { succeeded: true, message: '', nowMs: NOW + 2001, nextMs: null });
      assert.equal((await claim(NOW + 2001))!.attempts, 2);
      await made.webhooks.delete(account, webhook.webhook_id);
    });

    test('a claim by a clock that was far ahead holds nobody up', async () => {
      const webhook = webhookOf(1);
      await made.webhooks.create(webhook, LIMIT);
      await announce('first');
      await announce('second');
      assert.ok(await made.webhooks.claim(webhook.webhook_id, NOW + 3_600_000, NOW + 3_660_000));
      const due = (await made.webhooks.due(NOW, 10)).map(({ webhookId }) => webhookId);
      assert.deepEqual(due, [webhook.webhook_id]);
      const second = await made.webhooks.claim(webhook.webhook_id, NOW, NOW + 1000);
      assert.deepEqual(second!.data, { subject: 'second' });
      await made.webhooks.delete(account, webhook.webhook_id);
    });

    test('what is due begins with a webhook of each account', async () => {
      const webhooks = [webhookOf(1), webhookOf(2)];
      const other = { ...webhookOf(3), account_id: newId('account') };
      await made.addAccount(other.account_id);
      for (const webhook of [...webhooks, other]) await made.webhooks.create(webhook, LIMIT);
      await announce('first');
      await made.webhooks.announce(other.account_id, { event: NEWS, subject: 'later', data: {} }, NOW + 5);
      const due = (await made.webhooks.due(NOW, 2)).map(({ accountId }) => accountId);
      assert.deepEqual(due, [account, other.account_id]);
      for (const { account_id, webhook_id } of [...webhooks, other]) await made.webhooks.delete(account_id, webhook_id);
    });

    test('the last attempt is told, with a message that is not too long, and what is over goes', async () => {
      const webhook = webhookOf(1);
      await made.webhooks.create(webhook, LIMIT);
      await announce('first');
      const claim = (nowMs: number) => made.webhooks.claim(webhook.webhook_id, nowMs, nowMs + 1000);
      const delivery = (await claim(NOW))!;
      const told = async () => (await made.webhooks.list(account))[0].last_attempt;
      const failed = { succeeded: false, message: 'x'.repeat(600), nowMs: NOW + 5, nextMs: NOW + 50 };
      await made.webhooks.ended(delivery, failed);
      assert.deepEqual(await told(), { ts: NOW + 5, succeeded: false, message: 'x'.repeat(500) });
      assert.equal(await claim(NOW + 49), null);
      assert.ok(await claim(NOW + 50));
      await made.webhooks.ended(delivery, { succeeded: true, message: '200', nowMs: NOW + 60, nextMs: null });
      assert.deepEqual(await told(), { ts: NOW + 60, succeeded: true, message: '200' });
      assert.equal(await waiting(webhook.webhook_id), 0);
    });
  });
}
