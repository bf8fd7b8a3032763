import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { createPlainScorer } from '../../test/support/plain-scorer.ts';
import { toyModel } from '../../test/support/toy-model.ts';
import type { Expert, G1Model, SparseRows } from '../artifact/g1-model.ts';
import { OWN_NUMBERS } from '../history/fold-events.ts';
import type { ScoringHistory } from '../history/user-signal.ts';
import { createScorer } from './create-scorer.ts';
import { FEW_SHIFT, type Scorer } from './scorer.ts';

const ITEMS = 37;

function rowsFrom(cells: readonly (readonly [number, number, number])[]): SparseRows {
  const byRow = Array.from({ length: ITEMS }, () => new Map<number, number>());
  for (const [row, column, value] of cells) byRow[row].set(column, value);
  const offsets = new Uint32Array(ITEMS + 1);
  const columns: number[] = [];
  const values: number[] = [];
  byRow.forEach((cellsOfRow, row) => {
    for (const [column, value] of cellsOfRow) {
      columns.push(column);
      values.push(value);
    }
    offsets[row + 1] = columns.length;
  });
  const arrays = { columns: Uint32Array.from(columns), values: Float32Array.from(values) };
  return { rowCount: ITEMS, columnCount: ITEMS, offsets, ...arrays };
}

const item = fc.integer({ min: 0, max: ITEMS - 1 });
const small = fc.integer({ min: -8, max: 24 }).map((n) => n / 8);
const cells = fc.array(fc.tuple(item, item, small), { maxLength: 200 });
const query = fc.oneof(
  fc.constantFrom(0, 0.4, 1).map((rho) => ({ kind: 'power' as const, rho })),
  fc.constantFrom([1], [0, 1, 0.5]).map((weights) => ({ kind: 'table' as const, weights })),
);
const model = fc
  .record({
    experts: fc.array(fc.record({ cells, query }), { maxLength: 6 }),
    popularity: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: ITEMS, maxLength: ITEMS }),
    weights: fc.array(fc.constantFrom(-0.5, 0, 0.3, 1), { minLength: 7, maxLength: 7 }),
    c: fc.constantFrom(0, 0.003, 0.3),
  })
  .map((input): G1Model => {
    const experts: Expert[] = input.experts.map((expert, n) => ({
      kind: 'item-to-item',
      name: `expert ${n}`,
      rows: rowsFrom(expert.cells),
      query: expert.query,
      settings: {},
    }));
    experts.push({ kind: 'popularity', name: 'popularity', values: Float32Array.from(input.popularity), settings: {} });
    return {
      itemIds: Array.from({ length: ITEMS }, (_, n) => `i${n}`),
      warmItemCount: ITEMS,
      targetEventType: 'buy',
      typeWeights: { buy: 1 },
      historyCap: 10,
      experts,
      blend: {
        weights: input.weights.slice(0, experts.length),
        transform: input.c > 0 ? { kind: 'log', c: input.c } : { kind: 'linear' },
      },
      repeats: { rate: 0, recommendSeen: false },
      vectors: { dimensions: 0, values: new Float32Array(0) },
      calibration: { tau: 1 },
      coldUsers: null,
      metrics: null,
      settings: {},
      seed: 1,
    };
  });
const history = fc.tuple(fc.uniqueArray(item, { maxLength: 10 }), fc.boolean()).map(
  ([items, areSeen]): ScoringHistory => ({
    length: items.length,
    items: Uint32Array.from(items),
    weights: Float32Array.from(items, (_, l) => 1 + (l % 3)),
    seen: new Uint8Array(items.length).fill(areSeen ? 1 : 0),
  }),
);

test('the kernel scorer gives the scores of the plain formula', () => {
  fc.assert(
    fc.property(model, history, (m, h) => {
      const plain = new Float32Array(ITEMS);
      const fast = new Float32Array(ITEMS);
      createPlainScorer(m).scoreAll(h, plain);
      createScorer(m).scoreAll(h, fast);
      for (let j = 0; j < ITEMS; j++) {
        assert.ok(Math.abs(plain[j] - fast[j]) < 1e-4 * (1 + Math.abs(plain[j])), `item ${j}: ${plain[j]} ${fast[j]}`);
      }
    }),
    { numRuns: 150 },
  );
});

test('the best items are those of the full ranking, with the filter and without the seen ones', () => {
  fc.assert(
    fc.property(model, history, fc.integer({ min: 1, max: 40 }), fc.integer(), (m, h, k, bits) => {
      const scorer = createScorer(m);
      const z = new Float32Array(ITEMS);
      scorer.scoreAll(h, z);
      const allow = Uint32Array.from([bits >>> 0, bits >>> 7]);
      const isAllowed = (j: number) => ((allow[j >>> 5] >>> (j & 31)) & 1) === 1;
      const expected = [...z.keys()]
        .filter((j) => isAllowed(j) && !(h.seen[0] === 1 && h.items.includes(j)))
        .sort((a, b) => z[b] - z[a] || a - b)
        .slice(0, k);
      const items = new Uint32Array(k);
      const found = scorer.top(h, k, { allow }, { items, scores: new Float32Array(k) });
      assert.deepEqual([...items.subarray(0, found)], expected);
    }),
    { numRuns: 150 },
  );
});

function withRanker(plain: G1Model): G1Model {
  const deep = [...plain.experts.keys()].filter((n) => plain.experts[n].kind === 'item-to-item').slice(0, 4);
  const weights = Array.from({ length: 3 * plain.experts.length + 24 }, (_, n) => ((n * 7) % 5) - 2);
  const ranker = { candidates: 10, deep, weights, bias: new Float32Array(ITEMS) };
  return { ...plain, moments: { arriving: { blend: plain.blend, ranker } } };
}

test('the terms of an explanation add up to the score of the ranker', () => {
  fc.assert(
    fc.property(model, history, (m, plain) => {
      const h = { ...plain, own: Float32Array.from({ length: plain.length * OWN_NUMBERS }, (_, n) => n % 3) };
      const scorer = createScorer(withRanker(m));
      const items = new Uint32Array(10);
      const scores = new Float32Array(10);
      const found = scorer.top(h, 10, { allow: null }, { items, scores });
      scorer.explainEach(h, [...items.subarray(0, found)], (n, terms, popularity, z) => {
        const sum = terms.reduce((total, term) => total + term, popularity);
        assert.ok(Math.abs(sum - scores[n]) < 1e-4 * (1 + Math.abs(scores[n])), `${sum} ${scores[n]}`);
        assert.ok(Math.abs(z - scores[n]) < 1e-4 * (1 + Math.abs(scores[n])), `${z} ${scores[n]}`);
      });
    }),
    { numRuns: 300 },
  );
});

test('the terms of an explanation add up to the score', () => {
  fc.assert(
    fc.property(model, history, item, (m, h, j) => {
      const scorer = createScorer(m);
      const z = new Float32Array(ITEMS);
      scorer.scoreAll(h, z);
      scorer.explainEach(h, [j], (_, terms, popularity, explained) => {
        const sum = terms.reduce((total, term) => total + term, popularity);
        assert.ok(Math.abs(sum - z[j]) < 1e-3 * (1 + Math.abs(z[j])), `${sum} ${z[j]}`);
        assert.ok(Math.abs(explained - z[j]) < 1e-3 * (1 + Math.abs(z[j])));
      });
    }),
    { numRuns: 100 },
  );
});

test('a filter that keeps few items finds the same with them listed as without', () => {
  const count = 700;
  const events = Array.from({ length: count * 3 }, (_, n) => ({
    user: `u${Math.floor(n / 3)}`,
    item: `i${(Math.floor(n / 3) + (n % 3) * (1 + (n % 7))) % count}`,
  }));
  const scorer = createScorer(toyModel(events));
  const warm = scorer.warmItemCount;
  const few = fc.uniqueArray(fc.integer({ min: 0, max: warm - 1 }), { maxLength: warm >>> FEW_SHIFT });
  const past = fc.uniqueArray(fc.integer({ min: 0, max: warm - 1 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(few, past, fc.integer({ min: 1, max: 15 }), fc.boolean(), (allowed, had, limit, isSeen) => {
      const allow = new Uint32Array((warm + 31) >>> 5);
      for (const j of allowed) allow[j >>> 5] |= 1 << (j & 31);
      const listed = Uint32Array.from(allowed.toSorted((a, b) => scorer.base[b] - scorer.base[a] || a - b));
      const taste = {
        length: had.length,
        items: Uint32Array.from(had),
        weights: new Float32Array(had.length).fill(1),
        seen: new Uint8Array(had.length).fill(isSeen ? 1 : 0),
      };
      const topOf = (listing: Uint32Array | null) => {
        const items = new Uint32Array(limit);
        const scores = new Float32Array(limit);
        const found = scorer.top(taste, limit, { allow, few: listing }, { items, scores });
        return { items: items.subarray(0, found), scores: scores.subarray(0, found) };
      };
      assert.deepEqual(topOf(listed), topOf(null));
    }),
    { numRuns: 200 },
  );
});

const TOGGLES = ['past', 'weight', 'seen', 'excluded', 'own'] as const;

test('what a scorer was asked before changes nothing', () => {
  // Questions that differ from the one before in one thing or in nothing.
  const step = fc.record({
    what: fc.constantFrom('all', 'best', 'some', 'terms'),
    toggle: fc.constantFrom(...TOGGLES, null),
  });
  const respond = (scorer: Scorer, what: string, isOn: ReadonlySet<string | null>) => {
    const items = Uint32Array.of(1, 2, 3, 4, 5, 6, 7, isOn.has('past') ? 9 : 8);
    const { length } = items;
    const question: ScoringHistory = {
      length,
      items,
      weights: new Float32Array(length).fill(1),
      seen: new Uint8Array(length).fill(isOn.has('seen') ? 1 : 0),
      own: new Float32Array(length * OWN_NUMBERS).fill(isOn.has('own') ? 1 : 0.5),
    };
    if (isOn.has('weight')) question.weights[2] = 3;
    const options = { excluded: Uint32Array.of(10, isOn.has('excluded') ? 12 : 11) };
    const found = { items: new Uint32Array(ITEMS), scores: new Float32Array(ITEMS) };
    const terms: unknown[] = [];
    if (what === 'all') scorer.scoreAll(question, found.scores, options);
    else if (what === 'best') scorer.top(question, 8, { ...options, allow: null }, found);
    else if (what === 'some') scorer.scoreItems(question, Uint32Array.of(1, 11, 7, 12), options, found.scores);
    else
      scorer.explainEach(
        question,
        [4, 11],
        (_, parts, popularity, z) => terms.push([...parts, popularity, z]),
        options,
      );
    return { found, terms };
  };
  fc.assert(
    fc.property(model, fc.array(step, { minLength: 6, maxLength: 12 }), (plain, steps) => {
      const m = withRanker(plain);
      const scorer = createScorer(m);
      const isOn = new Set<string | null>();
      for (const { what, toggle } of steps) {
        if (!isOn.delete(toggle)) isOn.add(toggle);
        assert.deepEqual(respond(scorer, what, isOn), respond(createScorer(m), what, isOn));
      }
    }),
    { numRuns: 60 },
  );
});
