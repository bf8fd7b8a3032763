// The calls of the OpenAPI description, as fuzzers use them.
import type { JsonSchema } from '../support/schema-arbitrary.ts';

export interface Operation {
  method: string;
  path: string;
  schema: JsonSchema | null;
}

export interface Description {
  paths: Record<string, Record<string, OperationDescription>>;
  components?: { schemas?: Record<string, JsonSchema> };
}

interface OperationDescription {
  parameters?: { in: string; name: string; required?: boolean; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
}

export function operationsOf({ paths }: Description): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ['get', 'post', 'put', 'delete'].includes(method))
      // Keys are left alone: a walk that disables its own key meets nothing but 401.
      .filter(() => !/oauth2|api-key|console|metrics|healthz|readyz|openapi|docs|results/.test(path))
      .map(([method, { parameters, requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        schema: requestBody?.content['application/json']?.schema ?? querySchema(parameters),
      })),
  );
}

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

export function fillPath(path: string, ids: Map<string, Set<unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => String([...(ids.get(name) ?? ['prj_none'])][0]));
}
