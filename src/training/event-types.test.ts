// Event types whose use is planted: who buys follows a taste, so does who saves, views are mostly noise, bounces are all noise.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { seededRandom } from '../base/seeded-random.ts';
import { evaluateFiles } from './evaluate-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-event-types-'));
after(() => rmSync(folder, { recursive: true }));

const USERS = 400;
const TOPICS = 10;
const TOPIC_ITEMS = 20;
const HELD_OUT = 2;
/** Events a user, and the share of them that follow no taste. */
const TYPES = {
  purchase: { count: 5, noise: 0.1 },
  save: { count: 6, noise: 0 },
  view: { count: 10, noise: 0.7 },
  bounce: { count: 10, noise: 1 },
};

function plant() {
  const { next: random } = seededRandom(2);
  const below = (count: number) => Math.floor(random() * count);
  const train: string[] = ['user_id,item_id,ts,event_type'];
  const test: string[] = [...train];
  for (let user = 0; user < USERS; user++) {
    const taste = [below(TOPICS), below(TOPICS)];
    const itemOf = (noise: number) =>
      random() < noise ? below(TOPICS * TOPIC_ITEMS) : taste[below(2)] * TOPIC_ITEMS + below(TOPIC_ITEMS);
    const events = Object.entries(TYPES).flatMap(([type, { count, noise }]) =>
      Array.from({ length: count }, () => ({ type, noise, ts: below(1000) })),
    );
    for (const { type, noise, ts } of events) train.push(`u${user},i${itemOf(noise)},${ts},${type}`);
    for (let n = 0; n < HELD_OUT; n++) test.push(`u${user},i${itemOf(0)},${1000 + n},purchase`);
  }
  const files = { train: join(folder, 'train.csv'), test: join(folder, 'test.csv') };
  writeFileSync(files.train, train.join('\n'));
  writeFileSync(files.test, test.join('\n'));
  return files;
}

async function learn(weights?: Record<string, number>) {
  const { metrics, settings } = await evaluateFiles({
    ...files,
    cutoffs: [20],
    format: 'csv',
    reading: 'auto',
    targetEventType: 'purchase',
    threads: 1,
    parameters: { experts: ['walk'], ...(weights && { event_type_weights: weights }) },
  });
  return { ndcg: metrics['ndcg@20'], weights: settings.event_type_weights as Record<string, number> };
}

const files = plant();
const chosen = await learn();

test('the weights chosen for event types follow what is planted, and find more than equal weights or none', async () => {
  const { purchase, save, view, bounce } = chosen.weights;
  assert.equal(purchase, 1);
  assert.ok(save >= view && view > bounce && bounce === 0, JSON.stringify(chosen.weights));
  const equal = await learn({ save: 1, view: 1, bounce: 1 });
  const alone = await learn({ save: 0, view: 0, bounce: 0 });
  assert.ok(chosen.ndcg > 1.05 * equal.ndcg, `${chosen.ndcg} against ${equal.ndcg} of equal weights`);
  assert.ok(chosen.ndcg > 1.05 * alone.ndcg, `${chosen.ndcg} against ${alone.ndcg} of purchases alone`);
});

test('a weight given by hand is in force, and the others are still chosen', async () => {
  const { weights, ndcg } = await learn({ save: 0, bounce: 1 });
  assert.deepEqual({ ...weights, view: 0 }, { purchase: 1, save: 0, view: 0, bounce: 1 });
  assert.ok(ndcg < chosen.ndcg);
});
