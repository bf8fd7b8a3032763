import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
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
    ...{ own: null, excludedOffsets: none, excluded: none, users: Uint32Array.from(targets.keys()) },
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
      ...{ train, test, cutoffs: [5], format: 'auto', reading: 'auto', parameters: {}, threads: 1 },
      ...more,
    });
  await assert.rejects(evaluate(path('users.csv', table('x', 'i'))), /none of the 8 users.*has u0, u1, u2.*has x0/s);
  await assert.rejects(evaluate(path('items.csv', table('u', 'x'))), /none of the items.*has i0.*has x0/s);
  await assert.rejects(evaluate(path('empty.csv', 'customer_id,sku\n')), /has no events/);
  await assert.rejects(evaluate(train, { train: path('none.csv', 'customer_id,sku\n') }), /has no events/);
  await assert.rejects(
    evaluate(train, { targetEventType: 'purchase' }),
    /no event of the type purchase|target type "purchase"/,
  );
});

test('figures of nothing but zeros are an error', async () => {
  // Every user is tested on what it already had, which is never recommended again.
  const rows = Array.from({ length: 60 }, (_, user) =>
    [0, 1, 2].map((n) => `u${user},i${(user + n) % 30},${n}`),
  ).flat();
  writeFileSync(join(folder, 'seen.csv'), `user,item,ts\n${rows.join('\n')}\n`);
  const file = join(folder, 'seen.csv');
  await assert.rejects(
    evaluateFiles({
      ...{ train: file, test: file, cutoffs: [3], format: 'auto', reading: 'auto', threads: 1 },
      parameters: { repeats: 'exclude' },
    }),
    { name: 'JobFailure', message: /Not one held-out item of 60 users/ },
  );
});
