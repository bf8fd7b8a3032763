import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { AppError } from '../errors.ts';
import { EXPERT_NAMES, G1_PARAMETERS } from './algorithm-parameters.ts';
import { algorithmParametersSchema } from './algorithm-parameters-schema.ts';
import { parseAlgorithmParameters } from './parse-algorithm-parameters.ts';

function refusal(given: unknown): AppError {
  try {
    parseAlgorithmParameters(given);
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error;
  }
  throw new Error(`accepted: ${JSON.stringify(given)}`);
}

test('an empty object leaves everything to auto', () => {
  assert.deepEqual(parseAlgorithmParameters({}), {});
  assert.deepEqual(parseAlgorithmParameters(undefined), {});
  assert.deepEqual(parseAlgorithmParameters({ seed: 'auto', walk: 'auto', low_rank: { factors: 'auto' } }), {
    low_rank: {},
  });
});

test('given values are kept as they are', () => {
  const given = {
    experts: ['walk', 'popularity'],
    walk: { rho: 0.4 },
    popularity: { half_life_days: null },
    event_type_weights: { view: 0.3 },
    seed: 0,
    repeats: 'recommend',
    time_budget_seconds: 12.5,
  };
  assert.deepEqual(parseAlgorithmParameters(given), given);
});

test('every wrong place is named with what is allowed there', () => {
  const error = refusal({
    expert: ['walk'],
    experts: ['walk', 'walk'],
    walk: { rho: -1, 'a/b': 1 },
    local_ridge: 5,
    history_cap: null,
    seed: '5',
    repeats: 'maybe',
    event_type_weights: { view: 'high' },
    low_rank: { factors: Number.NaN },
  });
  assert.equal(error.code, 'INVALID_ALGORITHM_PARAMETER');
  assert.deepEqual(error.errors?.map((entry) => entry.pointer.slice('/algorithm_parameters'.length)).sort(), [
    '/event_type_weights',
    '/expert',
    '/experts',
    '/history_cap',
    '/local_ridge',
    '/low_rank/factors',
    '/repeats',
    '/seed',
    '/walk/a~1b',
    '/walk/rho',
  ]);
  assert.match(error.message, /no parameter "expert"; allowed are experts, local_ridge,/);
  assert.match(error.message, /algorithm_parameters\.walk\.rho must be a number from 0 to 3 or "auto"\./);
  assert.match(error.message, /repeats must be one of "recommend", "exclude" or "auto"/);
});

test('names in a map are like ids: not empty, not long, without control characters', () => {
  for (const name of ['', 'k'.repeat(257), 'a\nb']) {
    assert.equal(refusal({ event_type_weights: { [name]: 1 } }).code, 'INVALID_ALGORITHM_PARAMETER');
  }
  assert.equal(refusal({ event_type_weights: { view: 1, '': 1 } }).code, 'INVALID_ALGORITHM_PARAMETER');
  const long = refusal({ ['x'.repeat(10_000)]: 1 });
  assert.ok(long.message.length < 1000 && long.errors![0].pointer.length < 200);
});

test('whatever is sent is read or refused, never anything else', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...Object.keys(G1_PARAMETERS)), fc.anything())),
      (given) => {
        try {
          parseAlgorithmParameters(given);
        } catch (error) {
          assert.ok(error instanceof AppError && error.code === 'INVALID_ALGORITHM_PARAMETER', String(error));
        }
      },
    ),
  );
});

test('the schema lists every parameter with a description', () => {
  const schema = algorithmParametersSchema() as { properties: Record<string, { description: string }> };
  assert.deepEqual(Object.keys(schema.properties), Object.keys(G1_PARAMETERS));
  for (const [name, property] of Object.entries(schema.properties)) assert.ok(property.description.endsWith('.'), name);
});

test('the schema allows what the parser allows', () => {
  const [number, map] = [
    { type: 'number', minimum: 0, maximum: 2 },
    { type: 'number', minimum: 0, maximum: 1 },
  ];
  // biome-ignore lint/suspicious/noExplicitAny: a schema of any depth
  const properties = (algorithmParametersSchema() as any).properties;
  const auto = { const: 'auto' };
  assert.deepEqual(properties.walk.anyOf[0].properties.beta.anyOf, [number, auto]);
  assert.deepEqual([properties.walk.anyOf[1], properties.walk.default], [auto, {}]);
  assert.deepEqual([properties.walk.anyOf[0].type, properties.walk.anyOf[0].additionalProperties], ['object', false]);
  assert.deepEqual(properties.event_type_weights.anyOf, [{ type: 'object', additionalProperties: map }, auto]);
  assert.deepEqual(properties.half_life_days.anyOf.slice(1), [{ type: 'null' }, auto]);
  assert.deepEqual([properties.repeats.type, properties.repeats.enum], ['string', ['recommend', 'exclude', 'auto']]);
  assert.deepEqual(properties.seed.anyOf[0], { type: 'integer', minimum: 0, maximum: 4_294_967_295 });
  const experts = { type: 'string', enum: [...EXPERT_NAMES] };
  assert.deepEqual(properties.experts.anyOf, [{ type: 'array', items: experts, minItems: 1, uniqueItems: true }, auto]);
  for (const name of ['experts', 'event_type_weights', 'seed', 'repeats'])
    assert.equal(properties[name].default, 'auto');
});
