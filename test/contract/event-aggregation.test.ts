// Counting over all events, by every implementation that needs no other program. Spark's is tested by `npm run test:spark`.
import { BuiltInAggregation } from '../../src/aggregation/built-in.ts';
import { KernelPool } from '../../src/kernels/kernel-pool.ts';
import { aggregationSuite } from '../support/aggregation-suite.ts';
import { matrixOnMemory } from '../support/matrix-on-memory.ts';

for (const threads of [1, 3]) {
  aggregationSuite(`this machine with ${threads === 1 ? 'one thread' : `${threads} threads`}`, async (histories) => {
    const pool = new KernelPool(threads);
    const { memory } = pool;
    return {
      aggregation: new BuiltInAggregation(pool, matrixOnMemory(memory, histories)),
      u32: (length) => memory.u32(length),
      f32: (length) => memory.f32(length),
      close: () => pool.close(),
    };
  });
}
