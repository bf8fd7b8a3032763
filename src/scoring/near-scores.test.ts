// The search for the best items passes over what cannot be among them by scores that are only nearly right: on a catalog where
// that is most of it, the list must be the one that exact scores of all items give.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toyModel } from '../../test/support/toy-model.ts';
import type { Expert, G1Model } from '../artifact/g1-model.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { MAX_BEST } from './best-of-all.ts';
import { createScorer } from './create-scorer.ts';
import type { Scorer } from './scorer.ts';

const ITEMS = 3000;
const NEIGHBORS = 60;
/** Sizes of histories and of lists. */
const SIZES = [
  [30, 20],
  [40, 100],
  [1, 10],
  [50, 500],
  [25, 1],
] as const;
/** Sizes of lists that continue over pages, without a ranker. */
const LONG_SIZES = [
  [30, 513],
  [40, 1500],
  [2, MAX_BEST],
] as const;

function modelOf(seed: number, weights: readonly number[], c: number): G1Model {
  const random = seededRandom(seed);
  const expert = (name: string): Expert => {
    const columns = new Uint32Array(ITEMS * NEIGHBORS);
    for (let row = 0; row < ITEMS; row++) {
      const start = random.below(ITEMS);
      for (let n = 0; n < NEIGHBORS; n++) columns[row * NEIGHBORS + n] = (start + n * 37) % ITEMS;
    }
    // Few different values: many scores are equal, or nearly so.
    const values = new Float32Array(columns.length).map(() => random.below(9) / 8 - 0.125);
    const offsets = Uint32Array.from({ length: ITEMS + 1 }, (_, row) => row * NEIGHBORS);
    const rows = { rowCount: ITEMS, columnCount: ITEMS, offsets, columns, values };
    return { kind: 'item-to-item', name, rows, query: { kind: 'power', rho: 0.4 }, settings: {} };
  };
  const popularity = new Float32Array(ITEMS).map(() => random.below(50));
  return {
    ...toyModel([{ user: 'u', item: 'i' }]),
    itemIds: Array.from({ length: ITEMS }, (_, n) => `i${n}`),
    warmItemCount: ITEMS,
    experts: [
      ...weights.slice(1).map((_, n) => expert(`expert ${n}`)),
      { kind: 'popularity', name: 'popularity', values: popularity, settings: {} },
    ],
    blend: {
      weights: [...weights.slice(1), weights[0]],
      transform: c > 0 ? { kind: 'log', c } : { kind: 'linear' },
    },
  };
}

const CASES = [
  [[0.3, 1, 0.6, 1.2], 0.03],
  [[-0.2, 1, -0.5, 0.8, 0.1, 2], 0.003],
  [[0, 5], 3],
  [[400, 0.2, 0.1], 0.3],
  [[0.3, 1, -0.6], 0],
] as const;

/** A user who has seen some items of the history, asked about a part of the catalog; and what all exact scores give. */
function questionsOf(scorer: Scorer, sizes: readonly (readonly [number, number])[]) {
  const random = seededRandom(7);
  const all = new Float32Array(ITEMS);
  return Array.from({ length: 10 }, () => sizes)
    .flat()
    .map(([length, limit]) => {
      const items = new Set(Array.from({ length }, () => random.below(ITEMS)));
      const history = {
        length: items.size,
        items: Uint32Array.from(items),
        weights: new Float32Array(items.size).fill(1),
        seen: Uint8Array.from(items, () => random.below(2)),
      };
      const allow = Uint32Array.from({ length: (ITEMS >>> 5) + 1 }, () => 0xffff_ffff ^ (1 << random.below(32)));
      const isAllowed = (item: number) => ((allow[item >>> 5] >>> (item & 31)) & 1) === 1;
      const seen = new Set([...items].filter((_, n) => history.seen[n] === 1));
      scorer.scoreAll(history, all);
      const expected = Array.from({ length: ITEMS }, (_, item) => item)
        .filter((item) => isAllowed(item) && !seen.has(item))
        .sort((a, b) => all[b] - all[a] || a - b)
        .slice(0, limit);
      return { history, allow, limit, expected, scores: expected.map((item) => all[item]) };
    });
}

for (const [weights, c] of CASES) {
  test(`the best of many items are those that all scores give, with weights ${weights} and c ${c}`, () => {
    const scorer = createScorer(modelOf(3, weights, c));
    const out = { items: new Uint32Array(MAX_BEST), scores: new Float32Array(MAX_BEST) };
    for (const { history, allow, limit, expected, scores } of questionsOf(scorer, [...SIZES, ...LONG_SIZES])) {
      const count = scorer.top(history, limit, { allow }, out);
      assert.deepEqual([...out.items.subarray(0, count)], expected);
      assert.deepEqual([...out.scores.subarray(0, count)], scores);
    }
  });

  test(`a ranker orders the same best items, with weights ${weights} and c ${c}`, () => {
    const model = modelOf(3, weights, c);
    const ranker = {
      candidates: 1,
      deep: [],
      weights: new Array<number>(3 * weights.length + 24).fill(0),
      // Has few different values, like the bias of the blend.
      bias: new Float32Array(ITEMS).map((_, item) => (item * 7) % 5),
    };
    const scorer = createScorer({ ...model, moments: { arriving: { blend: model.blend, ranker } } });
    const out = { items: new Uint32Array(512), scores: new Float32Array(512) };
    for (const { history, allow, limit, expected } of questionsOf(scorer, SIZES)) {
      const count = scorer.top(history, limit, { allow }, out);
      const ranked = expected.toSorted((a, b) => ranker.bias[b] - ranker.bias[a] || a - b);
      assert.deepEqual([...out.items.subarray(0, count)], ranked);
    }
  });
}
