// Calls read from the service's OpenAPI document, and values their schemas do not allow.
import { withoutRefs } from '../../src/http/shared-schemas.ts';

export type Json = Record<string, unknown>;

export interface Operation {
  method: string;
  path: string;
  /** The body's or query's schema and a request that would be well-formed. */
  fields: Record<string, Json>;
  required: string[];
  valid: Json;
}

/** The authenticated calls of an OpenAPI document; `own` replaces ids of its examples. */
// biome-ignore lint/suspicious/noExplicitAny: a JSON document looked into freely.
export function readOperations(document: any, own: Record<string, string>): Operation[] {
  return Object.entries<Json>(withoutRefs(document).paths).flatMap(([path, methods]) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    Object.entries<any>(methods)
      .filter(([, operation]) => operation.security.some((way: Json) => 'token' in way))
      .map(([method, operation]) => {
        const body = operation.requestBody?.content['application/json'];
        const query = (operation.parameters ?? []).filter((one: Json) => one.in === 'query');
        const shown = body?.schema.properties ?? Object.fromEntries(query.map((one: Json) => [one.name, one.schema]));
        const fields = Object.fromEntries(Object.entries<Json>(shown).filter(([, { readOnly }]) => !readOnly));
        const example =
          body?.example ??
          Object.fromEntries(query.filter((one: Json) => 'example' in one).map((one: Json) => [one.name, one.example]));
        return {
          method: method.toUpperCase(),
          path: path.replace('{project_id}', own.project_id).replace('{name}', 'home-page'),
          fields,
          required: body?.schema.required ?? query.filter((one: Json) => one.required).map((one: Json) => one.name),
          valid: Object.fromEntries(Object.entries(example).map(([name, value]) => [name, own[name] ?? value])),
        };
      }),
  );
}

/** Values that are invalid for the schema. */
export function* wrongValues(schema: Json): Generator<[string, unknown]> {
  const kinds = branchesOf(schema)
    .flatMap(({ type, const: value }) => [type ?? typeof value])
    .flat();
  if (!kinds.includes('null')) yield ['null', null];
  if (!kinds.includes('string')) yield ['a text', 'x'];
  if (!kinds.includes('number') && !kinds.includes('integer')) yield ['a number', 5];
  if (kinds.includes('integer') && !kinds.includes('number')) yield ['a fraction', 1.5];
  if (kinds.includes('integer')) yield ['a number as text', '5'];
  if (!kinds.includes('boolean')) yield ['a boolean', true];
  if (!kinds.includes('array')) yield ['an array', [[]]];
  if (!kinds.includes('object')) yield ['an object', { a: 1 }];
  if (schema.enum) yield ['an unknown choice', 'NONE_OF_THEM'];
  if (typeof schema.maxProperties === 'number') yield ['too many names', namesOf(schema.maxProperties + 1)];
  if (typeof schema.maximum === 'number') yield ['too large a number', schema.maximum + 1];
  if (typeof schema.minimum === 'number') yield ['too small a number', schema.minimum - 1];
  if (typeof schema.minLength === 'number' && schema.minLength > 0) yield ['an empty text', ''];
  if (typeof schema.maxLength === 'number') yield ['too long a text', 'x'.repeat(schema.maxLength + 1)];
  if (typeof schema.pattern === 'string') {
    yield ['a NUL character', 'a\0b'];
    yield ['a lone surrogate', 'a\ud800b'];
  }
  for (const branch of branchesOf(schema)) yield* wrongInside(branch);
}

function branchesOf(schema: Json): Json[] {
  return [schema, ...((schema.anyOf ?? []) as Json[]).flatMap(branchesOf)];
}

/** Maps with a wrong name or value, and arrays with a wrong element. */
function* wrongInside({ propertyNames, additionalProperties, items }: Json): Generator<[string, unknown]> {
  if (items) for (const [kind, value] of wrongValues(items as Json)) yield [`${kind} in an array`, [value]];
  if (!propertyNames) return;
  for (const [kind, name] of wrongValues(propertyNames as Json))
    if (typeof name === 'string') yield [`${kind} as a name`, { [name]: aValueOf(additionalProperties as Json) }];
  for (const [kind, value] of wrongValues(additionalProperties as Json)) yield [`${kind} in a map`, { a: value }];
}

const namesOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, 1]));

const aValueOf = ({ enum: choices }: Json): unknown => (choices as unknown[] | undefined)?.[0] ?? 'x';
