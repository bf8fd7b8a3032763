// A training whose histories do not fit on the memory: the model is the same as if they did, bit for bit, and no file is left.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { madeEvents } from '../../bench/made-events.ts';
import { saveModel } from '../artifact/g1-file.ts';
import { type BlockRoom, buildHistories } from '../dataset/history-blocks.ts';
import { heldEvents } from '../dataset/training-events.ts';
import { KernelMemory } from '../kernels/kernel-memory.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { plainRules } from './choose-rules.ts';
import { ExpertForge, type Forged } from './expert-forge.ts';
import type { ExpertSpec } from './expert-spec.ts';
import { fitModel } from './fit-model.ts';
import { TrainingClock } from './training-clock.ts';

const LIMIT = 2e6;
const table = madeEvents(3000, 200, 150);
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-blocks-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function modelBytes(room: BlockRoom): Promise<Buffer> {
  const pool = new KernelPool(1);
  try {
    const { model } = await fitModel(pool, { events: heldEvents(table), room }, { seed: 3 }, new TrainingClock());
    assert.ok(model.experts.length > 3);
    const file = join(folder, 'model');
    await saveModel(file, model);
    const bytes = await readFile(file);
    await rm(file);
    return bytes;
  } finally {
    await pool.close();
  }
}

test('a model fitted in blocks of users is the same, bit for bit, and its files are removed', async () => {
  const whole = await modelBytes({ folder });
  const inBlocks = await modelBytes({ folder, blockBytes: 8000 });
  assert.ok(whole.equals(inBlocks));
  assert.deepEqual(await readdir(folder), []);
});

test('experts are tried on less memory than all of them need together, and are the same when they are made again', async () => {
  const trials = Array.from(
    { length: 30 },
    (_, n): ExpertSpec => ({
      family: 'walk',
      gamma: 1,
      beta: 0.5,
      delta: n / 30,
      rho: 0,
    }),
  );
  const valuesOf = async ({ sparse }: Forged) => [...sparse!.values];
  const tried = async (memory: KernelMemory) => {
    const pool = new KernelPool(1, { memory });
    const histories = await buildHistories(memory, table, plainRules(table, {}, 1), { folder });
    const gammas = [0.5, 1] as const;
    const counted = { events: heldEvents(table), nowTs: 0, ordinaryValue: 1, hiddenOf: null };
    const forge = new ExpertForge(pool, { counted, histories, seed: 1, gammas, historyCap: 100 });
    const values: number[][] = [];
    for (const spec of trials) values.push(await forge.tryOut(spec, valuesOf));
    // As many experts as a training chooses, which are in memory together.
    for (let n = 20; n < 30; n++) assert.deepEqual(await valuesOf(await forge.forge(trials[n])), values[n]);
    return values;
  };
  const plenty = new KernelMemory();
  const scarce = new KernelMemory(LIMIT);
  assert.deepEqual(await tried(scarce), await tried(plenty));
  assert.ok(scarce.peakBytes < LIMIT && plenty.peakBytes > LIMIT, `${scarce.peakBytes} and ${plenty.peakBytes} bytes`);
});

test('blocks are as small as they must be', async () => {
  const { memory } = new KernelPool(1);
  await using histories = await buildHistories(memory, table, plainRules(table, {}, 1), { folder, blockBytes: 8000 });
  assert.ok(histories.blockCount >= 4, `${histories.blockCount} blocks`);
  let users = 0;
  await histories.each((block) => {
    users += block.userCount;
    assert.equal(block.itemOffsets[table.itemCount], block.length);
  });
  assert.equal(users, table.userCount);
  assert.equal((await readdir(folder)).length, 1);
});
