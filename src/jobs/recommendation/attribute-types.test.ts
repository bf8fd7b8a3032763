import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attributes, EntityRecord } from '../../domain/record.ts';
import { attributeTypes } from './attribute-types.ts';

function itemsWith(...batches: Attributes[][]) {
  return {
    async *scan() {
      for (const batch of batches) yield batch.map((attributes, n): EntityRecord => ({ id: `i${n}`, attributes }));
    },
  } as unknown as Parameters<typeof attributeTypes>[0];
}

test('an attribute has the type of all its values', async () => {
  const items = itemsWith([{ color: 'red', price: 3 }, { isNew: true }], [{ color: null, price: 4, tags: ['a'] }]);
  const names = ['color', 'price', 'isNew', 'tags', 'absent'];
  assert.deepEqual(await attributeTypes(items, 'items', names), {
    color: 'text',
    price: 'number',
    isNew: 'boolean',
    tags: 'json',
  });
});

test('values of two types are JSON, whatever comes after them', async () => {
  const mixed = itemsWith([{ size: 40 }, { size: 'L' }, { size: 42 }]);
  assert.deepEqual(await attributeTypes(mixed, 'items', ['size']), { size: 'json' });
});

test('what every object has is no attribute, and without names nothing is read', async () => {
  assert.deepEqual(await attributeTypes(itemsWith([{}]), 'items', ['toString', 'constructor']), {});
  const unread = { scan: () => assert.fail('read') } as unknown as Parameters<typeof attributeTypes>[0];
  assert.deepEqual(await attributeTypes(unread, 'items', []), {});
});
