import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { closed, nullable } from './schemas/common.ts';
import { lazyCheck } from './validation.ts';

const schema = closed({
  name: Type.String(),
  defaults: Type.Optional(nullable(closed({ limit: Type.Optional(Type.Integer()) }))),
  events: Type.Optional(Type.Array(closed({ event_type: Type.String() }))),
  users: Type.Optional(Type.Union([closed({ all: Type.Boolean() }), closed({ user_ids: Type.Array(Type.String()) })])),
});
const check = lazyCheck(schema);

function refusal(value: object) {
  const result = check({ name: 'n', ...value });
  assert.ok(result !== true);
  const { code, message, errors } = result.error;
  return { code, message, pointers: errors!.map(({ pointer }) => pointer) };
}

test('an unknown field is named with the nearest known one, at every depth', () => {
  assert.deepEqual(refusal({ nam: 1 }), {
    code: 'UNKNOWN_FIELD',
    message: 'Unknown field "nam". Did you mean "name"?',
    pointers: ['/nam'],
  });
  assert.deepEqual(refusal({ defaults: { limt: 5 } }), {
    code: 'UNKNOWN_FIELD',
    message: 'Unknown field "limt" in defaults. Did you mean "limit"?',
    pointers: ['/defaults/limt'],
  });
  const { message } = refusal({ defaults: { color: 5 } });
  assert.equal(message, 'Unknown field "color" in defaults. Known fields: limit.');
  const wrong = { evnt_type: 'view' };
  const expected = {
    code: 'UNKNOWN_FIELD',
    message: 'Unknown field "evnt_type" in events/0. Did you mean "event_type"?',
  };
  assert.deepEqual(refusal({ events: [wrong] }), {
    ...expected,
    pointers: ['/events/0/event_type', '/events/0/evnt_type'],
  });
  // A large body is checked up to its first error only.
  const many = Array.from({ length: 300 }, () => ({ event_type: 'view' }));
  const inMany = refusal({ events: [{ event_type: 'view', ...wrong }, ...many] });
  assert.deepEqual(inMany, { ...expected, pointers: ['/events/0/evnt_type'] });
});

test('the unknown field of the request itself comes first', () => {
  assert.equal(refusal({ defaults: { limt: 5 }, nam: 1 }).message, 'Unknown field "nam". Did you mean "name"?');
});

test('a field of another shape of the value is a known one', () => {
  assert.equal(refusal({ users: { al: true } }).message, 'Unknown field "al" in users. Did you mean "all"?');
  assert.equal(refusal({ users: { all: true, user_ids: ['u1'] } }).code, 'INVALID_REQUEST');
});

test('a number that is too large for a double is refused, where any other number is taken', () => {
  const numbers = lazyCheck(closed({ value: Type.Union([Type.String(), Type.Number()]), weight: Type.Number() }));
  assert.equal(numbers(JSON.parse('{ "value": 1e308, "weight": 1 }')), true);
  for (const body of ['{ "value": 1e999, "weight": 1 }', '{ "value": 1, "weight": -1e999 }']) {
    const result = numbers(JSON.parse(body));
    assert.ok(result !== true);
    assert.match(result.error.message, /must be a (string or a )?number, not -?Infinity\.$/);
  }
});
