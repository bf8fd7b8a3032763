import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, type FieldError } from '../errors.ts';
import { parseAlgorithmParameters } from './parse-algorithm-parameters.ts';

function errorsOf(given: unknown): readonly FieldError[] {
  try {
    parseAlgorithmParameters(given);
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'INVALID_ALGORITHM_PARAMETER');
    assert.equal(error.message, error.errors?.map(({ message }) => message).join(' '));
    return error.errors ?? [];
  }
  return [];
}
const messageOf = (given: object) => errorsOf(given).map(({ message }) => message);

test('"auto" is the same as left out, also for a group', () => {
  const given = { horizon: 'auto', walk: 'auto', local_ridge: { lambda: 'auto', rho: 1 }, half_life_days: 'auto' };
  assert.deepEqual(parseAlgorithmParameters(given), { local_ridge: { rho: 1 } });
  assert.deepEqual(parseAlgorithmParameters('auto'), {});
  assert.deepEqual(parseAlgorithmParameters(undefined), {});
});

test('null is allowed where a half-life may be none, and nowhere else', () => {
  assert.deepEqual(parseAlgorithmParameters({ half_life_days: null }), { half_life_days: null });
  assert.deepEqual(messageOf({ half_life_days: 0 }), [
    'algorithm_parameters.half_life_days must be a number from 0.01 to 36500, null or "auto".',
  ]);
  assert.deepEqual(messageOf({ history_cap: null, local_ridge: { lambda: null } }), [
    'algorithm_parameters.local_ridge.lambda must be a number from 0.001 to 1000 or "auto".',
    'algorithm_parameters.history_cap must be an integer from 1 to 2000 or "auto".',
  ]);
});

test('each kind of parameter says what it allows', () => {
  const allowed: readonly [given: object, message: RegExp][] = [
    [{ history_cap: 1.5 }, /must be an integer from 1 to 2000 or "auto"\.$/],
    [{ seed: '1' }, /must be an integer from 0 to 4294967295 or "auto"\.$/],
    [{ horizon: 'soon' }, /must be one of "arriving", "browsing", "later" or "auto"\.$/],
    [{ horizon: ['later'] }, /must be one of/],
    [{ experts: [] }, /must be a list of distinct values from "local_ridge", .* or "auto"\.$/],
    [{ experts: ['walk', 'walk'] }, /distinct values/],
    [{ experts: ['walk', 'magic'] }, /distinct values/],
    [{ event_type_weights: { view: 2 } }, /must be an object of at most 100 numbers from 0 to 1, with names/],
    [{ event_type_weights: { '': 1 } }, /with names of 1 to 256 characters, or "auto"\.$/],
    [{ event_type_weights: [] }, /must be an object of at most 100 numbers/],
    [{ walk: { rho: '0.4' } }, /must be a number from 0 to 3 or "auto"\.$/],
    [{ walk: { rho: [1] } }, /must be a number from 0 to 3/],
    [{ half_life_days: true }, /must be a number from 0\.01/],
    [{ event_type_weights: { view: 1, click: 2 } }, /must be an object of at most 100 numbers/],
    [{ event_type_weights: { view: '1' } }, /must be an object of at most 100 numbers/],
    [{ walk: 3 }, /algorithm_parameters\.walk must be an object or "auto"\.$/],
  ];
  for (const [given, message] of allowed) {
    const messages = messageOf(given);
    assert.equal(messages.length, 1, JSON.stringify(given));
    assert.match(messages[0], message);
  }
  assert.equal(messageOf({ event_type_weights: named(100) }).length, 0);
  assert.equal(messageOf({ event_type_weights: named(101) }).length, 1);
});

const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`type ${n}`, 1]));

test('all mistakes are told at once, with their places', () => {
  const errors = errorsOf({ 'a/b~c': 1, walk: { speed: 1 }, seed: -1 });
  assert.deepEqual(
    errors.map(({ pointer }) => pointer),
    ['/algorithm_parameters/a~1b~0c', '/algorithm_parameters/walk/speed', '/algorithm_parameters/seed'],
  );
  assert.match(errors[1].message, /^algorithm_parameters\.walk has no parameter "speed"; allowed are gamma, beta/);
});
