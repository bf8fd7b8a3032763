// The calls of a service, as fuzzers use them: those of its OpenAPI description, and all routes that its server has registered.
import { withoutRefs } from '../../src/http/shared-schemas.ts';
import type { JsonSchema } from '../support/schema-arbitrary.ts';

export interface Operation {
  method: string;
  /** `{name}` is a parameter. */
  path: string;
  schema: JsonSchema | null;
}

/** Values that exist, by the name of the property. */
export type Ids = Map<string, Set<unknown>>;

export interface Description {
  paths: Record<string, Record<string, OperationDescription>>;
}

interface OperationDescription {
  parameters?: { in: string; name: string; required?: boolean; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
}

export interface RegisteredRoute {
  method: string;
  /** `:name` is a parameter, `*` any path. */
  path: string;
  schema?: { body?: JsonSchema; querystring?: JsonSchema };
}

export function operationsOf(description: Description): Operation[] {
  return Object.entries(withoutRefs(description).paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ['get', 'post', 'put', 'delete'].includes(method))
      .map(([method, { parameters, requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        schema: requestBody?.content['application/json']?.schema ?? querySchema(parameters),
      })),
  );
}

/** With what the description says, which knows the bodies that parser threads check. A HEAD is handled by the route of its GET. */
export function registeredOperations(routes: readonly RegisteredRoute[], description: Description): Operation[] {
  const described = new Map(operationsOf(description).map((operation) => [nameOf(operation), operation]));
  const registered = routes
    .filter(({ method }) => method !== 'HEAD')
    .map(({ method, path, schema }): Operation => {
      const plain = { method, path: path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{*}') };
      return described.get(nameOf(plain)) ?? { ...plain, schema: schema?.body ?? schema?.querystring ?? null };
    });
  return [...new Map(registered.map((operation) => [nameOf(operation), operation])).values()];
}

export const nameOf = ({ method, path }: Omit<Operation, 'schema'>): string => `${method} ${path}`;

function querySchema(parameters: OperationDescription['parameters'] = []): JsonSchema | null {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  if (inQuery.length === 0) return null;
  return {
    type: 'object',
    properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
    required: inQuery.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** A query string has names and texts only. */
export function queryOf(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([name, field]) => [
      name,
      typeof field === 'string' ? field : JSON.stringify(field),
    ]),
  );
}

export function fillPath(path: string, ids: Ids): string {
  return path.replaceAll(/\{(\w+|\*)\}/g, (_, name) => String([...(ids.get(name) ?? ['prj_none'])][0]));
}
