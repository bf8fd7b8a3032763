import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { joinedNumbers, joinUsers, type UserCounts, usersIn, usersOf, writePieceUsers } from './piece-users.ts';

async function writtenPiece(t: TestContext, name: string, counts: UserCounts, lengthOf: (user: number) => number) {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const ids = Array.from({ length: usersIn(counts) }, (_, user) => `${name} "${user}",ü`.padEnd(lengthOf(user), '€'));
  await writePieceUsers(folder, counts, (user) => ids[user]);
  return { piece: { facts: counts, file: async (file: string) => join(folder, file) }, ids, counts };
}

test('ids of all pieces are joined by kind, however they lie in blocks of a file', async (t) => {
  const written = [
    await writtenPiece(t, 'a', [3, 0, 2], () => 0),
    await writtenPiece(t, 'b', [5000, 1, 0], (user) => (user * 7919) % 500),
    await writtenPiece(t, 'c', [0, 0, 0], () => 0),
  ];
  const joined = await joinUsers(written.map(({ piece }) => piece));
  const numberOf = joinedNumbers(written.map(({ counts }) => counts));
  assert.equal(joined.length, 5006);
  for (const [piece, { ids }] of written.entries()) {
    for (const [user, id] of ids.entries()) assert.equal(joined.at(numberOf(piece, user)), id);
  }
  assert.equal(joined.indexOf(written[1].ids[4999]), numberOf(1, 4999));
});

test('ids of a piece are read one by one, kind after kind', async (t) => {
  const { piece, ids } = await writtenPiece(t, 'a', [2000, 3, 1], (user) => user % 900);
  assert.deepEqual(await Array.fromAsync(usersOf(piece)), ids);
});
