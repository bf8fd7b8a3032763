import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorObject } from 'ajv';
import { type TSchema, Type } from 'typebox';
import { ofLikelyBranches } from './likely-branch.ts';
import { closed, nullable } from './schemas/common.ts';
import { SubmitRecommendationJobBody } from './schemas/jobs.ts';
import { FilterParams } from './schemas/recommend.ts';
import { lazyCheck } from './validation.ts';

function problemsOf(schema: TSchema, value: unknown): string[] {
  const result = lazyCheck(schema)(value);
  assert.ok(result !== true);
  return (result.error.errors ?? []).map(({ pointer, message }) => `${pointer} ${message}`);
}

test('a value of several possible shapes is judged by the one it has the fields of', () => {
  const wrong = (users: unknown) => problemsOf(SubmitRecommendationJobBody, { project_id: 'prj_1', users });
  assert.deepEqual(wrong({ user_ids: [] }), ['/users/user_ids must have at least 1 element']);
  assert.deepEqual(wrong({ user_ids: ['u1', 5] }), ['/users/user_ids/1 must be a string, not a number']);
  const many = Array.from({ length: 1001 }, (_, n) => `u${n}`);
  assert.deepEqual(wrong({ user_ids: many }), ['/users/user_ids must have at most 1,000 elements']);
  assert.deepEqual(wrong({ all: false }), ['/users/all must be one of true']);
  assert.deepEqual(wrong({ job_id: 'job_1', limit: 5 }), ['/users/limit is not a known field']);
});

test('a value that has to choose between fields, and has none or several, is told the fields', () => {
  const wrong = (users: unknown) => problemsOf(SubmitRecommendationJobBody, { project_id: 'prj_1', users });
  const oneOf = ['/users must have exactly one of all, user_ids, job_id'];
  for (const users of [{}, { all: true, user_ids: ['u1'] }, { all: false, user_ids: [] }]) {
    assert.deepEqual(wrong(users), oneOf);
  }
  assert.deepEqual(wrong('all'), ['/users must be an object, not a string']);
  assert.deepEqual(wrong(null), ['/users must be an object, not null']);
  assert.deepEqual(wrong([]), ['/users must be an object, not an array']);
});

test('what may be null or an object is judged as the object it is', () => {
  const schema = closed({ limits: nullable(closed({ hours: Type.Integer({ minimum: 1 }), days: Type.Integer() })) });
  assert.deepEqual(problemsOf(schema, { limits: { hours: 0, days: 'two' } }), [
    '/limits/hours must be at least 1',
    '/limits/days must be an integer, not a string',
  ]);
  assert.deepEqual(problemsOf(schema, { limits: 'none' }), ['/limits must be an object or null, not a string']);
});

test('a value of none of its possible types gets all of them, however its shapes are nested', () => {
  const wrong = (value: unknown) => problemsOf(closed({ value: FilterParams }), { value: { a: value } });
  const types = 'must be a string, a number, a boolean';
  assert.deepEqual(wrong(null), [`/value/a ${types} or an array, not null`]);
  assert.deepEqual(wrong({}), [`/value/a ${types} or an array, not an object`]);
  assert.deepEqual(wrong([null]), ['/value/a/0 must be a string, a number or a boolean, not null']);
  assert.deepEqual(wrong('x'.repeat(9000)), ['/value/a must have at most 1,024 characters']);
});

test('each error is looked at as often with many wrong values as with one', () => {
  const looksPerValue = (values: number): number => {
    let looks = 0;
    const errorAt = (keyword: string, value: number, schemaPath: string) => ({
      keyword,
      instancePath: `/value/p${value}`,
      schema: [],
      get schemaPath() {
        looks += 1;
        return schemaPath;
      },
    });
    const errors = Array.from({ length: values }, (_, value) => [
      errorAt('type', value, '#/value/anyOf/0/type'),
      errorAt('maxLength', value, '#/value/anyOf/1/maxLength'),
      errorAt('anyOf', value, '#/value/anyOf'),
    ]);
    const likely = ofLikelyBranches(errors.flat() as unknown as ErrorObject[]);
    assert.deepEqual(new Set(likely.map(({ keyword }) => keyword)), new Set(['maxLength']));
    return looks / values;
  };
  assert.ok(looksPerValue(200) <= looksPerValue(2) + 1);
});
