import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce } from '../base/steps.ts';
import type { AttributeSchema } from './dataset.ts';
import type { Attributes } from './record.ts';
import { readUsers } from './segment-users.ts';

const read = (identified: [user_id: string, traits: Attributes][], schema: AttributeSchema | null = null) =>
  atOnce(
    readUsers(
      identified.map(([user_id, traits], message) => ({ message, user_id, traits })),
      schema,
    ),
  );

test('traits of several messages of a user are put together, the newest value of each', () => {
  const { records, messages, failures } = read([
    ['u1', { plan: 'free', age: 31 }],
    ['u2', { plan: 'free' }],
    ['u1', { plan: 'pro' }],
  ]);
  assert.deepEqual(records, [
    { id: 'u1', attributes: { plan: 'pro', age: 31 } },
    { id: 'u2', attributes: { plan: 'free' } },
  ]);
  assert.deepEqual([messages, failures], [[2, 1], []]);
});

test('a trait that is not allowed is left out and reported with its message, and an earlier valid value remains', () => {
  const tooLarge = 'x'.repeat(1024 ** 2);
  const { records, failures } = read(
    [
      ['u1', { age: 31, plan: 'free' }],
      ['u1', { plan: 'pro', age: 'old', '': 1, text: 'broken \ud800', tooLarge }],
      ['u2', { age: '40' }],
    ],
    { age: 'NUMERICAL' },
  );
  assert.deepEqual(records, [{ id: 'u1', attributes: { age: 31, plan: 'pro' } }]);
  assert.deepEqual(
    failures.map(({ index, code }) => [index, code]),
    [
      [1, 'ATTRIBUTE_TYPE_MISMATCH'],
      [1, 'INVALID_RECORD'],
      [1, 'INVALID_RECORD'],
      [1, 'RECORD_TOO_LARGE'],
      [2, 'ATTRIBUTE_TYPE_MISMATCH'],
    ],
  );
  assert.match(failures[0].message, /"age" is NUMERICAL/);
});

test('an object or a list with one is reported, whether the schema knows the trait or not, and alone it changes no user', () => {
  const { records, failures } = read(
    [
      ['u1', { plan: { a: 1 }, mixed: ['a', { b: 1 }], age: 7 }],
      ['u2', { company: { name: 'Acme' } }],
    ],
    { plan: 'CATEGORICAL' },
  );
  assert.deepEqual(records, [{ id: 'u1', attributes: { age: 7 } }]);
  const mustBe = 'its value must be a string, number, boolean or an array of them.';
  assert.deepEqual(
    failures.map(({ index, code, message }) => [index, code, message]),
    [
      [0, 'ATTRIBUTE_TYPE_MISMATCH', `attribute "plan" is CATEGORICAL: ${mustBe}`],
      [0, 'ATTRIBUTE_TYPE_MISMATCH', `attribute "mixed" cannot be stored: ${mustBe}`],
      [1, 'ATTRIBUTE_TYPE_MISMATCH', `attribute "company" cannot be stored: ${mustBe}`],
    ],
  );
});
