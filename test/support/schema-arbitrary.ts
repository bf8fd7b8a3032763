// Values for a JSON Schema as Kindred's OpenAPI description writes them, without references: mostly valid ones, spiced with edge and broken ones.
import { fc } from './fast-check.ts';

export interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
}

/** What strings meet in the wild: empty, long, control characters, lone surrogates, other scripts, prototype names. */
const STRANGE_STRINGS = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '__proto__',
    'constructor',
    'null',
    '../..',
    "'; DROP TABLE event;--",
    '\u202e',
    '💥',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer({ min: 250, max: 300 }).map((length) => 'x'.repeat(length)),
);
const STRANGE_NUMBERS = fc.constantFrom(0, -0, -1, 0.5, 1e308, -1e308, 2 ** 53, 8.64e15 + 1, 5e-324);
const STRANGE = fc.oneof(
  STRANGE_STRINGS,
  STRANGE_NUMBERS,
  fc.constantFrom(null, true, [], {}, [[]], { __proto__: null }),
  fc.jsonValue({ maxDepth: 3 }),
);

export interface SchemaValues {
  /** Values for a property by its name that lead into the service, e.g. ids that exist. */
  known(property: string): readonly unknown[];
  /** One in this many values is invalid; 0 = none. */
  brokenOneIn: number;
}

export function valuesFor(schema: JsonSchema, context: SchemaValues, property = '', depth = 0): fc.Arbitrary<unknown> {
  const known = context.known(property);
  const plain = known.length > 0 ? fc.constantFrom(...known) : plainValue(schema, context, property, depth);
  return context.brokenOneIn === 0
    ? plain
    : fc.oneof({ arbitrary: plain, weight: context.brokenOneIn - 1 }, { arbitrary: STRANGE, weight: 1 });
}

function plainValue(schema: JsonSchema, context: SchemaValues, property: string, depth: number): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valuesFor(choice, context, property, depth)));
  if (depth > 4) return fc.constant(null);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return fc.oneof(...types.map((type) => ofType(type, schema, context, depth)));
}

function ofType(
  type: string | undefined,
  schema: JsonSchema,
  context: SchemaValues,
  depth: number,
): fc.Arbitrary<unknown> {
  const low = schema.minimum ?? 0;
  switch (type) {
    case 'string':
      return fc.string({
        minLength: schema.minLength ?? 0,
        maxLength: Math.min(schema.maxLength ?? 24, 24 + (schema.minLength ?? 0)),
      });
    case 'integer':
      return fc
        .maxSafeInteger()
        .map((n) => low + (Math.abs(n) % (Math.min(schema.maximum ?? 1000, low + 5000) - low + 1)));
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true, min: schema.minimum, max: schema.maximum });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesFor(schema.items ?? {}, context, '', depth + 1), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, Math.max(4, schema.minItems ?? 0)),
      });
    case 'object':
      return objectOf(schema, context, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf(schema: JsonSchema, context: SchemaValues, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return mapOf(schema, context, depth);
  const shape = Object.fromEntries(
    properties.map(([name, property]) => [name, valuesFor(property, context, name, depth + 1)]),
  );
  const record = fc.record(shape, { requiredKeys: schema.required ?? [] });
  return context.brokenOneIn === 0
    ? record
    : fc.oneof(
        { arbitrary: record, weight: 8 },
        { arbitrary: fc.record(shape, { requiredKeys: [] }), weight: 1 },
        { arbitrary: record.map((value) => ({ ...(value as object), surprise: 1 })), weight: 1 },
      );
}

/** An object with names of the client's own. */
function mapOf(schema: JsonSchema, context: SchemaValues, depth: number): fc.Arbitrary<unknown> {
  const others = schema.additionalProperties;
  const values = typeof others === 'object' ? valuesFor(others, context, '', depth + 1) : fc.jsonValue({ maxDepth: 1 });
  const plain = fc.string({ minLength: schema.propertyNames?.minLength ?? 0, maxLength: 8 });
  const names = context.brokenOneIn === 0 ? plain : fc.oneof({ arbitrary: plain, weight: 8 }, STRANGE_STRINGS);
  return fc.dictionary(names, values, { maxKeys: 3 });
}
