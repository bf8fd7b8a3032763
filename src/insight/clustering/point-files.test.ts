import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { seededRandom } from '../../domain/seeded-random.ts';
import { KernelPool } from '../../kernels/kernel-pool.ts';
import { RecordSpill } from '../files/record-spill.ts';
import type { Piece } from '../pieces/piece.ts';
import { assignUsers } from './assign-users.ts';
import { plainAssign } from './k-means.ts';
import { joinedPoints, POINTS_FILE, samplePoints } from './point-files.ts';

const DIMENSIONS = 8;
const PIECES = [300, 0, 1000, 7];
const COUNT = 1307;
/** Only every second user has a point, and pieces are numbered one after the other. */
const numberOf = (piece: number, user: number) => 2 * PIECES.slice(0, piece).reduce((sum, n) => sum + n, 0) + user;

async function storedPieces(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const random = seededRandom(4);
  const values = new Float32Array(COUNT * DIMENSIONS).map(() => random.normal());
  let point = 0;
  const pieces: Piece<{ points: number }>[] = [];
  for (const [piece, points] of PIECES.entries()) {
    const path = join(folder, `${piece}-${POINTS_FILE}`);
    const spill = await RecordSpill.create(path, DIMENSIONS + 1);
    for (let n = 0; n < points; n++, point++) {
      const record = spill.append();
      new Uint32Array(record.buffer, record.byteOffset, 1)[0] = 2 * n;
      record.set(values.subarray(point * DIMENSIONS, (point + 1) * DIMENSIONS), 1);
    }
    await spill.close();
    pieces.push({ facts: { points }, file: async () => path });
  }
  const pool = new KernelPool(2);
  t.after(() => pool.close());
  const inBlocksOf = (rows: number) =>
    joinedPoints(pieces, numberOf, { dimensions: DIMENSIONS, values: pool.memory.f32(rows * DIMENSIONS) });
  return { pool, inBlocksOf, points: { count: COUNT, dimensions: DIMENSIONS, values } };
}

test('a sample has points of all pieces with their users, in order, and all of them where they are few', async (t) => {
  const { pool, inBlocksOf, points } = await storedPieces(t);
  for (const most of [COUNT + 1, 100]) {
    const stored = inBlocksOf(64);
    const sample = await samplePoints(stored, { most, random: seededRandom(1), memory: pool.memory });
    assert.equal(stored.count, COUNT);
    assert.equal(sample.points.count, Math.min(most, COUNT));
    for (const [n, user] of sample.users.entries()) {
      const at = (row: number) => row * DIMENSIONS;
      assert.deepEqual(
        [...sample.points.values.subarray(at(n), at(n + 1))],
        [...points.values.subarray(at(user / 2), at(user / 2 + 1))],
      );
    }
    assert.deepEqual(sample.users, sample.users.toSorted());
    assert.ok(sample.users.some((user) => user < 600) && sample.users.some((user) => user > 600));
  }
});

test('users get the group of the nearest center, the largest group first, whatever the size of blocks', async (t) => {
  const { pool, inBlocksOf, points } = await storedPieces(t);
  const k = 5;
  const centroids = points.values.slice(0, k * DIMENSIONS);
  const expected = new Uint32Array(COUNT);
  const { sizes } = await plainAssign(points)(centroids, k, expected);
  for (const rows of [64, 5000]) {
    const groups = { k, centroids };
    const input = { pool, stored: inBlocksOf(rows), groups, users: 2 * COUNT, noPoint: -1 };
    const found = await assignUsers(input);
    assert.deepEqual(
      found.sizes,
      [...sizes].sort((a, b) => b - a),
    );
    for (const [user, label] of found.labels.entries()) {
      if (user % 2 === 1) assert.equal(label, -1);
      else assert.equal(found.sizes[label], sizes[expected[user / 2]]);
    }
  }
});

test('the memory for grouping is that of a block, not of all users', async (t) => {
  const { pool, inBlocksOf, points } = await storedPieces(t);
  const groups = { k: 2, centroids: points.values.slice(0, 2 * DIMENSIONS) };
  await assignUsers({ pool, stored: inBlocksOf(4), groups, users: 2 * COUNT, noPoint: -1 });
  assert.ok(pool.memory.peakBytes - 65_536 < COUNT * DIMENSIONS * 4, `${pool.memory.peakBytes}`);
});
