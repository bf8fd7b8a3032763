// How couriers share their places between accounts, on every database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WebhookCourier } from '../../src/automation/webhooks/webhook-courier.ts';
import { systemRuntime } from '../../src/base/runtime.ts';
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

interface Attempt {
  readonly url: string;
  readonly ended: PromiseWithResolvers<number>;
}

/** Accounts with webhooks, and a courier whose attempts end when the test says so. */
async function openStage(dialect: (typeof DIALECTS)[number]) {
  const made = await QueuedJobs.open(dialect);
  const attempts: Attempt[] = [];
  let clockMs = 0;
  const courier = new WebhookCourier({
    webhooks: made.webhooks,
    log: createLogger('silent'),
    secret: 'secret',
    allowsPrivate: true,
    pollMs: 5,
    runtime: { ...systemRuntime, monotonicMs: () => clockMs },
    post: ({ url, signal }) => {
      signal.throwIfAborted();
      const ended = Promise.withResolvers<number>();
      signal.addEventListener('abort', ended.reject);
      attempts.push({ url, ended });
      return ended.promise;
    },
  });
  return {
    made,
    attempts,
    courier,
    pass: (ms: number) => {
      clockMs += ms;
    },
    addAccount: async (): Promise<string> => {
      const account = newId('account');
      await made.addAccount(account);
      return account;
    },
    addWebhook: async (url: string, account_id: string): Promise<string> => {
      const webhook = { account_id, webhook_id: newId('webhook'), url, created_ts: NOW, last_attempt: null };
      assert.equal(await made.webhooks.create({ ...webhook, events: ['data.warning'] }, 100), 'created');
      return webhook.webhook_id;
    },
    announce: (account: string, n: number) =>
      made.webhooks.announce(account, { event: 'data.warning', subject: `${n}`, data: { n } }, NOW + n),
    close: async () => {
      await courier.stop();
      await made.close();
    },
  };
}

for (const dialect of DIALECTS) {
  test(`accounts with slow and silent receivers do not delay another account on ${dialect}`, async () => {
    const { made, attempts, courier, ...stage } = await openStage(dialect);
    try {
      const late = await stage.addAccount();
      const urlOf = new Map<string, string>();
      for (let account = 0; account < 4; account++) {
        const busy = await stage.addAccount();
        for (let n = 0; n < 5; n++) {
          const url = `http://slow/${account}/${n}`;
          urlOf.set(await stage.addWebhook(url, busy), url);
        }
        for (let n = 0; n < 3; n++) await stage.announce(busy, n);
      }
      const urls = ['http://late/1', 'http://late/2'];
      for (const url of urls) await stage.addWebhook(url, late);
      courier.start();
      await until(() => attempts.length === 16);
      await stage.announce(late, 3);
      attempts[0].ended.reject(new Error('No response.'));
      await until(() => attempts.length === 17);
      stage.pass(60_000);
      attempts[1].ended.resolve(200);
      await until(() => attempts.length === 18);
      assert.deepEqual(new Set(attempts.slice(16).map(({ url }) => url)), new Set(urls));
      const due = (await made.webhooks.due(Date.now(), 500)).map(({ webhookId }) => urlOf.get(webhookId));
      assert.deepEqual([due.includes(attempts[0].url), due.includes(attempts[1].url)], [false, true]);
    } finally {
      await stage.close();
    }
  });

  test(`a freed place goes to who has waited longest for one, of accounts and of webhooks, on ${dialect}`, async () => {
    const { attempts, courier, ...stage } = await openStage(dialect);
    try {
      for (let n = 0; n < 15; n++) {
        const account = await stage.addAccount();
        await stage.addWebhook(`http://slow/${n}`, account);
        for (let subject = 0; subject < 5; subject++) await stage.announce(account, subject);
      }
      const [own, late] = [await stage.addAccount(), await stage.addAccount()];
      for (let n = 0; n < 6; n++) await stage.addWebhook(`http://own/${n}`, own);
      await stage.addWebhook('http://late', late);
      for (let subject = 5; subject < 10; subject++) await stage.announce(own, subject);
      courier.start();
      await until(() => attempts.length === 16);
      for (let subject = 10; subject < 15; subject++) await stage.announce(late, subject);
      // Each turn ends with a response, and its webhook has more to send.
      for (let turn = 0; turn < 2 * 17; turn++) {
        stage.pass(60_000);
        attempts[turn].ended.resolve(200);
        await until(() => attempts.length === 17 + turn);
      }
      const urls = attempts.map(({ url }) => url);
      assert.equal(urls[16], 'http://late');
      for (let turn = 0; turn < 2; turn++) {
        const accounts = urls.slice(turn * 17, turn * 17 + 17).map((url) => url.replace(/own\/\d/, 'own'));
        assert.equal(new Set(accounts).size, 17, 'each account once before any gets a place again');
      }
      const ownUrls = urls.filter((url) => url.includes('own'));
      assert.equal(new Set(ownUrls).size, ownUrls.length);
    } finally {
      await stage.close();
    }
  });

  test(`two nodes send what one webhook gets one at a time, oldest first, on ${dialect}`, async () => {
    const { made, announce, addAccount, addWebhook } = await openStage(dialect);
    const sent: number[] = [];
    let [now, atOnce] = [0, 0];
    const nodes = [1, 2].map(
      () =>
        new WebhookCourier({
          webhooks: made.webhooks,
          log: createLogger('silent'),
          secret: 'secret',
          allowsPrivate: true,
          pollMs: 1,
          post: async ({ body }) => {
            atOnce = Math.max(atOnce, ++now);
            await delay(20);
            now--;
            sent.push((JSON.parse(body) as { data: { n: number } }).data.n);
            return 200;
          },
        }),
    );
    try {
      const account = await addAccount();
      await addWebhook('http://one', account);
      const wanted = Array.from({ length: 12 }, (_, n) => n);
      for (const n of wanted) await announce(account, n);
      for (const node of nodes) node.start();
      await until(() => sent.length === wanted.length);
      assert.deepEqual([sent, atOnce], [wanted, 1]);
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
      await made.close();
    }
  });
}
