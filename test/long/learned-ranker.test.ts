// A planted sequence: most items are noise, but what follows one of the starters is its own follower. Only the newest item tells,
// which a ranker can learn and a blend that counts all experts alike cannot.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { G1Model } from '../../src/artifact/g1-model.ts';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { type EventTable, EventTableBuilder } from '../../src/dataset/event-table.ts';
import { heldEvents } from '../../src/dataset/training-events.ts';
import type { AlgorithmParameters } from '../../src/domain/algorithm-parameters.ts';
import type { ModelMeasure } from '../../src/domain/model-figures.ts';
import { KernelPool } from '../../src/kernels/kernel-pool.ts';
import { createScorer } from '../../src/scoring/create-scorer.ts';
import { fitModel } from '../../src/training/fit-model.ts';
import { TrainingClock } from '../../src/training/training-clock.ts';

const PAIRS = 40;
const NOISE = 80;
const ITEMS = 2 * PAIRS + NOISE;

/** Starter k is item 2k, its follower 2k + 1. */
function plant(users: number): EventTable {
  const { next: random } = seededRandom(3);
  const below = (limit: number) => Math.floor(random() * limit);
  const builder = new EventTableBuilder();
  for (let user = 0; user < users; user++) {
    builder.beginUser();
    let ts = 0;
    for (let n = 0; n < 4; n++) {
      builder.add(2 * PAIRS + below(NOISE), 0, 1, ts++);
      if (random() < 0.5) continue;
      const pair = below(PAIRS);
      builder.add(2 * pair, 0, 1, ts++);
      builder.add(random() < 0.8 ? 2 * pair + 1 : 2 * PAIRS + below(NOISE), 0, 1, ts++);
    }
    const last = below(PAIRS);
    builder.add(2 * last, 0, 1, ts++);
    builder.add(2 * last + 1, 0, 1, ts++);
  }
  const itemIds = Array.from({ length: ITEMS }, (_, item) => `i${item}`);
  return builder.finish({ itemIds, typeNames: ['view'], targetType: 0 });
}

async function learn(threads: number, parameters: AlgorithmParameters = {}): Promise<G1Model> {
  const pool = new KernelPool(threads);
  try {
    return (await fitModel(pool, { events: heldEvents(plant(2500)) }, parameters, new TrainingClock())).model;
  } finally {
    await pool.close();
  }
}

const MODEL = await learn(1);
const HISTORY = [6, 2 * PAIRS + 3, 2 * PAIRS + 50];
const history = {
  length: HISTORY.length,
  items: Uint32Array.from(HISTORY),
  weights: Float32Array.of(1, 1, 1),
  seen: Uint8Array.of(1, 1, 1),
};

test('a ranker is learned where it helps, and what it gained is recorded', () => {
  const ranker = MODEL.moments!.browsing!.ranker;
  assert.ok(ranker !== null, JSON.stringify(MODEL.settings.moments));
  const [{ choices }] = MODEL.settings.moments as { choices: { choice: string; taken: boolean; gain: number }[] }[];
  const choice = choices.find(({ choice }) => choice.startsWith('ranker'))!;
  assert.ok(choice.taken && choice.gain > 0);
});

test('what users do later is learned from as well', async () => {
  const { moments } = await learn(1, { horizon: 'later' });
  assert.ok(moments!.arriving!.ranker !== null);
});

test('any number of threads gives the same model', async () => {
  const other = await learn(2);
  assert.deepEqual(other.moments, MODEL.moments);
  assert.deepEqual(other.settings, MODEL.settings);
});

test('the planted follower comes first, and its reason is the starter', () => {
  const scorer = createScorer(MODEL);
  const [items, scores] = [new Uint32Array(5), new Float32Array(5)];
  const options = { moment: 'browsing', allow: null } as const;
  assert.equal(scorer.top(history, 5, options, { items, scores }), 5);
  assert.equal(items[0], 7);
  scorer.explainEach(
    history,
    [...items],
    (n, terms, popularity, z) => {
      const sum = terms.reduce((total, term) => total + term, popularity);
      assert.ok(Math.abs(sum - scores[n]) < 1e-3 * Math.max(1, Math.abs(scores[n])), `${sum} instead of ${scores[n]}`);
      assert.ok(Math.abs(z - scores[n]) < 1e-3 * Math.max(1, Math.abs(scores[n])));
      if (n === 0) assert.equal(terms.indexOf(Math.max(...terms)), 0);
    },
    options,
  );
});

test('an item has the same score in a list and by itself, and lists get longer without changing', () => {
  const scorer = createScorer(MODEL);
  const options = { moment: 'browsing', allow: null } as const;
  const listOf = (limit: number) => {
    const [items, scores] = [new Uint32Array(limit), new Float32Array(limit)];
    const count = scorer.top(history, limit, options, { items, scores });
    return [...items.subarray(0, count)].map((item, n) => ({ item, score: scores[n] }));
  };
  const list = listOf(20);
  const alone = new Float32Array(20);
  scorer.scoreItems(
    history,
    Uint32Array.from(list, ({ item }) => item),
    options,
    alone,
  );
  assert.deepEqual(
    [...alone],
    list.map(({ score }) => score),
  );
  assert.deepEqual(listOf(3), list.slice(0, 3));
});

test('what is excluded besides the history is never recommended', () => {
  const scorer = createScorer(MODEL);
  const [items, scores] = [new Uint32Array(ITEMS), new Float32Array(ITEMS)];
  const excluded = Uint32Array.of(7, 9);
  const count = scorer.top(history, ITEMS, { allow: null, excluded }, { items, scores });
  assert.equal(count, ITEMS - HISTORY.length - excluded.length);
  const listed = items.subarray(0, count);
  for (const item of [...excluded, ...HISTORY]) assert.ok(!listed.includes(item));
});

test('what is reported holds for users who come later', () => {
  const { model, users } = MODEL.metrics as { model: { ndcg: number }; users: number };
  const { by_question } = MODEL.metrics as { by_question: ModelMeasure[] };
  const { intervals } = by_question.find(({ moment }) => moment === 'browsing')!;
  assert.ok(users > 100);
  assert.ok(intervals.ndcg[0] < model.ndcg && model.ndcg < intervals.ndcg[1]);
  assert.ok(model.ndcg > 0.5, `${model.ndcg}`);
});
