import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapUsage, type UsageMap, type UsageMaps } from '../../artifact/usage-maps.ts';
import { UsageMapper } from './usage-mapper.ts';

const sharp: UsageMap = { offset: 0.2, below: 1.8, above: 1.5 };
const mild: UsageMap = { offset: -0.1, below: 1, above: 1.1 };
const all: UsageMap = { offset: 0, below: 1.2, above: 1.2 };
const figures = { predicted: 0.2, observed: 0.2, slope: 1, tenths: [] };
const maps: UsageMaps = {
  questions: 1000,
  all,
  attributes: [{ attribute: 'genre', map: mild }],
  values: [{ attribute: 'genre', value: 'Drama', map: sharp, events: 300, figures }],
};
const block = (usages: number[], count: number) => ({
  first: 0,
  count,
  basis: new Uint8Array(count),
  usages: Float32Array.from(usages),
});

test('a value has its own map, or that of its attribute, or that of all', () => {
  const pairs = [
    { attribute: 'genre', value: 'Drama' },
    { attribute: 'genre', value: 'Horror' },
    { attribute: 'brand', value: 'Drama' },
  ];
  const users = block([0.3, 0.1, 0.02, 0.7, 0.4, 0.9], 2);
  new UsageMapper(maps, pairs, [0.25, 0.1, 0.05]).apply(users);
  const expected = [0.3, 0.1, 0.02, 0.7, 0.4, 0.9].map((share, n) =>
    mapUsage([sharp, mild, all][n % 3], share, [0.25, 0.1, 0.05][n % 3]),
  );
  for (const [n, usage] of users.usages.entries()) assert.ok(Math.abs(usage - expected[n]) < 1e-4, `${usage}`);
});

test('a table is as good as the map, from one in a million to all', () => {
  const shares = [0, 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 0.5, 0.99, 0.9999, 1];
  const users = block(shares, shares.length);
  new UsageMapper(maps, [{ attribute: 'genre', value: 'Drama' }], [0.02]).apply(users);
  for (const [n, usage] of users.usages.entries()) {
    const exact = mapUsage(sharp, shares[n], 0.02);
    assert.ok(Math.abs(usage - exact) < 1e-4 + 0.01 * exact, `${shares[n]}: ${usage} instead of ${exact}`);
  }
  assert.equal(users.usages[0], 0);
  assert.equal(users.usages[shares.length - 1], 1);
});

test('a model of an earlier version keeps its shares', () => {
  const users = block([0.3, 0.6], 2);
  new UsageMapper(undefined, [{ attribute: 'genre', value: 'Drama' }], [0.25]).apply(users);
  assert.deepEqual([...users.usages], [...Float32Array.from([0.3, 0.6])]);
});
