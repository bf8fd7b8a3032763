// The named schemas of the API description: each is written once, in `components.schemas`, and referred to.
import { NAMED } from './schemas/named.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

type Side = 'response' | 'request';

const PLACE = '#/components/schemas/';

/** Replaces the named schemas of operations with references. Returns the schemas by name. */
export function shareSchemas(operations: readonly JsonObject[]): JsonObject {
  const shared = new Map<string, { schema: JsonObject; text: string; side: Side }>();

  const referTo = (marked: JsonObject, side: Side): JsonObject => {
    const { [NAMED]: mark, description, ...shape } = marked;
    const { name: wanted, ...own } = mark as { name: string; description?: string };
    const schema = { ...own, ...shape };
    const text = JSON.stringify(schema);
    const known = shared.get(wanted);
    // In a request an optional field also takes null, which makes it another schema.
    const name = known && known.text !== text && known.side !== side ? `${wanted}Input` : wanted;
    if ((shared.get(name)?.text ?? text) !== text) throw new Error(`Two different schemas have the name ${name}.`);
    if (!shared.has(name)) shared.set(name, { schema, text, side });
    return {
      $ref: `${PLACE}${name}`,
      ...(description !== undefined && description !== own.description && { description }),
    };
  };
  // From the inside out: a schema refers to the named ones in it.
  const share = (part: Json, side: Side): Json => {
    if (Array.isArray(part)) return part.map((one) => share(one, side));
    if (typeof part !== 'object' || part === null) return part;
    const own = Object.fromEntries(Object.entries(part).map(([name, field]) => [name, share(field, side)]));
    return NAMED in own ? referTo(own, side) : own;
  };

  // Responses first, because they have the plain names.
  for (const operation of operations) operation.responses = share(operation.responses, 'response');
  for (const operation of operations)
    if (operation.requestBody) operation.requestBody = share(operation.requestBody, 'request');
  const byName = [...shared].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(byName.map(([name, { schema }]) => [name, schema]));
}

/** The document with every reference replaced by what it refers to, for readers that look at one schema at a time. */
export function withoutRefs<T extends object>(document: T): T {
  const found = new Map<string, JsonObject>();
  const find = (ref: string): JsonObject => {
    const path = ref.slice(2).split('/');
    const value =
      found.get(ref) ?? resolve(path.reduce((node, name) => node[name] as JsonObject, document as JsonObject));
    found.set(ref, value as JsonObject);
    return value as JsonObject;
  };
  const resolve = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...fields } = value;
    const own = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, resolve(field)]));
    return typeof $ref === 'string' ? { ...find($ref), ...own } : own;
  };
  return resolve(document as JsonObject) as T;
}
