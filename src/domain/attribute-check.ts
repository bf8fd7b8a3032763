// Checks a record's attributes value by value and computes an upper bound of their size. The exact size of a record (its JSON)
// is computed only if the bound exceeds the limit.
import { clientIdProblem } from './client-text.ts';
import type { AttributeHandling, AttributeSchema } from './dataset.ts';
import type { Attributes } from './record.ts';

/** A body may be nested 32 levels deep; request, list, record and attributes are the first four. */
const MAX_ATTRIBUTE_DEPTH = 28;
/** Objects are what takes long to parse: a megabyte of small ones, each with names of its own, takes a fifth of a second. */
const MAX_OBJECTS = 10_000;
const TOO_MANY_OBJECTS = `attributes have more than ${MAX_OBJECTS.toLocaleString('en')} objects`;
/** A code unit takes at most six bytes in JSON (\uXXXX). */
const MAX_BYTES_PER_UNIT = 6;
const MAX_NUMBER_BYTES = 25;

/** The problem in words, or an upper bound of the attributes' size as JSON. */
export type AttributeCheck = string | number;

export function checkAttributes(attributes: unknown): AttributeCheck {
  if (typeof attributes !== 'object' || attributes === null || Array.isArray(attributes)) {
    return 'attributes must be an object';
  }
  let bytes = 2;
  const seen = { objects: 0 };
  for (const name in attributes) {
    const problem = name === '__proto__' ? 'is not allowed as a name' : clientIdProblem(name);
    if (problem !== null) return `attribute name "${shown(name)}" ${problem}`;
    const value = (attributes as Attributes)[name];
    const size = measure(value, 1, seen);
    if (typeof size === 'string') return `attribute "${shown(name)}" ${size}`;
    if (seen.objects > MAX_OBJECTS) return TOO_MANY_OBJECTS;
    bytes += name.length * MAX_BYTES_PER_UNIT + 4 + size;
  }
  return bytes;
}

interface Seen {
  objects: number;
}

function measure(value: unknown, depth: number, seen: Seen): AttributeCheck {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? value.length * MAX_BYTES_PER_UNIT + 2 : 'has broken Unicode';
    case 'number':
      return Number.isFinite(value) ? MAX_NUMBER_BYTES : 'is not a finite number';
    case 'object':
      return value === null ? 4 : measureInside(value, depth, seen);
    default:
      return 5;
  }
}

function measureInside(value: object, depth: number, seen: Seen): AttributeCheck {
  if (depth > MAX_ATTRIBUTE_DEPTH) return `is nested more than ${MAX_ATTRIBUTE_DEPTH} levels deep`;
  if (!Array.isArray(value)) seen.objects++;
  let bytes = 2;
  for (const name in value) {
    if (name === '__proto__') return 'has a field named "__proto__"';
    const size = measure((value as Record<string, unknown>)[name], depth + 1, seen);
    if (typeof size === 'string') return size;
    bytes += size + 4 + (Array.isArray(value) ? 0 : name.length * MAX_BYTES_PER_UNIT);
  }
  return bytes;
}

const MUST_BE_VALUE = 'its value must be a string, number, boolean or an array of them';

/** The problem of an attribute that has to be a value a model can use, in words, or null. */
export function valueProblem(name: string, value: unknown): string | null {
  return isAttributeValue(value) ? null : `attribute "${shown(name)}" cannot be stored: ${MUST_BE_VALUE}.`;
}

/** The first attribute whose value does not fit its declared handling, in words, or null. */
export function schemaMismatch(attributes: Attributes, schema: AttributeSchema): string | null {
  for (const name in schema) {
    if (!Object.hasOwn(attributes, name)) continue;
    const value = attributes[name];
    if (value === null || fits(value, schema[name])) continue;
    return schema[name] === 'NUMERICAL'
      ? `attribute "${shown(name)}" is NUMERICAL: its value must be a number`
      : `attribute "${shown(name)}" is CATEGORICAL: ${MUST_BE_VALUE}`;
  }
  return null;
}

function fits(value: unknown, handling: AttributeHandling): boolean {
  return handling === 'NUMERICAL' ? typeof value === 'number' : isAttributeValue(value);
}

/** Whether a model can use the value. */
export function isAttributeValue(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isScalar) : isScalar(value);
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);

const shown = (name: string): string => name.slice(0, 64);
