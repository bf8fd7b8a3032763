import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { csvLine } from '../base/csv-line.ts';
import { DELETED_USER, renameInCsv, renameInJson } from './named-users.ts';

const id = fc.oneof(
  fc.constantFrom(
    'u1',
    'user_id',
    'user_ids',
    'a"b',
    'back\\slash',
    '\\',
    '"',
    '=1+1',
    ' padded ',
    '7',
    'naïve 👍',
    ',',
  ),
  fc.string({ minLength: 1, maxLength: 8 }),
);

async function* inPieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function all(pieces: AsyncIterable<string>): Promise<string> {
  return (await Array.fromAsync(pieces)).join('');
}

test('users of a set are renamed in JSON and nothing else is, however the text is cut', async () => {
  const result = fc.record({ users: fc.array(id), more: fc.array(id), other: id });
  await fc.assert(
    fc.asyncProperty(result, fc.array(id), fc.integer({ min: 1, max: 40 }), async (made, gone, size) => {
      const erased = new Set(gone);
      const build = (name: (userId: string) => string) => ({
        message: made.other,
        query: { attribute: 'user_id', value: made.other },
        users: made.users.map((user_id) => ({ user_id: name(user_id), usage: 0.5, basis: made.other })),
        groups: [{ label: made.other, user_ids: made.more.map(name), top_items: [{ item_id: made.other }] }],
      });
      const rename = (userId: string) => (erased.has(userId) ? DELETED_USER : userId);
      const renamed = await all(renameInJson(inPieces(JSON.stringify(build((userId) => userId)), size), rename));
      assert.equal(renamed, JSON.stringify(build(rename)));
    }),
  );
});

test('users of a set are renamed in CSV and nothing else is, however the text is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(id, id)),
      fc.array(id),
      fc.integer({ min: 1, max: 40 }),
      async (rows, gone, size) => {
        const erased = new Set(gone);
        const build = (name: (userId: string) => string) =>
          [
            csvLine(['query', 'user_id', 'basis']),
            ...rows.map(([user, other]) => csvLine([other, name(user), other])),
          ].join('');
        const renamed = await all(
          renameInCsv(
            inPieces(
              build((userId) => userId),
              size,
            ),
            erased,
            DELETED_USER,
          ),
        );
        assert.equal(
          renamed,
          build((userId) => (erased.has(userId) ? DELETED_USER : userId)),
        );
      },
    ),
  );
});

test('a CSV without users stays as it is', async () => {
  const csv = csvLine(['query', 'bin']) + csvLine([1, 'u1']);
  assert.equal(await all(renameInCsv(inPieces(csv, 5), new Set(['u1', '']), DELETED_USER)), csv);
});
