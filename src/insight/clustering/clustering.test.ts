import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adjustedRandIndex } from '../../../test/support/adjusted-rand-index.ts';
import { sampleIndexes, seededRandom } from '../../base/seeded-random.ts';
import { chooseGroupCount, fitSample, improveBySwaps } from './choose-group-count.ts';
import { lloyd, plainAssign, seedCentroids } from './k-means.ts';
import { layOut, nearestNeighbors } from './layout.ts';
import type { Points } from './points.ts';

/** Unit vectors around `groups` random directions; the noise is relative to the vector's length. */
interface Planted {
  groups: number;
  count: number;
  noise: number;
  seed?: number;
  dimensions?: number;
}

function plantedPoints({ groups, count, noise, seed = 3, dimensions = 16 }: Planted) {
  const random = seededRandom(seed);
  const centers = Array.from({ length: groups }, () => unit(Array.from({ length: dimensions }, () => random.normal())));
  const values = new Float32Array(count * dimensions);
  const truth = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    truth[index] = random.below(groups);
    const near = centers[truth[index]].map((value) => value + (random.normal() * noise) / Math.sqrt(dimensions));
    values.set(unit(near), index * dimensions);
  }
  const points: Points = { count, dimensions, values };
  return { points, truth };
}

function unit(vector: number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function halvesOf({ count, dimensions, values }: Points): [Points, Points] {
  const half = count >> 1;
  return [
    { count: half, dimensions, values: values.subarray(0, half * dimensions) },
    { count: count - half, dimensions, values: values.subarray(half * dimensions) },
  ];
}

test('well separated groups are found again, and so is their number, also when they are many', async () => {
  for (const [groups, dimensions] of [
    [2, 16],
    [5, 16],
    [9, 16],
    [30, 32],
  ]) {
    const { points, truth } = plantedPoints({ groups, count: 300 + 25 * groups, noise: 0.5, seed: 1, dimensions });
    const choice = await chooseGroupCount(halvesOf(points), { seed: 1 });
    assert.ok(Math.abs(choice.k - groups) <= (groups > 20 ? 1 : 0), `${choice.k} instead of ${groups}`);
    const found = await improveBySwaps(points, await fitSample(points, groups, { seed: 1, tries: 4 }), {
      seed: 1,
      tries: 40,
    });
    assert.ok(adjustedRandIndex(found.labels, truth) >= 0.95);
  }
});

test('overlapping groups keep their number where the silhouette on the same users would rise on', async () => {
  const { points } = plantedPoints({ groups: 8, count: 800, noise: 1.4 });
  const { k, silhouette } = await chooseGroupCount(halvesOf(points), { seed: 1 });
  assert.ok(silhouette < 0.2, `hardly apart: ${silhouette}`);
  assert.ok(k >= 7 && k <= 9, `${k} groups`);
});

test('users without groups are not cut into more than can be read', async () => {
  const { points } = plantedPoints({ groups: 1, count: 600, noise: 4 });
  const { k } = await chooseGroupCount(halvesOf(points), { seed: 1, users: 1_000_000 });
  assert.ok(k <= 20, `${k} groups`);
  const few = await chooseGroupCount(
    halvesOf(plantedPoints({ groups: 1, count: 160, noise: 4, dimensions: 32 }).points),
    { seed: 1 },
  );
  assert.ok(few.k <= 8, `${few.k} groups of 160 users`);
});

test('overlapping groups are found in good part', async (t) => {
  const { points, truth } = plantedPoints({ groups: 5, count: 800, noise: 1.2 });
  const found = await improveBySwaps(points, await fitSample(points, 5, { seed: 1, tries: 4 }), { seed: 1, tries: 20 });
  const agreement = adjustedRandIndex(found.labels, truth);
  t.diagnostic(`adjusted Rand index ${agreement.toFixed(3)}`);
  assert.ok(agreement > 0.6);
});

test('the same points and seed give the same groups, another order of work too', async () => {
  const { points } = plantedPoints({ groups: 4, count: 700, noise: 0.9 });
  const seeds = seedCentroids(points, 4, seededRandom(5));
  const first = await lloyd(points, seeds, plainAssign(points));
  const again = await lloyd(points, seedCentroids(points, 4, seededRandom(5)), plainAssign(points));
  assert.deepEqual(first.labels, again.labels);
  assert.deepEqual(first.centroids, again.centroids);
});

test('more groups than distinct points leave no group with a broken center', async () => {
  const values = new Float32Array(40).map((_, index) => (index < 20 ? 1 : 2));
  const points: Points = { count: 20, dimensions: 2, values };
  const found = await lloyd(points, seedCentroids(points, 5, seededRandom(1)), plainAssign(points));
  assert.equal(found.inertia, 0);
  assert.ok(found.centroids.every(Number.isFinite));
});

test('points that are all alike are one group', async () => {
  const points: Points = { count: 300, dimensions: 4, values: new Float32Array(1200).fill(0.5) };
  assert.equal((await chooseGroupCount(halvesOf(points), { seed: 1 })).k, 1);
  const layout = layOut(points, 1);
  assert.ok(layout.x.every(Number.isFinite) && layout.y.every(Number.isFinite));
});

test('the layout is the same for the same seed and keeps groups together', () => {
  const { points, truth } = plantedPoints({ groups: 4, count: 400, noise: 0.4 });
  const layout = layOut(points, 7);
  assert.deepEqual(layout, layOut(points, 7));
  const plane: Points = {
    count: 400,
    dimensions: 2,
    values: Float32Array.from({ length: 800 }, (_, cell) => (cell % 2 === 0 ? layout.x : layout.y)[cell >> 1]),
  };
  const near = nearestNeighbors(plane, 5);
  const alike = near.filter((neighbor, slot) => truth[neighbor] === truth[Math.floor(slot / 5)]).length;
  assert.ok(alike / near.length > 0.97);
});

test('the adjusted Rand index knows equal, renamed and unrelated groupings', () => {
  assert.equal(adjustedRandIndex([0, 0, 1, 1, 2], [5, 5, 9, 9, 1]), 1);
  const random = seededRandom(1);
  const draw = () => Array.from({ length: 5000 }, () => random.below(6));
  assert.ok(Math.abs(adjustedRandIndex(draw(), draw())) < 0.01);
  assert.equal(adjustedRandIndex([0, 0, 0], [0, 0, 0]), 1);
});

test('a sample has distinct ascending indexes and is all when it may be', () => {
  const sample = sampleIndexes(1000, 50, seededRandom(2));
  assert.equal(new Set(sample).size, 50);
  assert.deepEqual(sample, sample.toSorted());
  assert.deepEqual([...sampleIndexes(3, 9, seededRandom(2))], [0, 1, 2]);
});
