// algorithm_parameters as sent → AlgorithmParameters (without "auto"), or one 400 that names every invalid parameter and what it allows.
import { AppError, type FieldError } from '../errors.ts';
import {
  type AlgorithmParameters,
  AUTO,
  G1_PARAMETERS,
  type ParameterSpec,
  type ParameterTable,
} from './algorithm-parameters.ts';
import { clientIdProblem } from './client-text.ts';
import { withCurrentNames } from './renamed-parameters.ts';

const MAX_MAP_ENTRIES = 100;

export function parseAlgorithmParameters(given: unknown): AlgorithmParameters {
  const errors: FieldError[] = [];
  const current = isObject(given) ? withCurrentNames(given).parameters : given;
  const parsed = readGroup(G1_PARAMETERS, current, '/algorithm_parameters', errors);
  if (errors.length > 0) {
    throw new AppError('INVALID_ALGORITHM_PARAMETER', errors.map((error) => error.message).join(' '), { errors });
  }
  return parsed as AlgorithmParameters;
}

function readGroup(
  table: ParameterTable,
  given: unknown,
  pointer: string,
  errors: FieldError[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const present = isObject(given) ? given : {};
  if (given !== undefined && given !== AUTO && !isObject(given)) {
    errors.push({ pointer, message: `${nameOf(pointer)} must be an object or "auto".` });
  }
  for (const name of Object.keys(present)) {
    if (Object.hasOwn(table, name)) continue;
    const allowed = Object.keys(table).join(', ');
    errors.push({
      pointer: `${pointer}/${escapePointer(name)}`,
      message: `${nameOf(pointer)} has no parameter ${JSON.stringify(name.slice(0, 64))}; allowed are ${allowed}.`,
    });
  }
  for (const [name, spec] of Object.entries(table)) {
    const value = Object.hasOwn(present, name) ? present[name] : undefined;
    if (value === undefined || value === AUTO) continue;
    values[name] = readValue(spec, value, `${pointer}/${name}`, errors);
  }
  return values;
}

function readValue(spec: ParameterSpec, given: unknown, pointer: string, errors: FieldError[]): unknown {
  if (spec.kind === 'group') return readGroup(spec.fields, given, pointer, errors);
  if (!isAllowed(spec, given)) errors.push({ pointer, message: `${nameOf(pointer)} must be ${whatIsAllowed(spec)}.` });
  return given;
}

function isAllowed(spec: Exclude<ParameterSpec, { kind: 'group' }>, given: unknown): boolean {
  switch (spec.kind) {
    case 'integer':
      return (given === null || Number.isInteger(given)) && inRange(spec, given);
    case 'number':
      return inRange(spec, given);
    case 'choice':
      return typeof given === 'string' && spec.values.includes(given);
    case 'list':
      return (
        Array.isArray(given) &&
        given.length > 0 &&
        given.every((value) => spec.values.includes(value)) &&
        new Set(given).size === given.length
      );
    case 'map':
      return (
        isObject(given) &&
        Object.keys(given).length <= MAX_MAP_ENTRIES &&
        Object.keys(given).every((key) => clientIdProblem(key) === null) &&
        Object.values(given).every((value) => inRange(spec, value))
      );
  }
}

function whatIsAllowed(spec: Exclude<ParameterSpec, { kind: 'group' }>): string {
  switch (spec.kind) {
    case 'integer':
      return `an integer from ${spec.min} to ${spec.max}${orNull(spec)} or "auto"`;
    case 'number':
      return `a number from ${spec.min} to ${spec.max}${orNull(spec)} or "auto"`;
    case 'choice':
      return `one of ${quoted(spec.values)} or "auto"`;
    case 'list':
      return `a list of distinct values from ${quoted(spec.values)} or "auto"`;
    case 'map':
      return `an object of at most ${MAX_MAP_ENTRIES} numbers from ${spec.min} to ${spec.max}, with names of 1 to 256 characters, or "auto"`;
  }
}

function inRange(range: { min: number; max: number; unlimited?: true }, given: unknown): boolean {
  if (given === null) return range.unlimited === true;
  return typeof given === 'number' && given >= range.min && given <= range.max;
}

function orNull(spec: { unlimited?: true }): string {
  return spec.unlimited === true ? ', null' : '';
}

function isObject(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

function quoted(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(', ');
}

/** "/algorithm_parameters/walk/recency" → "algorithm_parameters.walk.recency" */
function nameOf(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.');
}

function escapePointer(name: string): string {
  return name.slice(0, 64).replaceAll('~', '~0').replaceAll('/', '~1');
}
