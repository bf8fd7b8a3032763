import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttributeKinds, MAX_NAMES } from './attribute-kinds.ts';

test('declared attributes do not count towards the most that are counted', () => {
  const names = Array.from({ length: MAX_NAMES }, (_, n) => `declared${n}`);
  const kinds = new AttributeKinds(Object.fromEntries(names.map((name) => [name, 'CATEGORICAL' as const])));
  kinds.add('i0', Object.fromEntries(names.map((name) => [name, 'x'])));
  for (let n = 0; n < 10; n++) kinds.add(`i${n}`, { stock: n === 0 ? '5,5' : n });
  assert.deepEqual(
    kinds.mixed().map(({ name, texts }) => [name, texts]),
    [['stock', 1]],
  );
});
