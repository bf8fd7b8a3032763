import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typed } from './typed-value.ts';

const having = (...values: (string | number | boolean)[]) => ({
  top_values: values.map((value) => ({ value, count: 1 })),
});

test('typed text becomes a value of the type the data has', () => {
  assert.equal(typed('1995', having(1994)), 1995);
  assert.equal(typed('1995', having('1994')), '1995');
  assert.equal(typed('', having('a')), undefined);
});

test('only true and false are values of an attribute that is true or false', () => {
  const values = ['true', 'True', 'false', 'yes', '1'].map((text) => typed(text, having(false)));
  assert.deepEqual(values, [true, true, false, undefined, undefined]);
});
