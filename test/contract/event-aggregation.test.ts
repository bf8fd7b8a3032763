// Counting over all events, by every implementation that needs no other program. Spark's is tested by `npm run test:spark`.
import { BuiltInAggregation } from '../../src/aggregation/built-in.ts';
import { HistoryBlocks } from '../../src/dataset/history-blocks.ts';
import { KernelPool } from '../../src/kernels/kernel-pool.ts';
import { aggregationSuite, type OpenAggregation } from '../support/aggregation-suite.ts';
import { plainHistories } from '../support/plain-histories.ts';

/** Bytes of a block of users and of unfinished rows; left out: everything fits on the memory. */
interface Room {
  readonly blockBytes?: number;
  readonly partialBytes?: number;
}

function onThisMachine(threads: number, { blockBytes, partialBytes }: Room = {}): OpenAggregation {
  return async (histories) => {
    const pool = new KernelPool(threads);
    const { memory } = pool;
    const blocks = await HistoryBlocks.build(memory, plainHistories(histories), { blockBytes });
    return {
      aggregation: new BuiltInAggregation(pool, blocks, partialBytes),
      u32: (length) => memory.u32(length),
      f32: (length) => memory.f32(length),
      async close() {
        await blocks.close();
        await pool.close();
      },
    };
  };
}

aggregationSuite('this machine with one thread', onThisMachine(1));
aggregationSuite('this machine with 3 threads', onThisMachine(3));
aggregationSuite(
  'this machine, some users and some items at a time',
  onThisMachine(1, { blockBytes: 3000, partialBytes: 30_000 }),
);
aggregationSuite('this machine, one user at a time', onThisMachine(3, { blockBytes: 1 }), true);
