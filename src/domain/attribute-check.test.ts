import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAttributes, schemaMismatch } from './attribute-check.ts';
import type { Attributes } from './record.ts';

/** Nests arrays this many levels deep. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

test('the computed size is never below that of the JSON', () => {
  const values: unknown[] = [
    '',
    'plain',
    '"\\\u0000\u001f'.repeat(50),
    '😀é'.repeat(50),
    -1.7976931348623157e308,
    true,
    false,
    null,
    [],
    {},
    ['a', null, 12],
    { deep: { deeper: ['x'.repeat(100)] }, '': '' },
    { ['"'.repeat(200)]: { ['😀'.repeat(200)]: 1 } },
  ];
  for (const value of values) {
    const attributes = { value };
    const bound = checkAttributes(attributes);
    assert.ok(Number(bound) >= Buffer.byteLength(JSON.stringify(attributes)), `${JSON.stringify(value)}: ${bound}`);
  }
});

test('values may be nested as deep as a body allows', () => {
  assert.equal(typeof checkAttributes({ a: nested(28) }), 'number');
  assert.equal(checkAttributes({ a: nested(29) }), 'attribute "a" is nested more than 28 levels deep');
});

test('attributes hold ten thousand objects at most, in all of them together', () => {
  const objects = (count: number) => Array.from({ length: count }, () => ({}));
  const check = (first: number, second: number) => checkAttributes({ a: objects(first), b: { c: objects(second) } });
  assert.equal(typeof check(5000, 4999), 'number');
  assert.equal(check(5000, 5000), 'attributes have more than 10,000 objects');
  assert.equal(typeof checkAttributes({ a: Array(20_000).fill(null), b: Array(20_000).fill([]) }), 'number');
});

test('what cannot be stored is named', () => {
  assert.equal(checkAttributes([]), 'attributes must be an object');
  assert.ok(String(checkAttributes({ ['x'.repeat(100_000)]: 1 })).length < 200, 'a long name by its beginning');
  assert.equal(checkAttributes(null), 'attributes must be an object');
  assert.equal(checkAttributes({ a: '\ud800' }), 'attribute "a" has broken Unicode');
  assert.equal(checkAttributes({ a: Number.NaN }), 'attribute "a" is not a finite number');
  assert.equal(checkAttributes(JSON.parse('{"__proto__": 1}')), 'attribute name "__proto__" is not allowed as a name');
  assert.equal(checkAttributes(JSON.parse('{"a": {"__proto__": 1}}')), 'attribute "a" has a field named "__proto__"');
});

test('a value that does not fit its handling is told with what fits', () => {
  const schema = { price: 'NUMERICAL', color: 'CATEGORICAL' } as const;
  const mismatch = (attributes: Attributes) => schemaMismatch(attributes, schema);
  assert.equal(mismatch({ price: 1, color: 'red' }), null);
  assert.equal(mismatch({ price: null, color: null, other: {} }), null);
  assert.equal(mismatch({ color: ['red', 1, true] }), null);
  assert.equal(mismatch({ price: '1' }), 'attribute "price" is NUMERICAL: its value must be a number');
  const categories =
    'attribute "color" is CATEGORICAL: its value must be a string, number, boolean or an array of them';
  assert.equal(mismatch({ color: { name: 'red' } }), categories);
  assert.equal(mismatch({ color: ['red', null] }), categories);
});

test('short names and values are not counted for less than they take', () => {
  for (const value of [null, true, false, 0, '', [], {}]) {
    const attributes = Object.fromEntries([...'abcdefghijklmnopqrstuvwxyz'].map((name) => [name, value]));
    for (const given of [attributes, { deep: attributes }, { list: Object.values(attributes) }]) {
      assert.ok(Number(checkAttributes(given)) >= Buffer.byteLength(JSON.stringify(given)), JSON.stringify(given));
    }
  }
});
