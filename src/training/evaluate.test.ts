import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Objective } from '../domain/objective.ts';
import { measure } from './evaluate.ts';
import { evaluateFiles } from './evaluate-files.ts';
import type { Judges } from './judges.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-evaluate-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function judgesOf(targets: readonly (readonly number[])[]): Judges {
  const offsets = [0];
  for (const own of targets) offsets.push(offsets[offsets.length - 1] + own.length);
  const none = new Uint32Array(targets.length + 1);
  const empty = { offsets: none, items: none, weights: new Float32Array(0), seen: new Uint8Array(0) };
  return {
    count: targets.length,
    ...empty,
    own: null,
    excludedOffsets: none,
    excluded: none,
    users: Uint32Array.from(targets.keys()),
    targetOffsets: Uint32Array.from(offsets),
    targets: Uint32Array.from(targets.flat()),
  };
}

function listsOf(items: readonly number[], scores: readonly number[]) {
  return {
    limit: items.length,
    counts: Uint32Array.from([items.length]),
    items: Uint32Array.from(items),
    scores: Float32Array.from(scores),
  };
}

test('figures are those of the definitions', () => {
  const { metrics } = measure(listsOf([4, 7, 9], [3, 2, 1]), judgesOf([[7, 8]]), [2, 3]);
  assert.equal(metrics['recall@2'], 0.5);
  assert.equal(metrics['mrr@2'], 0.5);
  assert.equal(metrics['hit_rate@3'], 1);
  const ideal = 1 + 1 / Math.log2(3);
  assert.ok(Math.abs(metrics['ndcg@2'] - 1 / Math.log2(3) / ideal) < 1e-12);
});

test('items of equal score share their mean rank', () => {
  const { metrics } = measure(listsOf([4, 7, 9], [2, 2, 2]), judgesOf([[4]]), [3]);
  assert.equal(metrics['mrr@3'], 0.5);
});

test('files are trained on and measured, and the reading decides whether order counts', async () => {
  let train = '';
  let held = '';
  for (let user = 0; user < 60; user++) {
    const start = (user * 7) % 40;
    const items = Array.from({ length: 9 }, (_, n) => (start + n) % 40);
    train += `u${user} ${items.slice(0, 8).join(' ')}\n`;
    held += `u${user} ${items[8]}\n`;
  }
  const files = { train: join(folder, 'train.txt'), test: join(folder, 'test.txt') };
  writeFileSync(files.train, train);
  writeFileSync(files.test, held);
  const common = { ...files, cutoffs: [5], format: 'auto' as const, parameters: {}, threads: 1 };
  const order = await evaluateFiles({ ...common, reading: 'order' });
  const set = await evaluateFiles({ ...common, reading: 'set' });
  assert.equal(order.users, 60);
  assert.equal(set.settings.times, 'set');
  assert.equal(order.settings.horizon, 'browsing', 'one item a user is the next item');
  assert.ok(order.metrics['ndcg@5'] > order.popularity['ndcg@5']);
  assert.ok(order.metrics['ndcg@5'] >= set.metrics['ndcg@5']);
  assert.ok(order.seconds.total > 0 && order.peak_memory_mb > 0);
});

test('items for which there is no room count as new: those with the fewest users', async () => {
  const files = shopFiles();
  const evaluate = (mostItems?: number) =>
    evaluateFiles({
      ...files,
      cutoffs: [10],
      format: 'auto',
      reading: 'auto',
      parameters: {},
      threads: 1,
      objective: 'any',
      targetEventType: 'buy',
      ...(mostItems !== undefined && { mostItems }),
    });
  const all = await evaluate();
  assert.equal(all.data.items_left_out, undefined);
  const most = all.data.items - 5;
  const some = await evaluate(most);
  assert.deepEqual([some.data.items, some.data.items_left_out], [most, 5]);
  assert.equal(some.users, all.users, 'what cannot be found counts too');
  assert.ok(some.metrics['recall@10'] > 0 && some.metrics['recall@10'] < all.metrics['recall@10']);
});

test('files that do not belong together are refused with what was found, before training', async () => {
  const path = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const table = (users: string, items: string) =>
    `customer_id,sku,created_at,event\n${Array.from({ length: 40 }, (_, n) => `${users}${n % 8},${items}${n % 5},2026-01-0${1 + (n % 9)},buy`).join('\n')}\n`;
  const train = path('shop.csv', table('u', 'i'));
  const evaluate = (test: string, more: object = {}) =>
    evaluateFiles({
      train,
      test,
      cutoffs: [5],
      format: 'auto',
      reading: 'auto',
      parameters: {},
      threads: 1,
      ...more,
    });
  await assert.rejects(evaluate(path('users.csv', table('x', 'i'))), /none of the 8 users.*has u0, u1, u2.*has x0/s);
  await assert.rejects(evaluate(path('items.csv', table('u', 'x'))), /none of the items.*has i\d.*has x0/s);
  await assert.rejects(evaluate(path('empty.csv', 'customer_id,sku\n')), /has no events/);
  await assert.rejects(evaluate(train, { train: path('none.csv', 'customer_id,sku\n') }), /has no events/);
  await assert.rejects(
    evaluate(train, { targetEventType: 'purchase' }),
    /no event of the type purchase|target type "purchase"/,
  );
});

test('figures of nothing but zeros are an error', async () => {
  // Every user is tested on an item that nothing of theirs leads to.
  const rows = Array.from({ length: 60 }, (_, user) =>
    [0, 1, 2].map((n) => `u${user},i${(user + n) % 30},${n}`),
  ).flat();
  const train = join(folder, 'rare-train.csv');
  const held = join(folder, 'rare-test.csv');
  writeFileSync(train, `user,item,ts\n${rows.join('\n')}\nlast,rare,1\nlast,rarer,2\n`);
  writeFileSync(held, `user,item,ts\n${Array.from({ length: 60 }, (_, user) => `u${user},rare,9`).join('\n')}\n`);
  await assert.rejects(
    evaluateFiles({
      train,
      test: held,
      cutoffs: [3],
      format: 'auto',
      reading: 'auto',
      threads: 1,
      parameters: { repeats: 'exclude' },
    }),
    { name: 'JobFailure', message: /Not one held-out item of 60 users/ },
  );
});

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);

/** Every user buys bread daily, looks at two lamps and buys one of them two days later, and one of a row of books. */
function shopFiles(): { train: string; test: string } {
  const train: string[] = [];
  const held: string[] = [];
  for (let user = 0; user < 80; user++) {
    const add = (to: string[], day: number, type: string, item: string) =>
      to.push(`u${user},${item},${type},${START + day * DAY + user * 1000}`);
    for (let day = 0; day < 8; day++) add(train, day, 'buy', `bread-${user % 4}`);
    for (let day = 0; day < 8; day++) add(train, day, 'buy', `book-${(user + day) % 20}`);
    add(train, 7, 'view', `lamp-${user % 6}`);
    add(train, 7.5, 'view', `lamp-${(user + 1) % 6}`);
    add(held, 9, 'buy', `bread-${user % 4}`);
    add(held, 9.1, 'buy', `lamp-${(user + 1) % 6}`);
    add(held, 9.2, 'buy', `book-${(user + 8) % 20}`);
  }
  const files = { train: join(folder, 'objectives-train.csv'), test: join(folder, 'objectives-test.csv') };
  const header = 'user,item,event_type,ts\n';
  writeFileSync(files.train, `${header}${train.join('\n')}\n`);
  writeFileSync(files.test, `${header}${held.join('\n')}\n`);
  return files;
}

test('each objective is measured on what it may recommend, as the model reports it', async () => {
  const files = shopFiles();
  const evaluate = (objective: Objective) =>
    evaluateFiles({
      ...files,
      cutoffs: [1, 10],
      format: 'auto',
      reading: 'auto',
      parameters: {},
      threads: 1,
      objective,
      targetEventType: 'buy',
    });
  const again = await evaluate('again');
  assert.equal(again.objective, 'again');
  assert.equal(again.metrics['recall@1'], 1, 'what was bought daily is bought again');
  assert.equal(again.metrics['touched_share@10'], 1);
  const continued = await evaluate('continue');
  assert.equal(continued.metrics['recall@1'], 1, 'the lamp looked at last is bought');
  const discover = await evaluate('discover');
  assert.equal(discover.metrics['touched_share@10'], 0);
  assert.ok(discover.metrics['recall@10'] > discover.popularity['recall@10'], 'the next book');
  const auto = await evaluate('auto');
  assert.equal(auto.objective, 'any');
  const any = await evaluate('any');
  assert.deepEqual(auto.metrics, any.metrics);
  const reported = any.reported!.by_question!;
  assert.deepEqual(new Set(reported.map(({ objective }) => objective)), new Set(['any', 'discover', 'again']));
  for (const { model, intervals } of reported) {
    assert.ok(intervals.hit_rate[0] <= model.hit_rate! && model.hit_rate! <= intervals.hit_rate[1]);
  }
});

test('an objective that the test file says nothing of is refused', async () => {
  const files = shopFiles();
  const held = join(folder, 'bread-only.csv');
  writeFileSync(held, `user,item,event_type,ts\nu0,bread-0,buy,${START + 9 * DAY}\n`);
  await assert.rejects(
    evaluateFiles({
      ...files,
      test: held,
      cutoffs: [10],
      format: 'auto',
      reading: 'auto',
      parameters: {},
      threads: 1,
      objective: 'continue',
      targetEventType: 'buy',
    }),
    { name: 'JobFailure', code: 'NOTHING_HELD_OUT', message: /objective continue cannot be measured/ },
  );
});
