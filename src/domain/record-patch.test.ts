import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { MAX_ENTITY_BYTES } from './record-batch.ts';
import { patchAttributes, readPatches } from './record-patch.ts';

const read = (...patches: unknown[]) => readPatches(patches, 'item_id', { price: 'NUMERICAL' });
const failureOf = (patch: unknown) => {
  const { records, failures } = read(patch);
  assert.deepEqual(records, []);
  return failures[0].message;
};

test('a patch is one object of new values, null for what is removed', () => {
  const { records } = read({ item_id: 'a', set: { price: 2, size: null }, unset: ['sale'] });
  assert.deepEqual(records, [{ id: 'a', attributes: { sale: null, price: 2, size: null } }]);
});

test('patches of one id are joined in their order, and fail together', () => {
  const joined = read(
    { item_id: 'a', set: { price: 1, stock: 5 } },
    { item_id: 'b', set: { price: 3 } },
    { item_id: 'a', set: { price: 2 }, unset: ['stock'] },
  );
  assert.deepEqual(joined.records, [
    { id: 'b', attributes: { price: 3 } },
    { id: 'a', attributes: { price: 2, stock: null } },
  ]);
  const failed = read({ item_id: 'a', set: { price: 'free' } }, { item_id: 'a', set: { stock: 1 } });
  assert.deepEqual(failed.records, []);
  assert.equal(failed.failures[0].code, 'ATTRIBUTE_TYPE_MISMATCH');
  const second = read({ item_id: 'a', unset: ['x'] }, { item_id: 'a' }, { item_id: 'a', set: { stock: 1 } });
  assert.deepEqual(
    second.failures.map(({ index, id, message }) => [index, id, message]),
    [[1, 'a', 'set and unset are missing; send at least one of them.']],
  );
});

test('what a patch must not be is refused in words', () => {
  assert.match(failureOf(null), /must be an object/);
  assert.match(failureOf({ item_id: '', set: {} }), /item_id is empty/);
  assert.match(failureOf({ item_id: 'a' }), /set and unset are missing/);
  assert.match(failureOf({ item_id: 'a', attributes: {} }), /unknown field "attributes"/);
  assert.match(failureOf({ item_id: 'a', set: ['x'] }), /set must be an object/);
  assert.match(failureOf({ item_id: 'a', unset: 'x' }), /unset must be an array/);
  assert.match(failureOf({ item_id: 'a', unset: [1] }), /unset must be an array/);
  assert.match(failureOf({ item_id: 'a', unset: ['\n'] }), /control characters/);
  assert.match(failureOf({ item_id: 'a', set: { x: 1 }, unset: ['x'] }), /both set and unset/);
  const long = 'x'.repeat(200);
  assert.ok(failureOf({ item_id: 'a', set: { [long]: 1 }, unset: [long] }).length < 200);
  assert.match(failureOf(JSON.parse('{"item_id":"a","set":{"__proto__":{"x":1}}}')), /__proto__/);
  assert.match(failureOf({ item_id: 'a', unset: ['__proto__'] }), /__proto__/);
});

test('patching is the same as setting and deleting one by one', () => {
  const attributes = fc.dictionary(
    fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
    fc.oneof(fc.string(), fc.integer(), fc.array(fc.string())),
  );
  fc.assert(
    fc.property(attributes, attributes, fc.array(fc.string()), (before, set, unset) => {
      const expected = { ...before, ...set };
      const changes: Record<string, unknown> = { ...set };
      for (const name of unset.filter((name) => name !== '__proto__' && !Object.hasOwn(set, name))) {
        delete expected[name];
        changes[name] = null;
      }
      const patched = patchAttributes('a', JSON.stringify(before), JSON.stringify(changes));
      assert.deepEqual(JSON.parse(patched!), expected);
    }),
  );
});

test('a record may grow to the limit and not beyond', () => {
  const frame = Buffer.byteLength('{"item_id":"a","attributes":{"text":"","n":1}}');
  const longest = 'x'.repeat(MAX_ENTITY_BYTES - frame);
  const grow = (text: string) => patchAttributes('a', JSON.stringify({ text }), '{"n":1}');
  assert.equal(grow(longest), JSON.stringify({ text: longest, n: 1 }));
  assert.equal(grow(`${longest}x`), null);
  const objects = (count: number) => JSON.stringify({ [`of ${count}`]: Array.from({ length: count }, () => ({})) });
  assert.notEqual(patchAttributes('a', objects(4000), objects(6000)), null);
  assert.equal(patchAttributes('a', objects(4000), objects(6001)), null);
});

test('a patch is too large exactly from a byte over the limit of a record', () => {
  const text = 'x'.repeat(MAX_ENTITY_BYTES - '{"text":""}'.length);
  assert.deepEqual(read({ item_id: 'a', set: { text } }).failures, []);
  assert.equal(read({ item_id: 'a', set: { text: `${text}x` } }).failures[0].code, 'RECORD_TOO_LARGE');
});

test('a record counts in bytes of UTF-8, its id included', () => {
  const frame = Buffer.byteLength('{"item_id":"","attributes":{"text":"","n":1}}');
  for (const [id, unit] of [
    ['é'.repeat(100), '漢'],
    ['"'.repeat(100), '\n'],
  ]) {
    const perUnit = Buffer.byteLength(JSON.stringify(unit)) - 2;
    const free = MAX_ENTITY_BYTES - frame - 200;
    const longest = unit.repeat(Math.floor(free / perUnit)) + 'x'.repeat(free % perUnit);
    assert.notEqual(patchAttributes(id, JSON.stringify({ text: longest }), '{"n":1}'), null);
    assert.equal(patchAttributes(id, JSON.stringify({ text: `${longest}x` }), '{"n":1}'), null);
  }
});
