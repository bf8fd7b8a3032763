// How couriers share their places between accounts, on every database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WebhookCourier } from '../../src/automation/webhooks/webhook-courier.ts';
import { systemRuntime } from '../../src/domain/runtime.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { newId } from '../support/new-ids.ts';
import { NOW, QueuedJobs } from '../support/queued-jobs.ts';
import { DIALECTS } from '../support/test-database.ts';

const until = async (holds: () => boolean) => {
  for (let tries = 0; !holds(); tries++) {
    assert.ok(tries < 2000, 'it happens');
    await delay(10);
  }
};

for (const dialect of DIALECTS) {
  test(`accounts with slow and silent receivers do not delay another account on ${dialect}`, async () => {
    const made = await QueuedJobs.open(dialect);
    const accounts = Array.from({ length: 5 }, () => newId('account'));
    const attempts: { url: string; ended: PromiseWithResolvers<number> }[] = [];
    const addWebhook = async (url: string, account_id: string): Promise<string> => {
      const webhook = { account_id, webhook_id: newId('webhook'), url, created_ts: NOW, last_attempt: null };
      assert.equal(await made.webhooks.create({ ...webhook, events: ['data.warning'] }, 100), 'created');
      return webhook.webhook_id;
    };
    let clockMs = 0;
    const courier = new WebhookCourier({
      ...{ webhooks: made.webhooks, log: createLogger('silent'), secret: 'secret', allowsPrivate: true, pollMs: 5 },
      runtime: { ...systemRuntime, monotonicMs: () => clockMs },
      post: ({ url, signal }) => {
        signal.throwIfAborted();
        const ended = Promise.withResolvers<number>();
        signal.addEventListener('abort', ended.reject);
        attempts.push({ url, ended });
        return ended.promise;
      },
    });
    const announce = (account: string, n: number) =>
      made.webhooks.announce(account, { event: 'data.warning', subject: `${n}`, data: {} }, NOW + n);
    for (const account of accounts) await made.addAccount(account);
    const [late, ...busy] = accounts;
    const urlOf = new Map<string, string>();
    for (const account of busy) {
      for (let n = 0; n < 5; n++) {
        const url = `http://slow/${account}/${n}`;
        urlOf.set(await addWebhook(url, account), url);
      }
      for (let n = 0; n < 3; n++) await announce(account, n);
    }
    const urls = ['http://late/1', 'http://late/2'];
    for (const url of urls) await addWebhook(url, late);
    courier.start();
    try {
      await until(() => attempts.length === 16);
      await announce(late, 3);
      attempts[0].ended.reject(new Error('No response.'));
      await until(() => attempts.length === 17);
      clockMs += 60_000;
      attempts[1].ended.resolve(200);
      await until(() => attempts.length === 18);
      assert.deepEqual(new Set(attempts.slice(16).map(({ url }) => url)), new Set(urls));
      const due = (await made.webhooks.due(Date.now(), 500)).map(({ webhookId }) => urlOf.get(webhookId));
      assert.deepEqual([due.includes(attempts[0].url), due.includes(attempts[1].url)], [false, true]);
    } finally {
      await courier.stop();
      await made.close();
    }
  });
}
