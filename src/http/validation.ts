// Turns a route's TypeBox schemas into validators that throw one AppError in plain words. Nothing is coerced, except that
// query strings, which are all text, are parsed as integers and booleans by their exact spelling.

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { plural } from '../base/plural.ts';
import { PLACEMENT_NAME_PATTERN } from '../domain/placement.ts';
import { type AppError, type FieldError, invalidFields } from '../errors.ts';
import { fieldsToChoose, ofLikelyBranches } from './likely-branch.ts';
import { once } from './once.ts';
import { CLEAN_TEXT_PATTERN, S3_URL_PATTERN } from './schemas/common.ts';
import { escapePointer, UNKNOWN_FIELD_MESSAGE, type UnknownField, unknownFieldError } from './unknown-field.ts';

const MAX_REPORTED_ERRORS = 20;

// `strict: false` allows OpenAPI keywords in schemas. Validation stops at the first error, because reporting all errors of a
// hostile body would cost unbounded memory; small rejected bodies are validated again in full.
// Our schemas are not checked against the meta-schema, which takes 0.1 s to compile, because TypeBox makes them.
// Ajv's own optimizer would take as long as the rest of compiling, and V8 runs its output no faster.
// Errors have the schema that found them (`verbose`), which knows the names of its fields.
// JSON can say a number that is too large (1e999), which parses to Infinity and would be stored as null (`strictNumbers`).
const OPTIONS = {
  strict: false,
  strictNumbers: true,
  validateFormats: false,
  validateSchema: false,
  code: { optimize: false },
  verbose: true,
};
const ajv = new Ajv(OPTIONS);
const thoroughAjv = new Ajv({ ...OPTIONS, allErrors: true });
const MAX_THOROUGH_FIELDS = 200;

const PATTERN_ERRORS: Readonly<Record<string, string>> = {
  [CLEAN_TEXT_PATTERN]: 'must not have control characters or broken Unicode',
  [PLACEMENT_NAME_PATTERN]: 'must be 1 to 64 lowercase letters, digits, - or _, and begin with a letter or a digit',
  [S3_URL_PATTERN]: 'must begin with s3://',
};

/** These say less than the errors that come with them: of the branch, or about the name itself. */
const NOISE: readonly string[] = ['if', 'propertyNames'];

const NO_SHAPE = 'does not have any of its possible shapes';

type Check = (value: unknown) => true | { error: AppError };

/** Fastify calls this for each part (body, query, params) of each route. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const check = lazyCheck(schema);
  if (httpPart !== 'querystring') return check;
  return (query: Record<string, unknown>) => {
    readQueryTypes(schema, query);
    return check(query);
  };
};

/** Checks values against a schema that is compiled on first use: all of them at the start would delay it by half a second. */
export function lazyCheck(schema: TSchema): Check {
  const compiled = once(() => ajv.compile(schema));
  const compiledThoroughly = once(() => thoroughAjv.compile(schema));
  return (value) => {
    const validate = compiled();
    return validate(value) ? true : { error: explain(value, validate, compiledThoroughly) };
  };
}

/** Compiles a schema for use outside a request, e.g. to check responses in tests. Returns the errors, or null. */
export function compileSchema(schema: TSchema): (value: unknown) => FieldError[] | null {
  const compiled = once(() => thoroughAjv.compile(schema));
  return (value) => {
    const validate = compiled();
    return validate(value) ? null : (validate.errors ?? []).map((error) => toFieldError(error));
  };
}

function explain(value: unknown, validate: ValidateFunction, thorough: () => ValidateFunction): AppError {
  let found = validate.errors ?? [];
  if (isSmall(value)) {
    thorough()(value);
    found = thorough().errors ?? found;
  }
  const likely = joinTypes(ofLikelyBranches(found));
  const errors = likely
    .filter(({ keyword }) => !NOISE.includes(keyword))
    .map((error) => toFieldError(error))
    .filter(isFirstOfItsKind)
    .slice(0, MAX_REPORTED_ERRORS);
  const unknown = unknownFieldOf(likely);
  if (unknown) return unknownFieldError(unknown, errors);
  return invalidFields(errors);
}

/** Prefers a field of the request itself to one further inside. */
function unknownFieldOf(found: readonly ErrorObject[]): UnknownField | undefined {
  const refused = found.filter(({ keyword }) => keyword === 'additionalProperties');
  const unknown = refused.map(({ instancePath: parent, params }) => {
    // If the value may have several shapes, the fields of all of them are known.
    const schemas = refused.filter(({ instancePath }) => instancePath === parent).map((error) => error.parentSchema);
    const known = new Set(schemas.flatMap((schema) => Object.keys(schema?.properties ?? {})));
    return { name: String(params.additionalProperty), parent, known: [...known] };
  });
  const mistaken = unknown.filter(({ name, known }) => !known.includes(name));
  return mistaken.find(({ parent }) => parent === '') ?? mistaken[0];
}

/** A value that may have one of several types gets one error, with all of them. */
function joinTypes(found: readonly ErrorObject[]): ErrorObject[] {
  const ofTypes = found.filter(({ keyword, propertyName }) => keyword === 'type' && propertyName === undefined);
  const byValue = Map.groupBy(ofTypes, ({ instancePath }) => instancePath);
  const others = new Set([...byValue.values()].flatMap((errors) => errors.slice(1)));
  return found
    .filter((error) => !others.has(error))
    .map((error) => {
      const alike = byValue.get(error.instancePath);
      if (alike?.[0] !== error) return error;
      return {
        ...error,
        params: { type: [...new Set(alike.flatMap(({ params }) => params.type as string | string[]))] },
      };
    });
}

/** Several shapes of a value can have the same to say. */
function isFirstOfItsKind({ pointer, message }: FieldError, n: number, all: readonly FieldError[]): boolean {
  return all.findIndex((other) => other.pointer === pointer && other.message === message) === n;
}

function toFieldError(error: ErrorObject): FieldError {
  if (error.propertyName === undefined) return toValueError(error);
  const pointer = `${error.instancePath}/${escapePointer(error.propertyName)}`;
  return { pointer, message: `is not a usable name: it ${toValueError(error).message}` };
}

function toValueError(error: ErrorObject): FieldError {
  const { keyword, params, schema, instancePath } = error;
  switch (keyword) {
    case 'required':
      return { pointer: `${instancePath}/${escapePointer(params.missingProperty)}`, message: 'is required' };
    case 'additionalProperties':
      return {
        pointer: `${instancePath}/${escapePointer(params.additionalProperty)}`,
        message: UNKNOWN_FIELD_MESSAGE,
      };
    case 'type':
      return { pointer: instancePath, message: `must be ${withArticle(params.type)}${butIs(error.data, params.type)}` };
    case 'enum':
      return { pointer: instancePath, message: `must be one of ${params.allowedValues.join(', ')}` };
    case 'const':
      return { pointer: instancePath, message: `must be ${params.allowedValue}` };
    case 'not':
      return { pointer: instancePath, message: `must not be ${(schema as { const: unknown }).const}` };
    case 'anyOf': {
      const names = fieldsToChoose(error);
      return { pointer: instancePath, message: names ? `must have exactly one of ${names.join(', ')}` : NO_SHAPE };
    }
    case 'pattern':
      return { pointer: instancePath, message: PATTERN_ERRORS[params.pattern] ?? `must match ${params.pattern}` };
    case 'minLength':
      return { pointer: instancePath, message: `must have at least ${plural(params.limit, 'character')}` };
    case 'maxLength':
      return { pointer: instancePath, message: `must have at most ${plural(params.limit, 'character')}` };
    case 'minItems':
      return { pointer: instancePath, message: `must have at least ${plural(params.limit, 'element')}` };
    case 'maxItems':
      return { pointer: instancePath, message: `must have at most ${plural(params.limit, 'element')}` };
    case 'minProperties':
      return { pointer: instancePath, message: `must have at least ${plural(params.limit, 'field')}` };
    case 'maxProperties':
      return { pointer: instancePath, message: `must have at most ${plural(params.limit, 'field')}` };
    case 'minimum':
      return { pointer: instancePath, message: `must be at least ${params.limit}` };
    case 'maximum':
      return { pointer: instancePath, message: `must be at most ${params.limit}` };
    default:
      return { pointer: instancePath, message: error.message ?? 'is not valid' };
  }
}

function withArticle(type: string | string[]): string {
  const names = [type].flat().map((name) => (name === 'null' ? name : `${/^[aio]/.test(name) ? 'an' : 'a'} ${name}`));
  return names.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

function butIs(data: unknown, wanted: string | string[]): string {
  if (data === undefined) return '';
  const isNumber = typeof data === 'number';
  if (isNumber && (!Number.isFinite(data) || [wanted].flat().includes('integer'))) return `, not ${data}`;
  const name = data === null ? 'null' : Array.isArray(data) ? 'an array' : withArticle(typeof data);
  return `, not ${name}`;
}

function isSmall(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  let fields = 0;
  const open: object[] = [value];
  for (let next = open.pop(); next; next = open.pop()) {
    for (const inner of Object.values(next)) {
      if (++fields > MAX_THOROUGH_FIELDS) return false;
      if (typeof inner === 'object' && inner !== null) open.push(inner);
    }
  }
  return true;
}

function readQueryTypes(schema: TSchema, query: Record<string, unknown>): void {
  const properties = (schema as { properties?: Record<string, { type?: string }> }).properties ?? {};
  for (const [name, { type }] of Object.entries(properties)) {
    const text = query[name];
    if (typeof text !== 'string') continue;
    if (type === 'integer' && /^-?\d{1,16}$/.test(text)) query[name] = Number(text);
    if (type === 'boolean' && (text === 'true' || text === 'false')) query[name] = text === 'true';
  }
}
