import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KernelPool } from './kernel-pool.ts';

const THREADS = 4;
const ROUNDS = 16;
const ROWS = 64;
const WIDTH = 16;

async function multiplyOn(pool: KernelPool): Promise<void> {
  const { memory } = pool;
  const left = memory.f32(ROWS * WIDTH).fill(1);
  const upper = memory.f32(WIDTH * WIDTH).fill(1);
  const product = memory.f32(ROWS * WIDTH);
  await pool.run('tallTimesUpper', [left, WIDTH, upper, product], { rows: ROWS, scratchBytes: 1 << 20 });
  assert.equal(product[WIDTH - 1], WIDTH);
}

test('threads that start while the memory grows see all of it', async () => {
  let startMs = performance.now();
  const first = new KernelPool(THREADS);
  await multiplyOn(first);
  startMs = performance.now() - startMs;
  await first.close();

  for (let round = 0; round < ROUNDS; round++) {
    const pool = new KernelPool(THREADS);
    try {
      // A thread receives the memory in the first third of its start: the last growth comes a little later in every round.
      const untilMs = performance.now() + (startMs / 3) * (round / ROUNDS);
      while (performance.now() < untilMs && pool.memory.freeBytes > 3e9) pool.memory.u8(70_000);
      await multiplyOn(pool);
    } finally {
      await pool.close();
    }
  }
});
