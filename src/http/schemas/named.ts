// Names for the objects of the API: in the API description, and so in the types of every client.
import type { TObjectOptions, TProperties, TSchema } from 'typebox';
import { closed, open } from './common.ts';

/** Marks a named schema. Validation ignores it; ../shared-schemas.ts reads it. */
export const NAMED = 'x-named';

/** Gives a schema its name, in PascalCase. A copy with another description keeps the name. */
export function named<T extends TSchema>(name: string, schema: T): T {
  const { description } = schema as { description?: string };
  return Object.assign(schema, { [NAMED]: { name, description } });
}

export const openAs = <T extends TProperties>(name: string, properties: T, options?: TObjectOptions) =>
  named(name, open(properties, options));

export const closedAs = <T extends TProperties>(name: string, properties: T, options?: TObjectOptions) =>
  named(name, closed(properties, options));
