import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedItem } from '../placements/item-list.ts';
import { FILLED, PINNED } from './ranking-cache.ts';
import { explainedText, markedTexts, responseText } from './response-text.ts';

const HEAD = { user_id: 'ann', limit: 3 };
const itemOf = (n: number, length: number) => ({ item_id: `i${n}`, title: 'é'.repeat(length) });

/** The parsed response with these items, and how much room it took. */
async function responseOf(items: readonly object[]) {
  let taken = 0;
  const room = {
    take: (bytes: number) => {
      taken += bytes;
    },
  };
  const text = await responseText(
    HEAD,
    items.map((item) => JSON.stringify(item)),
    room,
  );
  return { response: JSON.parse(String(text)), taken, bytes: Buffer.byteLength(text) };
}

test('short and long responses are the same JSON, and a long one takes room for its bytes', async () => {
  for (const [count, length] of [
    [0, 0],
    [1, 10],
    [3, 10],
    [1, 70_000],
    [4, 40_000],
  ]) {
    const items = Array.from({ length: count }, (_, n) => itemOf(n, length));
    const { response, taken, bytes } = await responseOf(items);
    assert.deepEqual(response, { ...HEAD, results: items.map((item) => ({ item })) });
    if (length > 1000) assert.ok(taken >= bytes);
    else assert.equal(taken, 0);
  }
});

test('a response over 32 MiB is refused before it takes room', async () => {
  const items = Array.from({ length: 3 }, (_, n) => itemOf(n, 6 * 1024 * 1024));
  await assert.rejects(responseOf(items), { code: 'ANSWER_TOO_LARGE' });
});

test('what is next to an item: its mark, its score and up to three reasons', () => {
  const text = '{"item_id":"i1"}';
  const shown = (listed: Partial<ListedItem>, how: Parameters<typeof explainedText>[2]) =>
    JSON.parse(`{"item":${explainedText(text, { item: 0, score: 1.23456789, ...listed } as ListedItem, how)}}`);
  const item = { item_id: 'i1' };
  assert.deepEqual(shown({}, 'marks'), { item });
  assert.deepEqual(shown({ filled: true }, 'score'), { item, filled: true, score: 1.234568 });
  assert.deepEqual(shown({}, 'reasons'), { item, score: 1.234568, reasons: [] });
  assert.deepEqual(shown({ pinned: true }, 'reasons'), { item, pinned: true });
  const reasons = [1, 2, 3, 4].map((n) => ({ kind: 'history', item_id: `i${n}`, contribution: n / 3 }));
  const listed = { reasons } as unknown as Partial<ListedItem>;
  assert.deepEqual(
    shown(listed, 'reasons').reasons.map(({ contribution }: { contribution: number }) => contribution),
    [0.333333, 0.666667, 1],
  );
});

test('items of a kept list have their marks', () => {
  const texts = ['"a"', '"b"', '"c"'];
  assert.deepEqual(markedTexts(texts, null), texts);
  assert.deepEqual(markedTexts(texts, Uint8Array.of(0, FILLED, PINNED)), [
    '"a"',
    '"b","filled":true',
    '"c","pinned":true',
  ]);
});
