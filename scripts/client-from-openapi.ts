// The client's generated parts, from the API description: its named objects (src/client/schema-types.ts), types of every call
// (src/client/operation-types.ts) and a method for each (src/client/calls.ts). A test generates them again and compares, so that client and service cannot drift apart.
import { PATHS_BELOW_PROJECT } from '../src/client/serving-address.ts';

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: (string | number)[];
  const?: unknown;
  additionalProperties?: boolean | JsonSchema;
  patternProperties?: Record<string, JsonSchema>;
  description?: string;
  readOnly?: boolean;
}

interface DescribedOperation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; schema: JsonSchema; description?: string }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
  security?: unknown[];
}

export interface ApiDescription {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, JsonSchema> };
}

export interface ClientOperation {
  path: string;
  method: string;
  name: string;
  doc: string;
  request: JsonSchema;
  answer: JsonSchema;
}

const HEAD = '// Made by "npm run generate" from the API description; not edited by hand.\n';

const RESULT_PATH = '/results/{result_id}';

/** The calls a client makes with its credentials; addresses in responses (serving_uri, download_url) have helpers. */
export function clientOperations(api: ApiDescription): ClientOperation[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      if (!operation.security?.length || !isOneName(path)) return [];
      const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
      const fromQuery: JsonSchema = {
        type: 'object',
        properties: Object.fromEntries(
          query.map(({ name, schema, description }) => [name, { description, ...schema }]),
        ),
        required: query.filter(({ required }) => required).map(({ name }) => name),
      };
      return [
        {
          path,
          method: method.toUpperCase(),
          name: path.slice(1).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
          doc: [operation.summary, operation.description]
            .filter(Boolean)
            .join('. ')
            .replace(/\.\.+ /g, '. '),
          request: withoutReadOnly(operation.requestBody?.content['application/json'].schema ?? fromQuery),
          answer: operation.responses['200'].content?.['application/json'].schema ?? {},
        },
      ];
    }),
  );
}

/** What an update ignores is not offered. */
export function withoutReadOnly(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).filter(([, { readOnly }]) => !readOnly);
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** `/create-project`; not the address of a project, nor what other services call (`/ingest/…`). */
export const isOneName = (path: string): boolean => /^\/[\w-]+$/.test(path);

/** The name of the schema that a reference leads to. */
export const nameOf = (ref: string): string => ref.slice('#/components/schemas/'.length);

/** Not as interfaces, which TypeScript does not take where it wants a Record<string, unknown>. */
export function schemaTypes({ components }: ApiDescription): string {
  const types = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema.description ?? '')}export type ${name} = ${typeOf(schema)};\n`,
  );
  return `${HEAD}// The named objects of the API, as requests and responses have them.\n\n${types.join('\n')}`;
}

export function operationTypes(api: ApiDescription): string {
  const operations = clientOperations(api);
  const entries = operations.map(
    ({ path, method, doc, request, answer }) =>
      `${comment(doc)}'${path}': { method: '${method}'; request: ${typeOf(request)}; answer: ${typeOf(answer)} };`,
  );
  const file = api.paths[RESULT_PATH].get.responses['200'].content?.['application/json'].schema ?? {};
  const schemas = JSON.stringify([operations.map(({ request, answer }) => [request, answer]), file]);
  const used = [...schemas.matchAll(/"\$ref":"(.*?)"/g)].map(([, ref]) => nameOf(ref));
  return `${HEAD}// Every call: its method, request and response.
import type { ${[...new Set(used)].sort().join(', ')} } from './schema-types.ts';

export interface Operations {
${entries.join('\n')}
}

/** What the download of a querying or clustering job holds. */
export type ResultFile = ${typeOf(file)};
`;
}

export function callMethods(api: ApiDescription): string {
  const methods = clientOperations(api).map(({ path, name, doc, request }) => {
    const optional = (request.required ?? []).length === 0 ? ' = {}' : '';
    const options = path in PATHS_BELOW_PROJECT ? 'ServingOptions' : 'CallOptions';
    return `${comment(doc)}${name}(request: RequestOf<'${path}'>${optional}, options?: ${options}): Promise<AnswerOf<'${path}'>> {
      return this.call('${path}', request, options);
    }`;
  });
  return `${HEAD}// Every call of the service as a method, named like its path: \`/create-user-dataset\` is \`createUserDataset\`.
import { OperationCaller } from './operation-caller.ts';
import type { AnswerOf, RequestOf } from './operations.ts';
import type { CallOptions, ServingOptions } from './transport.ts';

export class KindredCalls extends OperationCaller {
${methods.join('\n\n')}
}
`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return arrayType(schema.items ?? {});
    case 'object':
      return objectType(schema);
    default:
      return schema.properties ? objectType(schema) : 'unknown';
  }
}

function objectType(schema: JsonSchema): string {
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const key = /^[a-z_]\w*$/i.test(name) ? name : literal(name);
    return `${comment(property.description ?? '')}${key}${required.has(name) ? '' : '?'}: ${typeOf(property)};`;
  });
  const others = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties;
  if (typeof others === 'object') members.push(`[name: string]: ${typeOf(others)};`);
  else if (others === true || (members.length === 0 && others !== false)) members.push('[name: string]: unknown;');
  // An empty closed object must not take everything, as {} would.
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('\n')}\n}`;
}

function comment(text: string): string {
  return text === '' ? '' : `/** ${text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')} */\n`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}

function arrayType(items: JsonSchema): string {
  const isUnion = items.anyOf !== undefined || items.enum !== undefined || Array.isArray(items.type);
  return isUnion ? `(${typeOf(items)})[]` : `${typeOf(items)}[]`;
}
