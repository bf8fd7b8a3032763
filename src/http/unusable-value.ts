// Finds values that no field of a body may have, at any depth. Schemas do not cover objects whose names the client
// chooses, such as the context of a call.
import { type AppError, type FieldError, invalidFields } from '../errors.ts';
import { escapePointer } from './unknown-field.ts';

/**
 * Refuses names that would change an object's prototype, and numbers that are too large (1e999): these parse to Infinity and would be
 * stored as null. The body's nesting and size are already limited.
 */
export function refuseUnusable(body: unknown): AppError | null {
  const error = problemOf(body);
  if (error === null) return null;
  return invalidFields([error]);
}

function problemOf(value: unknown): FieldError | null {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { pointer: '', message: 'must be a number from -1.8e308 to 1.8e308' };
  }
  if (typeof value !== 'object' || value === null) return null;
  return Array.isArray(value) ? firstOfList(value) : firstOfObject(value as Record<string, unknown>);
}

/** Pointers are made when something was found: a list of 20,000 ids has none. */
function firstOfList(values: readonly unknown[]): FieldError | null {
  for (let index = 0; index < values.length; index++) {
    const found = problemOf(values[index]);
    if (found !== null) return below(`${index}`, found);
  }
  return null;
}

function firstOfObject(object: Record<string, unknown>): FieldError | null {
  for (const name in object) {
    const found = name === '__proto__' ? { pointer: '', message: 'is not allowed as a name' } : problemOf(object[name]);
    if (found !== null) return below(name, found);
  }
  return null;
}

const below = (name: string, { pointer, message }: FieldError): FieldError => ({
  pointer: `/${escapePointer(name)}${pointer}`,
  message,
});
