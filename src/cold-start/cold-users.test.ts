import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chanceFrom } from '../../test/support/chance.ts';
import type { ColdUserTables } from '../artifact/g1-model.ts';
import type { Attributes } from '../domain/record.ts';
import { AttributeProfiler } from './attribute-binning.ts';
import { ColdUsers } from './cold-users.ts';
import { ColdUserFitter } from './fit-cold-users.ts';

const ITEMS = 40;

/** Users of two countries; each takes items of the own country (even or odd) nine times in ten. Item 0 is popular with all. */
function madeUsers(count: number): { attributes: Attributes; items: number[] }[] {
  const chance = chanceFrom(11);
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

function fit(users: readonly { attributes: Attributes; items: number[] }[], itemCount = ITEMS): ColdUserTables | null {
  const profiler = new AttributeProfiler();
  for (const { attributes } of users) profiler.observe(attributes);
  const fitter = new ColdUserFitter(profiler.binnings(), itemCount);
  for (const { attributes } of users) fitter.countFeatures(attributes);
  fitter.begin();
  for (const { attributes, items } of users) fitter.addUser(attributes, items);
  return fitter.finish();
}

function best(tables: ColdUserTables, attributes: Attributes, count: number): number[] {
  const cold = new ColdUsers(tables);
  const scores = new Float32Array(ITEMS);
  cold.score(cold.featuresOf(attributes), scores);
  return [...scores.keys()].sort((a, b) => scores[b] - scores[a]).slice(0, count);
}

test('users are answered by what others with their attributes liked', () => {
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

test('a few hundred users are enough to tell two groups apart', () => {
  const tables = fit(madeUsers(200))!;
  const odd = best(tables, { country: 'OO' }, 8).filter((item) => item !== 0);
  assert.ok(odd.filter((item) => item % 2 === 1).length >= 6, String(odd));
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
  const cold = new ColdUsers(tables);
  assert.deepEqual(cold.featuresOf({ id: 'u5', country: 'XX', other: 1 }), []);
  assert.equal(cold.featuresOf({ id: 'u5', country: 'EE' }).length, 1);
});

test('the terms of a score add up to it', () => {
  const tables = fit(madeUsers(500))!;
  const cold = new ColdUsers(tables);
  const features = cold.featuresOf({ country: 'EE', age: 33 });
  assert.equal(features.length, 2);
  const scores = new Float32Array(ITEMS);
  cold.score(features, scores);
  for (let item = 0; item < ITEMS; item++) {
    let sum = 0;
    cold.explain(features, item, 1, ({ contribution }) => {
      sum += contribution;
    });
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
