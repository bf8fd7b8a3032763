// Removes from a request, before validation, what carries no meaning:
//   - null for an optional field, at every depth, unless the field itself accepts null;
//   - read-only fields that an update (PUT) sends back;
//   - unknown query parameters.
// The plan is made once from the route's schemas, including parts that handlers check themselves, so that no route can forget
// it. Records of bulk calls are left to src/domain/record-batch.ts, because the plan would visit a thousand of them.
import type { TSchema } from 'typebox';
import type { Route } from './route.ts';
import { RECORDS, SHOWN_AS } from './schemas/common.ts';

/** The parts of JSON Schema that say which fields are optional. */
interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  [SHOWN_AS]?: Schema;
  [RECORDS]?: true;
}

type Fields = Record<string, unknown>;
type Visit = (value: unknown) => void;

export interface ReadableRequest {
  body?: unknown;
  query?: unknown;
}

/** Returns the function that prepares each request of the route before it is validated. */
export function requestReader(route: Route): (request: ReadableRequest) => void {
  const dropNulls = route.body && nullDropper(route.body);
  const readOnly = readOnlyFields(route);
  const parameters = new Set(Object.keys((route.query as Schema | undefined)?.properties ?? {}));
  return ({ body, query }) => {
    dropNulls?.(body);
    if (isObject(body)) for (const name of readOnly) delete body[name];
    if (isObject(query)) for (const name of Object.keys(query)) if (!parameters.has(name)) delete query[name];
  };
}

/** Fields of an update's response that its body does not have. An update ignores them. */
export function readOnlyFields({ method, body, response }: Pick<Route, 'method' | 'body' | 'response'>): string[] {
  return method === 'PUT' ? namesOnlyIn(response, body) : [];
}

/** A visitor that deletes fields that are null where that means "missing"; undefined if the schema has no such field. */
export function nullDropper(schema: TSchema | Schema): Visit | undefined {
  const given = schema as Schema;
  if (given[RECORDS]) return undefined;
  const shown = given[SHOWN_AS] ?? given;
  const visits = [...(shown.anyOf ?? []).map(nullDropper), ofItems(shown), ofFields(shown)].filter((visit) => !!visit);
  if (visits.length === 0) return undefined;
  return (value) => {
    for (const visit of visits) visit(value);
  };
}

function ofItems({ items }: Schema): Visit | undefined {
  const visit = items && nullDropper(items);
  return visit && ((value) => Array.isArray(value) && value.forEach(visit));
}

/** `additionalProperties` applies to names that the client chooses. */
function ofFields({ properties = {}, required = [], additionalProperties: other }: Schema): Visit | undefined {
  const optional = new Set(optionalFields({ properties, required }));
  const rules = new Map<string, FieldRule>();
  for (const [name, field] of Object.entries(properties)) {
    const rule = { isOptional: optional.has(name), visit: nullDropper(field) };
    if (rule.isOptional || rule.visit) rules.set(name, rule);
  }
  const visitOther = typeof other === 'object' ? nullDropper(other) : undefined;
  if (rules.size === 0 && !visitOther) return undefined;
  return (value) => {
    if (!isObject(value)) return;
    // Loops over the fields of the request, because most requests have few of the possible ones.
    for (const name of Object.keys(value)) {
      const rule = rules.get(name);
      // Deleted, so that merging it into other fields does not undo theirs.
      if (rule?.isOptional && value[name] === null) delete value[name];
      else if (rule) rule.visit?.(value[name]);
      else if (!Object.hasOwn(properties, name)) visitOther?.(value[name]);
    }
  };
}

interface FieldRule {
  readonly isOptional: boolean;
  readonly visit: Visit | undefined;
}

/** Names of optional fields that do not accept null as a value. */
export function optionalFields({ properties = {}, required = [] }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, field]) =>
    required.includes(name) || takesNull(field[SHOWN_AS] ?? field) ? [] : [name],
  );
}

function takesNull({ type, anyOf, const: only, enum: choices }: Schema): boolean {
  if (anyOf) return anyOf.some(takesNull);
  if (choices) return choices.includes(null);
  if (only !== undefined) return only === null;
  return type === undefined || [type].flat().includes('null');
}

function namesOnlyIn(response: Schema, body: Schema | undefined): string[] {
  return Object.keys(response.properties ?? {}).filter((name) => !Object.hasOwn(body?.properties ?? {}, name));
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
