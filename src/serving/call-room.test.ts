import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalog } from '../catalog/catalog.ts';
import { AppError } from '../errors.ts';
import { CallRooms } from './call-room.ts';
import { ItemTexts } from './item-texts.ts';
import { responseText } from './response-text.ts';

const MIB = 1024 * 1024;
const ITEMS = 8;

function catalogOfLargeItems(): Catalog {
  const catalog = new Catalog('items');
  for (let n = 0; n < ITEMS; n++) catalog.put(`i${n}`, { long: `é${'x'.repeat(MIB)}` });
  return catalog;
}

test('responses that are being made share a budget, of which one account takes at most half', async () => {
  const rooms = new CallRooms(64 * MIB);
  const texts = new ItemTexts(catalogOfLargeItems());
  const items = Array.from({ length: ITEMS }, (_, n) => n);
  let most = 0;
  // All responses are being made at the same time: none is sent before each has its texts or was refused.
  let unsettled = 21;
  const settled = Promise.withResolvers<void>();
  const respond = (accountId: string) =>
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
      return responseText({ user_id: 'u' }, found, room);
    });
  const calls = await Promise.allSettled([...Array.from({ length: 20 }, () => respond('flood')), respond('other')]);
  const refused = calls.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  assert.ok(refused.length >= 16, `${refused.length} refused`);
  for (const { reason } of refused) assert.ok(reason instanceof AppError && reason.code === 'OVERLOADED');
  assert.ok(most <= 48 * MIB, `${most} bytes at once`);
  const last = calls.at(-1)!;
  assert.equal(last.status, 'fulfilled');
  assert.equal(JSON.parse(String((last as PromiseFulfilledResult<Buffer>).value)).results.length, ITEMS);
  assert.equal(rooms.heldBytes, 0);
  await respond('flood');
});

test('what waits for the response happens once all of it is made, and never if the call fails', async () => {
  const rooms = new CallRooms();
  const seen: string[] = [];
  const respond = (name: string, fails: boolean) =>
    rooms.within('account', async (room) => {
      for (const part of [1, 2]) room.whenMade(() => seen.push(`${name} ${part}`));
      seen.push(`${name} made`);
      if (fails) throw new AppError('ANSWER_TOO_LARGE', 'Too large.');
      return name;
    });
  assert.equal(await respond('whole', false), 'whole');
  await assert.rejects(respond('refused', true), { code: 'ANSWER_TOO_LARGE' });
  assert.deepEqual(seen, ['whole made', 'whole 1', 'whole 2', 'refused made']);
});

test('small responses take no room', async () => {
  const rooms = new CallRooms(0);
  const catalog = new Catalog('items');
  catalog.put('a', { title: 'A' });
  const response = rooms.within('account', async (room) =>
    responseText({ user_id: 'u' }, await new ItemTexts(catalog).of([0], ['title'], room), room),
  );
  assert.equal(await response, '{"user_id":"u","results":[{"item":{"item_id":"a","title":"A"}}]}');
});
