import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { seededRandom } from '../../base/seeded-random.ts';
import { KernelMemory } from '../../kernels/kernel-memory.ts';
import type { UserCounts } from '../../pieces/piece-users.ts';
import { RecordSpill } from '../../results/files/record-spill.ts';
import { groupsOfUsers, putIntoGroups } from './assign-users.ts';
import { plainAssign } from './k-means.ts';
import { POINTS_FILE, samplePoints, storedPoints } from './point-files.ts';

const DIMENSIONS = 8;
const COUNT = 40_000;
/** Every second user has a point, and some have no events. */
const USERS: UserCounts = [2 * COUNT, 0, 5];

async function storedPiece(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const random = seededRandom(4);
  const values = new Float32Array(COUNT * DIMENSIONS).map(() => random.normal());
  const spill = await RecordSpill.create(join(folder, POINTS_FILE), DIMENSIONS + 1);
  for (let n = 0; n < COUNT; n++) {
    await spill.flushIfFull();
    const record = spill.append();
    new Uint32Array(record.buffer, record.byteOffset, 1)[0] = 2 * n;
    record.set(values.subarray(n * DIMENSIONS, (n + 1) * DIMENSIONS), 1);
  }
  await spill.close();
  const facts = { points: COUNT, users: USERS, files: ['other', POINTS_FILE] };
  const pieceOf = (some: typeof facts) => ({ facts: some, file: async (name: string) => join(folder, name) });
  return { folder, piece: pieceOf(facts), pieceOf, points: { count: COUNT, dimensions: DIMENSIONS, values } };
}

test('a sample has points with their users, in order, and all of them where they are few', async (t) => {
  const { piece, points } = await storedPiece(t);
  for (const most of [COUNT + 1, 100]) {
    const stored = storedPoints(piece, { dimensions: DIMENSIONS, values: new Float32Array(64 * DIMENSIONS) });
    const sample = await samplePoints(stored, { most, random: seededRandom(1), memory: new KernelMemory() });
    assert.equal(stored.count, COUNT);
    assert.equal(sample.points.count, Math.min(most, COUNT));
    for (const [n, user] of sample.users.entries()) {
      const at = (row: number) => row * DIMENSIONS;
      const taken = sample.points.values.subarray(at(n), at(n + 1));
      assert.ok(taken.every((value, d) => value === points.values[at(user / 2) + d]));
    }
    assert.deepEqual(sample.users, sample.users.toSorted());
    assert.ok(sample.users.some((user) => user < COUNT) && sample.users.some((user) => user > COUNT));
  }
});

test('users get the group of the nearest center, whether it is looked up where the piece is made or later', async (t) => {
  const { folder, piece, pieceOf, points } = await storedPiece(t);
  const k = 5;
  const centroids = points.values.slice(0, k * DIMENSIONS);
  const groups = Array.from({ length: k }, (_, n) => ({
    centroid: Array.from(centroids.subarray(n * DIMENSIONS, (n + 1) * DIMENSIONS)),
  }));
  const nearest = new Uint32Array(COUNT);
  await plainAssign(points)(centroids, k, nearest);
  const expected = Int32Array.from({ length: 2 * COUNT + 5 }, (_, user) =>
    user % 2 === 1 || user >= 2 * COUNT ? -1 : nearest[user / 2],
  );
  assert.deepEqual(await groupsOfUsers(piece, groups), expected);
  const grouped = await putIntoGroups(folder, piece.facts, groups);
  assert.equal(grouped.files.includes(POINTS_FILE), false);
  rmSync(join(folder, POINTS_FILE));
  assert.deepEqual(await groupsOfUsers(pieceOf({ ...grouped, files: [...grouped.files] }), groups), expected);
});

test('users of a project without groups are in none', async (t) => {
  const { piece } = await storedPiece(t);
  assert.deepEqual(await groupsOfUsers(piece, []), new Int32Array(2 * COUNT + 5).fill(-1));
});
