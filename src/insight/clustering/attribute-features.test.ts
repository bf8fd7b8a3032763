import assert from 'node:assert/strict';
import { test } from 'node:test';
import { featureTable } from './attribute-features.ts';

test('groups are described by what several items share and people can read', () => {
  const items = [
    {
      title: 'One',
      genre: ['drama', 'crime'],
      image: '/posters/drama-0.svg',
      page: 'https://shop.example/one',
      age: 6,
    },
    { title: 'Two', genre: ['drama'], image: '/posters/drama-0.svg', page: 'https://shop.example/one', age: 6 },
  ].map((attributes) => new Map<string, string | number | string[]>(Object.entries(attributes)));
  const { features } = featureTable({
    itemCount: items.length,
    itemId: String,
    attribute: (item, name) => items[item].get(name),
    attributeNames: () => [...items[0].keys()],
  });
  assert.deepEqual(
    features.map(({ words }) => words),
    ['drama', 'age 6'],
  );
});

test('a range of numbers holds any number of items with the same value', () => {
  // More values than a function call can take as arguments.
  const same = 150_000;
  const { features, offsets } = featureTable({
    itemCount: same + 20,
    itemId: String,
    attribute: (item) => Math.max(0, item - same),
    attributeNames: () => ['price'],
  });
  assert.deepEqual([features[0].value, offsets[same]], [0, same]);
});
