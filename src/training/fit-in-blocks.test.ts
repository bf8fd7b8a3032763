// A training whose histories do not fit on the memory: the model is the same as if they did, bit for bit, and no file is left.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { madeEvents } from '../../bench/made-events.ts';
import { saveModel } from '../artifact/g1-file.ts';
import { type BlockRoom, buildHistories } from '../dataset/history-blocks.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { plainRules } from './choose-rules.ts';
import { fitModel } from './fit-model.ts';
import { TrainingClock } from './training-clock.ts';

const table = madeEvents(3000, 200, 150);
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-blocks-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function modelBytes(room: BlockRoom): Promise<Buffer> {
  const pool = new KernelPool(1);
  try {
    const { model } = await fitModel(pool, { table, room }, { seed: 3 }, new TrainingClock());
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

test('blocks are as small as they must be', async () => {
  const { memory } = new KernelPool(1);
  await using histories = await buildHistories(memory, table, plainRules(table, {}), { folder, blockBytes: 8000 });
  assert.ok(histories.blockCount >= 4, `${histories.blockCount} blocks`);
  let users = 0;
  await histories.each((block) => {
    users += block.userCount;
    assert.equal(block.itemOffsets[table.itemCount], block.length);
  });
  assert.equal(users, table.userCount);
  assert.equal((await readdir(folder)).length, 1);
});
