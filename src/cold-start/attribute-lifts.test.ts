import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiftTables } from '../artifact/g1-model.ts';
import { seededRandom } from '../base/seeded-random.ts';
import type { Attributes } from '../domain/record.ts';
import { AttributeProfiler } from './attribute-binning.ts';
import { AttributeLifts } from './attribute-lifts.ts';
import { type Half, LiftFitter } from './fit-lifts.ts';

const ITEMS = 40;

/** Users of two countries; each takes items of the own country (even or odd) nine times in ten. Item 0 is popular with all. */
function madeUsers(count: number): { attributes: Attributes; items: number[] }[] {
  const { next: chance } = seededRandom(11);
  return Array.from({ length: count }, (_, user) => {
    const side = user % 2;
    const items = Array.from({ length: 6 }, () => {
      const own = chance() < 0.9 ? side : 1 - side;
      return 2 * Math.floor(chance() * (ITEMS / 2)) + own;
    });
    const attributes = { country: side === 0 ? 'EE' : 'OO', age: 20 + Math.floor(chance() * 50), id: `u${user}` };
    return { attributes, items: [...new Set([0, ...items])] };
  });
}

interface MadeUser {
  attributes: Attributes;
  items: number[];
  half?: Half;
}

function fit(users: readonly MadeUser[], itemCount = ITEMS): LiftTables | null {
  const profiler = new AttributeProfiler();
  for (const { attributes } of users) profiler.observe(attributes);
  const fitter = new LiftFitter(profiler.binnings(), itemCount);
  for (const { attributes } of users) fitter.countFeatures(attributes);
  fitter.begin();
  for (const [n, { attributes, items, half = ((n >> 1) % 2) as Half }] of users.entries()) {
    fitter.add(fitter.featuresOf(attributes), items, half);
  }
  return fitter.finish();
}

/** Draws places with chances in proportion to the weights. */
function drawFrom(weights: readonly number[], chance: () => number): () => number {
  let sum = 0;
  const sums = weights.map((weight) => (sum += weight));
  return () => {
    const at = chance() * sum;
    return sums.findIndex((to) => to > at);
  };
}

function best(tables: LiftTables, attributes: Attributes, count: number): number[] {
  const cold = new AttributeLifts(tables);
  const scores = Float32Array.from(cold.logPopularity);
  cold.addTo(scores, cold.featuresOf(attributes), 1);
  return [...scores.keys()].sort((a, b) => scores[b] - scores[a]).slice(0, count);
}

test('users get what others with their attributes liked', () => {
  const tables = fit(madeUsers(2000))!;
  const even = best(tables, { country: 'EE' }, 10);
  const odd = best(tables, { country: 'OO' }, 11).filter((item) => item !== 0);
  assert.ok(
    even.every((item) => item % 2 === 0),
    String(even),
  );
  assert.ok(
    odd.every((item) => item % 2 === 1),
    String(odd),
  );
});

test('an attribute that tells users apart is trusted more than noise', () => {
  const { binnings, kappas } = fit(madeUsers(2000))!;
  const kappaOf = (name: string) => kappas[binnings.findIndex(({ attribute }) => attribute === name)];
  assert.ok(kappaOf('country') * 10 <= kappaOf('age'), `${kappaOf('country')} and ${kappaOf('age')}`);
});

test('what decides among items is trusted where every user buys the same few again and again', () => {
  const { next: chance } = seededRandom(5);
  const purchases = Array.from({ length: 400 }, (_, n) => {
    const user = Math.floor(chance() * 60);
    // Each user takes two items: the even one in the morning, the odd one in the evening.
    const [own, side] = [(user * 7) % (ITEMS / 2), n % 2];
    return { attributes: { hour: side === 0 ? 'am' : 'pm' }, items: [2 * own + side], half: (user % 2) as Half };
  });
  const tables = fit(purchases)!;
  const evening = best(tables, { hour: 'pm' }, 10);
  assert.ok(
    evening.every((item) => item % 2 === 1),
    String(evening),
  );
});

test('a few hundred users are enough to tell two groups apart', () => {
  const tables = fit(madeUsers(200))!;
  const odd = best(tables, { country: 'OO' }, 8).filter((item) => item !== 0);
  assert.ok(odd.filter((item) => item % 2 === 1).length >= 6, String(odd));
});

test('in a large catalog, best sellers that a group likes come before rare items that it happened to take', () => {
  const { next: chance } = seededRandom(3);
  const sides = [0, 1].map((side) =>
    Array.from({ length: 4000 }, (_, item) => [1, 1.8, 0.2][(item * (side + 1)) % 3] / (item + 20)),
  );
  const drawn = sides.map((weights) => drawFrom(weights, chance));
  const users = Array.from({ length: 4000 }, (_, user) => ({
    attributes: { side: user % 2 === 0 ? 'left' : 'right' },
    items: [...new Set(Array.from({ length: 15 }, drawn[user % 2]))],
  }));
  const tables = fit(users, 4000)!;
  const [left] = sides;
  const shareOf = (items: number[]) => items.reduce((sum, item) => sum + left[item], 0);
  const ideal = [...left.keys()].sort((a, b) => left[b] - left[a]).slice(0, 20);
  const found = shareOf(best(tables, { side: 'left' }, 20)) / shareOf(ideal);
  assert.ok(found > 0.97, `${found} of what the best 20 have`);
  assert.ok(shareOf(best(tables, {}, 20)) / shareOf(ideal) < 0.9, 'without the attribute');
});

test('attributes that say nothing change nothing', () => {
  const users = madeUsers(400).map(({ items }, n) => ({
    attributes: { coin: (n * 37) % 100 < 50 ? 'heads' : 'tails' },
    items,
  }));
  const tables = fit(users)!;
  assert.ok(tables.kappas[0] >= 1000, `kappa is ${tables.kappas[0]}`);
  assert.deepEqual(new Set(best(tables, { coin: 'heads' }, 1)), new Set([0]));
});

test('an attribute nobody shares and an unknown value are passed over', () => {
  const tables = fit(madeUsers(200))!;
  const cold = new AttributeLifts(tables);
  assert.deepEqual(cold.featuresOf({ id: 'u5', country: 'XX', other: 1 }), []);
  assert.equal(cold.featuresOf({ id: 'u5', country: 'EE' }).length, 1);
});

test('the lifts of an item add up to what is added to its score', () => {
  const tables = fit(madeUsers(500))!;
  const cold = new AttributeLifts(tables);
  const features = cold.featuresOf({ country: 'EE', age: 33 });
  assert.equal(features.length, 2);
  const scores = new Float32Array(ITEMS);
  cold.addTo(scores, features, 0.5);
  for (let item = 0; item < ITEMS; item++) {
    const sums = new Float64Array(1);
    for (const feature of features) cold.addLifts(sums, feature, 0.5, new Map([[item, 0]]));
    const [sum] = sums;
    assert.ok(Math.abs(sum - scores[item]) < 1e-5);
  }
});

test('no attributes, no events or one user give no tables, and never a NaN', () => {
  assert.equal(fit([]), null);
  assert.equal(fit([{ attributes: {}, items: [1] }]), null);
  assert.equal(fit([{ attributes: { country: 'EE' }, items: [] }]), null);
  assert.equal(fit([{ attributes: { country: 'EE' }, items: [1] }]), null);
  const same = Array.from({ length: 10 }, () => ({ attributes: { country: 'EE' }, items: [0] }));
  const tables = fit(same, 1)!;
  assert.ok([...tables.lifts.values, ...tables.offsets, ...tables.logPopularity].every(Number.isFinite));
});

test('attributes count less next to a longer history, and not at all next to a long one', () => {
  const cold = new AttributeLifts({
    ...fit(madeUsers(200))!,
    historyWeights: { counts: [1, 5], weights: [0.8, 0.2] },
  });
  const weights = [1, 2, 3, 5, 10, 50, 51].map((items) => cold.weightBeside(items));
  assert.equal(weights[0], 0.8);
  assert.ok(weights[1] < 0.8 && weights[2] < weights[1] && weights[2] > 0.2);
  assert.deepEqual(weights.slice(3), [0.2, 0.1, 0.02, 0]);
  assert.equal(new AttributeLifts(fit(madeUsers(200))!).weightBeside(1), 0, 'nothing was learned: as before');
});
