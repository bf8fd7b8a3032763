import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseUnusable } from './unusable-value.ts';

const refusal = (body: string) => {
  const error = refuseUnusable(JSON.parse(body));
  return error && [error.message, error.errors!.map(({ pointer }) => pointer)];
};

test('a number too large for a double and the name __proto__ are refused wherever they are', () => {
  const range = 'must be a number from -1.8e308 to 1.8e308.';
  assert.deepEqual(refusal('{"context": {"device": 1e400}}'), [`context/device ${range}`, ['/context/device']]);
  assert.deepEqual(refusal('{"a": [1, {"b/c": [-1e999]}]}'), [`a/1/b~1c/0 ${range}`, ['/a/1/b~1c/0']]);
  assert.deepEqual(refusal('{"a": {"__proto__": 1}}'), ['a/__proto__ is not allowed as a name.', ['/a/__proto__']]);
});

test('anything else is left to validation', () => {
  for (const body of ['{"a": [1e308, null, "__proto__", {"b": -5e-324}], "constructor": 1}', 'null', '7', '[]', '{}']) {
    assert.equal(refusal(body), null, body);
  }
});
