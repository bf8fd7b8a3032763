import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalog } from '../../catalog/catalog.ts';
import type { ListOrder } from './list-protocol.ts';
import { ListWriter } from './list-writer.ts';

const orderOf = (attributes: readonly string[]) => ({ data: { format: 'jsonl' }, attributes, types: {} }) as ListOrder;

test('the bytes of lists are their JSON, whatever ids, marks, scores and attributes they have', () => {
  const catalog = new Catalog('items');
  const titles = ['plain', 'größer "als" zwölf\n', '日本語 🎬', 'long '.repeat(50), null];
  for (const [n, title] of titles.entries()) catalog.put(`item ${n} "é"`, { title });
  const writer = new ListWriter(catalog, orderOf(['title']));
  const lists = [
    {
      user_id: 'u\t"1"',
      objective: 'discover',
      items: [
        { item: 0, score: 1.5 },
        { item: 3, score: -0.25 },
      ],
    },
    { user_id: 'ü🎬', objective: null, items: [] },
    {
      ...({ user_id: 'u3', objective: 'any' } as const),
      items: [
        { item: 2, score: null, mark: ',"pinned":true' },
        { item: 4, score: 2, mark: ',"filled":true' },
        { item: 1, score: 0 },
      ],
    },
  ] as const;
  for (const { user_id, objective, items } of lists) {
    writer.start(user_id, objective);
    for (const { item, score, ...more } of items) writer.add(item, score, 'mark' in more ? more.mark : '');
    writer.end();
  }
  const expected = lists.map(({ user_id, objective, items }) => {
    const results = items.map(({ item, score, ...more }) => ({
      item: { item_id: `item ${item} "é"`, title: titles[item] },
      ...('mark' in more && JSON.parse(`{${more.mark.slice(1)}}`)),
      ...(score !== null && { score }),
    }));
    return `${JSON.stringify({ user_id, objective, results })}\n`;
  });
  assert.equal(Buffer.from(writer.take().bytes).toString(), expected.join(''));
  assert.equal(writer.take().bytes.length, 0);
});

test('lists are the same when pieces no longer fit into memory and are made again', () => {
  const catalog = new Catalog('items');
  const title = 'x'.repeat(300_000);
  for (let n = 0; n < 70; n++) catalog.put(`i${n}`, { title });
  const writer = new ListWriter(catalog, orderOf(['title']));
  for (const item of [0, 5]) {
    for (let n = 0; n < 70; n++) {
      writer.start('u', 'discover');
      writer.add((item + n) % 70, 1);
      writer.end();
      const [result] = JSON.parse(Buffer.from(writer.take().bytes).toString()).results;
      assert.deepEqual(result, { item: { item_id: `i${(item + n) % 70}`, title }, score: 1 });
    }
  }
});

test('lists are whole wherever in a list the memory for them has to grow, with scores and without', () => {
  const FIRST_BYTES = 1024 * 1024;
  const lineOf = (title: string, scoreText: string): string => {
    const [short, long] = [['short', 'short'] as const, ['long', title] as const].map(
      ([id, text]) => `{"item":{"item_id":"${id}","title":"${text}"}${scoreText}}`,
    );
    return `{"user_id":"u","objective":null,"results":[${short},${long},${short}]}\n`;
  };
  for (const [score, scoreText] of [[0.123456, ',"score":0.123456'] as const, [null, ''] as const]) {
    const shortest = FIRST_BYTES - lineOf('', scoreText).length;
    for (let length = shortest; length < shortest + 80; length++) {
      const title = 'x'.repeat(length);
      const catalog = new Catalog('items');
      catalog.put('long', { title });
      catalog.put('short', { title: 'short' });
      const writer = new ListWriter(catalog, orderOf(['title']));
      writer.start('u', null);
      for (const item of [1, 0, 1]) writer.add(item, score);
      writer.end();
      const isSame = Buffer.from(lineOf(title, scoreText)).equals(writer.take().bytes);
      assert.ok(isSame, `with ${length} characters before its end`);
    }
  }
});

test('an item is the same in later lists, after many others were made and the catalog has grown', () => {
  const catalog = new Catalog('items');
  const titleOf = (n: number) => `${n} `.repeat(500);
  const writer = new ListWriter(catalog, orderOf(['title']));
  for (const from of [0, 100]) {
    for (let n = from; n < from + 100; n++) catalog.put(`i${n}`, { title: titleOf(n) });
    for (let n = 0; n < from + 100; n++) {
      writer.start('u', null);
      writer.add(n, null);
      writer.end();
      const { results } = JSON.parse(Buffer.from(writer.take().bytes).toString());
      assert.deepEqual(results, [{ item: { item_id: `i${n}`, title: titleOf(n) } }]);
    }
  }
});
