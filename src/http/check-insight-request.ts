// Checks querying and clustering requests at submission, so that a job never fails for an invalid request. The schemas
// check the outer shape; what depends on `query_type` is checked here, with a pointer to each invalid field.
import {
  type ClusteringParameters,
  type Condition,
  DEFAULT_BINS,
  type DistributionQuery,
  type ListQuery,
  MAX_BINS,
  MAX_CLUSTERS,
  MAX_CONDITIONS,
  MAX_QUERIES,
  MAX_VALUE_CHARACTERS,
  type QueryingRequest,
  type QueryType,
  type QueryValue,
} from '../domain/insight-request.ts';
import { type FieldError, invalidFields } from '../errors.ts';
import { escapePointer, UNKNOWN_FIELD_MESSAGE, type UnknownField, unknownFieldError } from './unknown-field.ts';

const BOUND_RULE =
  "must be a number from 0 to 1: usage is the share of a user's expected next interactions, so 0.3 means 30%";

/** Throws INVALID_REQUEST or UNKNOWN_FIELD that names every invalid field (the first 20). Returns the queries with their defaults filled in. */
export function checkQueries(queryType: QueryType, queries: readonly unknown[]): QueryingRequest {
  const errors = new FieldErrors();
  if (queries.length === 0) errors.add('/queries', 'must have at least 1 element');
  if (queries.length > MAX_QUERIES) errors.add('/queries', `must have at most ${MAX_QUERIES} elements`);
  errors.throwIfAny();
  if (queryType === 'user_list') {
    const checked = queries.map((query, index) => checkListQuery(query, `/queries/${index}`, errors));
    errors.throwIfAny();
    return { query_type: queryType, queries: checked };
  }
  const checked = queries.map((query, index) => checkDistributionQuery(query, `/queries/${index}`, errors));
  errors.throwIfAny();
  return { query_type: queryType, queries: checked };
}

export function checkClusteringParameters(parameters: Record<string, unknown>): ClusteringParameters {
  const errors = new FieldErrors();
  const fields = errors.object(parameters, '/parameters', ['min_user_num', 'num_clusters', 'seed']);
  const whole = (name: string, least: number, most: number, otherwise: number | null) =>
    fields[name] === undefined || fields[name] === null
      ? otherwise
      : errors.integer(fields[name], `/parameters/${name}`, least, most);
  const checked = {
    min_user_num: whole('min_user_num', 1, 2 ** 31 - 1, 1)!,
    num_clusters: whole('num_clusters', 1, MAX_CLUSTERS, null),
    seed: whole('seed', 0, 2 ** 31 - 1, 1)!,
  };
  errors.throwIfAny();
  return checked;
}

function checkListQuery(query: unknown, pointer: string, errors: FieldErrors): ListQuery {
  const { conditions } = errors.object(query, pointer, ['conditions']);
  if (!Array.isArray(conditions)) {
    errors.add(`${pointer}/conditions`, conditions === undefined ? 'is required' : 'must be an array');
    return { conditions: [] };
  }
  if (conditions.length === 0) errors.add(`${pointer}/conditions`, 'must have at least 1 element');
  if (conditions.length > MAX_CONDITIONS) {
    errors.add(`${pointer}/conditions`, `must have at most ${MAX_CONDITIONS} elements`);
    return { conditions: [] };
  }
  return {
    conditions: conditions.map((condition, index) =>
      checkCondition(condition, `${pointer}/conditions/${index}`, errors),
    ),
  };
}

function checkCondition(condition: unknown, pointer: string, errors: FieldErrors): Condition {
  const fields = errors.object(condition, pointer, ['attribute', 'value', 'lower_bound', 'upper_bound']);
  const checked = {
    attribute: errors.attribute(fields.attribute, `${pointer}/attribute`),
    value: errors.value(fields.value, `${pointer}/value`),
    lower_bound: errors.bound(fields.lower_bound, `${pointer}/lower_bound`),
    upper_bound: errors.bound(fields.upper_bound, `${pointer}/upper_bound`),
  };
  const { lower_bound: lower, upper_bound: upper } = checked;
  if (lower !== null && upper !== null && lower > upper) {
    errors.add(`${pointer}/lower_bound`, `must not be above upper_bound (${lower} > ${upper})`);
  }
  return checked;
}

function checkDistributionQuery(query: unknown, pointer: string, errors: FieldErrors): DistributionQuery {
  const fields = errors.object(query, pointer, ['attribute', 'value', 'bins']);
  return {
    attribute: errors.attribute(fields.attribute, `${pointer}/attribute`),
    value: errors.value(fields.value, `${pointer}/value`),
    bins: fields.bins === undefined ? DEFAULT_BINS : errors.integer(fields.bins, `${pointer}/bins`, 1, MAX_BINS),
  };
}

/** Collects errors. A failed check returns a harmless value, so that all fields are checked. */
class FieldErrors {
  readonly #errors: FieldError[] = [];
  #unknown: UnknownField | null = null;

  add(pointer: string, message: string): void {
    if (this.#errors.length < 20) this.#errors.push({ pointer, message });
  }

  throwIfAny(): void {
    if (this.#errors.length === 0) return;
    if (this.#unknown !== null) throw unknownFieldError(this.#unknown, this.#errors);
    throw invalidFields(this.#errors);
  }

  object(value: unknown, parent: string, known: readonly string[]): Record<string, unknown> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.add(parent, 'must be an object');
      return {};
    }
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue;
      this.#unknown ??= { name, parent, known };
      this.add(`${parent}/${escapePointer(name)}`, UNKNOWN_FIELD_MESSAGE);
    }
    return value as Record<string, unknown>;
  }

  integer(value: unknown, pointer: string, least: number, most: number): number {
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
    this.add(pointer, `must be an integer from ${least} to ${most}`);
    return least;
  }

  attribute(value: unknown, pointer: string): string {
    if (value === undefined) this.add(pointer, 'is required');
    else if (typeof value !== 'string' || value.length === 0 || value.length > MAX_VALUE_CHARACTERS)
      this.add(pointer, `must be a string of 1 to ${MAX_VALUE_CHARACTERS} characters`);
    else return value;
    return '';
  }

  value(value: unknown, pointer: string): QueryValue {
    if (value === undefined) this.add(pointer, 'is required');
    else if (typeof value === 'string' && value.length > MAX_VALUE_CHARACTERS)
      this.add(pointer, `must have at most ${MAX_VALUE_CHARACTERS} characters`);
    else if (typeof value === 'string' || typeof value === 'boolean') return value;
    else if (typeof value === 'number' && Number.isFinite(value)) return value;
    else this.add(pointer, 'must be a string, a finite number or a boolean');
    return '';
  }

  bound(value: unknown, pointer: string): number | null {
    if (value === undefined || value === null) return null;
    if (typeof value === 'number' && value >= 0 && value <= 1) return value;
    this.add(pointer, BOUND_RULE);
    return null;
  }
}
