import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../errors.ts';
import { checkClusteringParameters, checkQueries } from './check-insight-request.ts';

const condition = { attribute: 'genre', value: 'Drama', lower_bound: 0.1, upper_bound: 0.5 };

function refusal(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof AppError);
    const isUnknown = error.errors!.some(({ message }) => message === 'is not a known field');
    assert.equal(error.code, isUnknown ? 'UNKNOWN_FIELD' : 'INVALID_REQUEST');
    return error.errors!.map(({ pointer, message }) => `${pointer} ${message}`);
  }
  assert.fail('was accepted');
}

test('queries come back with their defaults', () => {
  assert.deepEqual(checkQueries('user_distribution', [{ attribute: 'year', value: 1999 }]), {
    query_type: 'user_distribution',
    queries: [{ attribute: 'year', value: 1999, bins: 20 }],
  });
  assert.deepEqual(checkQueries('user_list', [{ conditions: [{ attribute: 'new', value: false, upper_bound: 1 }] }]), {
    query_type: 'user_list',
    queries: [{ conditions: [{ attribute: 'new', value: false, lower_bound: null, upper_bound: 1 }] }],
  });
});

const list = (change: object) => () => checkQueries('user_list', [{ conditions: [{ ...condition, ...change }] }]);
const distribution = (change: object) => () =>
  checkQueries('user_distribution', [{ attribute: 'genre', value: 'Drama', ...change }]);

for (const [what, run, expected] of [
  ['bounds the wrong way round', list({ lower_bound: 0.6 }), /conditions\/0\/lower_bound must not be above/],
  ['a bound that is not a number', list({ lower_bound: Number.NaN }), /lower_bound must be a number from 0 to 1/],
  ['an endless bound', list({ upper_bound: Number.POSITIVE_INFINITY }), /upper_bound must be a number from 0 to 1/],
  ['a bound in percent', list({ lower_bound: 30, upper_bound: null }), /lower_bound must be .* 0\.3 means 30%/],
  ['a bound below 0', list({ lower_bound: -0.1 }), /lower_bound must be a number from 0 to 1/],
  ['a bound as text', list({ upper_bound: '0.5' }), /upper_bound must be a number from 0 to 1/],
  ['a value that is an array', list({ value: ['a'] }), /value must be a string, a finite number or a boolean/],
  ['a value that is null', list({ value: null }), /value must be a string, a finite number or a boolean/],
  ['a missing value', list({ value: undefined }), /value is required/],
  ['an empty attribute', list({ attribute: '' }), /attribute must be a string/],
  ['an unknown field', list({ min: 3 }), /queries\/0\/conditions\/0\/min is not a known field/],
  ['no conditions', () => checkQueries('user_list', [{ conditions: [] }]), /conditions must have at least 1/],
  ['conditions left out', () => checkQueries('user_list', [{}]), /conditions is required/],
  ['a query that is no object', () => checkQueries('user_list', [null]), /queries\/0 must be an object/],
  ['a distribution query in a list', () => checkQueries('user_list', [{ attribute: 'a' }]), /attribute is not a known/],
  ['no queries', () => checkQueries('user_list', []), /queries must have at least 1/],
  ['too many queries', () => checkQueries('user_list', Array(101).fill({})), /queries must have at most 100/],
  ['negative bins', distribution({ bins: -1 }), /bins must be an integer from 1 to 1000/],
  ['no bins at all', distribution({ bins: 0 }), /bins must be an integer/],
  ['too many bins', distribution({ bins: 1001 }), /bins must be an integer from 1 to 1000/],
  ['half a bin', distribution({ bins: 2.5 }), /bins must be an integer/],
  ['bins as text', distribution({ bins: '20' }), /bins must be an integer/],
  ['bins that are null', distribution({ bins: null }), /bins must be an integer/],
  ['groups of no users', () => checkClusteringParameters({ min_user_num: 0 }), /parameters\/min_user_num must be/],
  ['a group size as text', () => checkClusteringParameters({ min_user_num: '5' }), /min_user_num must be an integer/],
  ['no groups', () => checkClusteringParameters({ num_clusters: 0 }), /num_clusters must be an integer from 1/],
  ['too many groups', () => checkClusteringParameters({ num_clusters: 501 }), /num_clusters must be an integer/],
  ['an unknown parameter', () => checkClusteringParameters({ k: 3 }), /parameters\/k is not a known field/],
] as const) {
  test(`${what} is refused with its place`, () => {
    assert.match(refusal(run)[0], expected);
  });
}

test('every wrong field is named, at most twenty', () => {
  const broken = { attribute: 1, value: {}, lower_bound: 'x', upper_bound: 'y' };
  assert.equal(refusal(() => checkQueries('user_list', [{ conditions: [broken] }])).length, 4);
  assert.equal(refusal(() => checkQueries('user_list', [{ conditions: Array(50).fill(broken) }])).length, 20);
});

test('an unknown field comes with the nearest known one', () => {
  const bound = {
    code: 'UNKNOWN_FIELD',
    message: 'Unknown field "lower_bond" in queries/0/conditions/0. Did you mean "lower_bound"?',
  };
  assert.throws(list({ lower_bond: 0.2 }), bound);
  assert.throws(() => checkClusteringParameters({ min_user_nun: 3 }), {
    code: 'UNKNOWN_FIELD',
    message: 'Unknown field "min_user_nun" in parameters. Did you mean "min_user_num"?',
  });
});

test('clustering parameters have defaults', () => {
  assert.deepEqual(checkClusteringParameters({}), { min_user_num: 1, num_clusters: null, seed: 1 });
  assert.deepEqual(checkClusteringParameters({ min_user_num: 50, num_clusters: 4, seed: 9 }), {
    min_user_num: 50,
    num_clusters: 4,
    seed: 9,
  });
});
