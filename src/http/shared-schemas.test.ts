import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { nullable } from './schemas/common.ts';
import { named, openAs } from './schemas/named.ts';
import { type JsonObject, shareSchemas, withoutRefs } from './shared-schemas.ts';

const Inner = openAs('Inner', { a: Type.Optional(Type.String()) });
const Outer = named('Outer', Type.Object({ inner: nullable(Inner) }, { description: 'An outer one.' }));
const INNER = { type: 'object', properties: { a: { type: 'string' } } };

const operation = (response: object, request?: object) =>
  JSON.parse(JSON.stringify({ responses: { 200: response }, requestBody: request })) as JsonObject;

test('named schemas are written once and referred to, with the description of the place if it is another one', () => {
  const operations = [operation(Outer), operation({ ...Outer, description: 'Here.' })];
  assert.deepEqual(shareSchemas(operations), {
    Inner: INNER,
    Outer: {
      description: 'An outer one.',
      type: 'object',
      required: ['inner'],
      properties: { inner: { anyOf: [{ $ref: '#/components/schemas/Inner' }, { type: 'null' }] } },
    },
  });
  assert.deepEqual(
    operations.map(({ responses }) => (responses as JsonObject)[200]),
    [{ $ref: '#/components/schemas/Outer' }, { $ref: '#/components/schemas/Outer', description: 'Here.' }],
  );
});

test('a request whose schema differs from the one in responses has a name of its own', () => {
  const asRequest = { ...Inner, properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
  assert.deepEqual(Object.keys(shareSchemas([operation({}, asRequest), operation(Inner)])), ['Inner', 'InnerInput']);
  assert.deepEqual(Object.keys(shareSchemas([operation({}, asRequest)])), ['Inner']);
});

test('two different schemas cannot have one name', () => {
  const other = openAs('Inner', { b: Type.String() });
  const third = openAs('Inner', { c: Type.String() });
  const refusal = /Two different schemas have the name Inner/;
  assert.throws(() => shareSchemas([operation(Inner), operation(other)]), refusal);
  assert.throws(() => shareSchemas([operation({}, Inner), operation({}, other)]), refusal);
  assert.throws(() => shareSchemas([operation(Inner, other), operation(Inner, third)]), refusal);
});

test('a document without references has everything in place', () => {
  const schemas = { Inner: INNER, Outer: { properties: { inner: { $ref: '#/components/schemas/Inner' } } } };
  const used = { $ref: '#/components/schemas/Outer', description: 'Here.' };
  const { paths } = withoutRefs<JsonObject>({ paths: [used], components: { schemas } });
  assert.deepEqual(paths, [{ properties: { inner: INNER }, description: 'Here.' }]);
});
