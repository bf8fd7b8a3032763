import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalog } from '../catalog/catalog.ts';
import { AppError } from '../errors.ts';
import { AnswerRooms } from './answer-room.ts';
import { answerText } from './answer-text.ts';
import { ItemTexts } from './item-texts.ts';

const MIB = 1024 * 1024;
const ITEMS = 8;

function catalogOfLargeItems(): Catalog {
  const catalog = new Catalog('items');
  for (let n = 0; n < ITEMS; n++) catalog.put(`i${n}`, { long: `é${'x'.repeat(MIB)}` });
  return catalog;
}

test('responses that are being made share a budget, of which one account takes at most half', async () => {
  const rooms = new AnswerRooms(64 * MIB);
  const texts = new ItemTexts(catalogOfLargeItems());
  const items = Array.from({ length: ITEMS }, (_, n) => n);
  let most = 0;
  // All of them are in the making at the same time: none is sent before each has its texts or was refused.
  let unsettled = 21;
  const settled = Promise.withResolvers<void>();
  const answer = (accountId: string) =>
    rooms.within(accountId, async (room) => {
      const take = (bytes: number) => {
        room.take(bytes);
        most = Math.max(most, rooms.heldBytes);
      };
      let found: string[];
      try {
        found = await texts.of(items, ['long'], { take });
      } finally {
        if (--unsettled === 0) settled.resolve();
      }
      await settled.promise;
      return answerText({ user_id: 'u' }, found, room);
    });
  const calls = await Promise.allSettled([...Array.from({ length: 20 }, () => answer('flood')), answer('other')]);
  const refused = calls.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  assert.ok(refused.length >= 16, `${refused.length} refused`);
  for (const { reason } of refused) assert.ok(reason instanceof AppError && reason.code === 'OVERLOADED');
  assert.ok(most <= 48 * MIB, `${most} bytes at once`);
  const last = calls.at(-1)!;
  assert.equal(last.status, 'fulfilled');
  assert.equal(JSON.parse(String((last as PromiseFulfilledResult<Buffer>).value)).results.length, ITEMS);
  assert.equal(rooms.heldBytes, 0);
  await answer('flood');
});

test('small responses take no room', async () => {
  const rooms = new AnswerRooms(0);
  const catalog = new Catalog('items');
  catalog.put('a', { title: 'A' });
  const answer = rooms.within('account', async (room) =>
    answerText({ user_id: 'u' }, await new ItemTexts(catalog).of([0], ['title'], room), room),
  );
  assert.equal(await answer, '{"user_id":"u","results":[{"item":{"item_id":"a","title":"A"}}]}');
});
