// Tests several blocks of histories: all of them are read for each range of items, so ranges are as large as the memory allows.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { madeEvents } from '../../bench/made-events.ts';
import { buildHistories, type HistoryBlocks } from '../dataset/history-blocks.ts';
import { buildGram } from '../experts/gram.ts';
import { KernelMemory } from '../kernels/kernel-memory.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { plainRules } from '../training/choose-rules.ts';
import { BuiltInAggregation } from './built-in.ts';

const table = madeEvents(30_000, 2000, 1500);
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-ranges-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** The gram, how often blocks were read, and what was used of the memory that was free. */
async function counted(memory: KernelMemory, blockBytes?: number) {
  const pool = new KernelPool(1, { memory });
  await using histories = await buildHistories(memory, table, plainRules(table, {}, 1), { folder, blockBytes });
  const passes = countPasses(histories);
  const before = memory.mark();
  const { first, second, diagonals } = await buildGram(pool, new BuiltInAggregation(pool, histories), [0.5, 1]);
  const used = (memory.peakBytes - memory.mark()) / memory.freeBytes;
  const rows = [first.counts, first.values, second.values, diagonals].map((column) => [...column]);
  memory.release(before);
  return { rows, passes: passes(), used };
}

function countPasses(histories: HistoryBlocks): () => number {
  let passes = 0;
  const { each } = histories;
  histories.each = (...given) => {
    passes++;
    return each.apply(histories, given);
  };
  return () => passes;
}

test('ranges of items take what a block leaves, and give the same sums', async () => {
  const whole = await counted(new KernelMemory());
  assert.equal(whole.passes, 1);
  const gramBytes = 1500 * 1500 * 12;
  const scarce = await counted(new KernelMemory(gramBytes + 6e6), 100_000);
  assert.ok(scarce.passes > 2, `${scarce.passes} passes`);
  assert.ok(scarce.used > 0.7 && scarce.used <= 1, `${scarce.used} of what was free`);
  assert.deepEqual(scarce.rows, whole.rows);
});
