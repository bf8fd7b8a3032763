// Finds values that no field of a body may have, at any depth. Schemas do not cover objects whose names the client
// chooses, such as the context of a call.
import { AppError, type FieldError } from '../errors.ts';
import { escapePointer } from './unknown-field.ts';

/**
 * Refuses names that would change an object's prototype, and numbers that are too large (1e999): these parse to Infinity and would be
 * stored as null. The body's nesting and size are already limited.
 */
export function refuseUnusable(body: unknown): AppError | null {
  const error = unusableIn(body);
  if (error === null) return null;
  return new AppError('INVALID_REQUEST', `${error.pointer.slice(1)} ${error.message}.`, { errors: [error] });
}

/** Returns the first such value. */
function unusableIn(outer: unknown): FieldError | null {
  if (typeof outer !== 'object' || outer === null) return null;
  for (const name in outer) {
    const found = problemOf(name, (outer as Record<string, unknown>)[name]);
    if (found !== null) return { ...found, pointer: `/${escapePointer(name)}${found.pointer}` };
  }
  return null;
}

function problemOf(name: string, value: unknown): FieldError | null {
  if (name === '__proto__') return { pointer: '', message: 'is not allowed as a name' };
  const isTooLarge = typeof value === 'number' && !Number.isFinite(value);
  return isTooLarge ? { pointer: '', message: 'must be a number from -1.8e308 to 1.8e308' } : unusableIn(value);
}
