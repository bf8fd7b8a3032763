import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../base/seeded-random.ts';
import { KernelPool } from '../../kernels/kernel-pool.ts';
import { lloyd, plainAssign, seedCentroids } from './k-means.ts';
import { kernelAssign } from './kernel-assign.ts';
import type { Points } from './points.ts';

test('the kernel finds the groups its plain twin finds, on one thread and on three', async () => {
  const random = seededRandom(4);
  for (const { count, dimensions, k } of [
    { count: 1003, dimensions: 8, k: 5 },
    { count: 301, dimensions: 64, k: 17 },
    { count: 3, dimensions: 4, k: 2 },
  ]) {
    const plain: Points = {
      count,
      dimensions,
      values: new Float32Array(count * dimensions).map(() => random.normal()),
    };
    const start = seedCentroids(plain, k, seededRandom(9));
    const expected = await lloyd(plain, start, plainAssign(plain), { maxIterations: 8, tolerance: 0 });
    let first: Float32Array | null = null;
    for (const threads of [1, 3]) {
      const pool = new KernelPool(threads);
      try {
        const values = pool.memory.f32(count * dimensions);
        values.set(plain.values);
        const points: Points = { count, dimensions, values };
        const found = await lloyd(points, start, kernelAssign(pool, points, k + 3), {
          maxIterations: 8,
          tolerance: 0,
        });
        assert.deepEqual(found.labels, expected.labels);
        assert.ok(Math.abs(found.inertia - expected.inertia) < 1e-3 * expected.inertia + 1e-6);
        first ??= found.centroids;
        assert.deepEqual(found.centroids, first);
      } finally {
        await pool.close();
      }
    }
  }
});
