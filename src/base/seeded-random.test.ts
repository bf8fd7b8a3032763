import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleIndexes, seededRandom, WeightedDraw } from './seeded-random.ts';

const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

test('a seed always gives the same numbers, as samples and groups of earlier runs need', () => {
  const { next } = seededRandom(1);
  assert.deepEqual(many(3, next), [0.6270739405881613, 0.002735721180215478, 0.5274470399599522]);
  assert.notEqual(seededRandom(2).next(), 0.6270739405881613);
  assert.equal(seededRandom(-1).next(), seededRandom(2 ** 32 - 1).next());
});

test('numbers are spread evenly from 0 to 1', () => {
  const { next } = seededRandom(3);
  const tenths = new Uint32Array(10);
  for (const value of many(20_000, next)) tenths[Math.floor(value * 10)]++;
  for (const count of tenths) assert.ok(count > 1800 && count < 2200, `${tenths}`);
});

test('normal numbers have mean 0 and variance 1, on both sides', () => {
  const values = many(20_000, seededRandom(4).normal);
  assert.ok(Math.abs(mean(values)) < 0.03);
  assert.ok(Math.abs(mean(values.map((value) => value ** 2)) - 1) < 0.04);
  assert.ok(Math.abs(mean(values.map((value) => Number(Math.abs(value) < 1))) - 0.683) < 0.015);
});

test('choices and chances come as often as they should', () => {
  const random = seededRandom(5);
  const picked = many(3000, () => random.pick(['a', 'b', 'c']));
  for (const choice of ['a', 'b', 'c']) {
    const count = picked.filter((one) => one === choice).length;
    assert.ok(count > 850 && count < 1150, `${choice}: ${count}`);
  }
  const hits = many(3000, () => random.chance(0.2)).filter(Boolean).length;
  assert.ok(hits > 500 && hits < 700, `${hits}`);
  assert.equal(random.chance(0), false);
  assert.equal(random.chance(1), true);
});

test('a draw takes each index as often as its weight says, and none without weight', () => {
  const random = seededRandom(6);
  const draw = new WeightedDraw([0, 1, 0, 3, 6, 0]);
  const counts = new Uint32Array(6);
  for (const index of many(10_000, () => draw.draw(random))) counts[index]++;
  assert.deepEqual([counts[0], counts[2], counts[5]], [0, 0, 0]);
  for (const [index, expected] of [
    [1, 1000],
    [3, 3000],
    [4, 6000],
  ]) {
    assert.ok(Math.abs(counts[index] - expected) < 200, `${index}: ${counts[index]}`);
  }
});

test('a draw from one index takes it', () => {
  const random = seededRandom(8);
  for (const index of many(20, () => new WeightedDraw([5]).draw(random))) assert.equal(index, 0);
});

test('a sample has distinct numbers in order, each as likely as any other', () => {
  const random = seededRandom(7);
  const counts = new Uint32Array(10);
  for (let round = 0; round < 5000; round++) {
    const sample = [...sampleIndexes(10, 3, random)];
    assert.equal(new Set(sample).size, 3);
    assert.deepEqual(
      sample,
      sample.toSorted((a, b) => a - b),
    );
    for (const index of sample) counts[index]++;
  }
  for (const count of counts) assert.ok(count > 1350 && count < 1650, `${counts}`);
  assert.deepEqual([...sampleIndexes(3, 5, random)], [0, 1, 2], 'all, when more are wanted than there are');
});
