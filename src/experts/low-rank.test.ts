// The space that low rank projects on: how much of the histories it catches, started from chance and from an earlier space.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { seededRandom } from '../base/seeded-random.ts';
import { type EventTable, EventTableBuilder } from '../dataset/event-table.ts';
import { buildHistories } from '../dataset/history-blocks.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { type SingularSpace, singularSpace } from './low-rank.ts';

const USERS = 600;
const ITEMS = 200;
const WIDTH = 16;
const RULES = { typeWeights: [1], valueShape: 'log', valueUnit: 1, historyCap: 1000, halfLifeMs: null } as const;

const pool = new KernelPool(1);
after(() => pool.close());

/** Users of twelve overlapping tastes. */
function madeTable(): EventTable {
  const { next: random } = seededRandom(7);
  const builder = new EventTableBuilder();
  for (let user = 0; user < USERS; user++) {
    builder.beginUser();
    const taste = Math.floor(random() * 12) * 15;
    for (let n = 0; n < 20; n++) {
      const item = random() < 0.7 ? taste + Math.floor(random() * 30) : Math.floor(random() * ITEMS);
      builder.add(item % ITEMS, 0, 1, 1e12 + n * 1000);
    }
  }
  const itemIds = Array.from({ length: ITEMS }, (_, item) => `i${item}`);
  return builder.finish({ itemIds, typeNames: ['buy'], targetType: 0 });
}

const table = madeTable();

async function spaceOf(hidden: Uint8Array | undefined, start: SingularSpace | null, seed = 1) {
  const mark = pool.memory.mark();
  await using histories = await buildHistories(pool.memory, table, RULES, hidden && { hidden });
  const degrees = Float32Array.from(histories.degrees);
  const { width, basis } = await singularSpace(pool, { histories, degrees }, WIDTH, { seed, start });
  const copy = { width, basis: basis.slice() };
  pool.memory.release(mark);
  return copy;
}

/** ‖X̃ V‖²: how much of all histories the space catches. */
function caught({ basis, width }: SingularSpace): number {
  const had = Array.from({ length: USERS }, (_, user) => [
    ...new Set(table.item.subarray(table.userOffsets[user], table.userOffsets[user + 1])),
  ]);
  const degrees = new Float64Array(ITEMS);
  for (const item of had.flat()) degrees[item]++;
  let sum = 0;
  for (const items of had) {
    for (let k = 0; k < width; k++) {
      const along = items.reduce((total, item) => total + basis[item * width + k] / Math.sqrt(degrees[item]), 0);
      sum += along ** 2 / items.length;
    }
  }
  return sum;
}

test('a space that starts from that of four fifths of the events catches as much as one that starts from chance', async () => {
  const newest = Uint8Array.from({ length: table.length }, (_, event) => (event % 20 >= 16 ? 1 : 0));
  const before = await spaceOf(newest, null);
  const fromChance = await spaceOf(undefined, null);
  const fromBefore = await spaceOf(undefined, before);
  assert.ok(caught(fromBefore) > caught(before), 'what is new changes the space');
  assert.ok(
    caught(fromBefore) >= caught(fromChance) * 0.999,
    `${caught(fromBefore)} against ${caught(fromChance)} from chance`,
  );
  // Orthonormal, whatever it started from.
  for (let k = 0; k < WIDTH; k++) {
    let square = 0;
    for (let item = 0; item < ITEMS; item++) square += fromBefore.basis[item * WIDTH + k] ** 2;
    assert.ok(Math.abs(square - 1) < 1e-3, `length of direction ${k}: ${square}`);
  }
});

test('a space that is too narrow to start from is left alone', async () => {
  const narrow = { width: 4, basis: new Float32Array(ITEMS * 4).fill(1) };
  assert.deepEqual(await spaceOf(undefined, narrow), await spaceOf(undefined, null));
});
