// The OpenAPI 3.1 document, made from the same declarations that route and validate. Served at /openapi.json and
// rendered as a page at /docs.
import { ERROR_CODES, type ErrorCode } from '../errors.ts';
import { auditModeOf } from './audit/audit-trail.ts';
import { browserCallOf } from './auth/browser-calls.ts';
import { rulesOf } from './body-rules.ts';
import { problemType } from './problem.ts';
import { optionalFields, readOnlyFields } from './read-request.ts';
import { type Route, scopeOf, shownPath } from './route.ts';
import { CLEAN_TEXT_PATTERN, SHOWN_AS, SHOWN_TEXT_PATTERN } from './schemas/common.ts';
import { type Json, type JsonObject, shareSchemas } from './shared-schemas.ts';

export interface OpenApiDocument extends JsonObject {
  openapi: string;
  info: JsonObject;
  paths: { [path: string]: { [method: string]: JsonObject } };
  components: JsonObject;
}

const PROBLEM = 'application/problem+json';

/** Error codes that any call can return, by its properties. */
const ALWAYS: ErrorCode[] = ['INVALID_REQUEST', 'ANSWER_TOO_LARGE', 'INTERNAL_ERROR'];
const WITH_CREDENTIALS: ErrorCode[] = [
  'UNAUTHENTICATED',
  'TOKEN_EXPIRED',
  'INSUFFICIENT_SCOPE',
  'API_KEY_MISMATCH',
  'STARTING',
  'SHUTTING_DOWN',
  'STORE_UNAVAILABLE',
];
const FROM_BROWSERS: ErrorCode[] = ['ORIGIN_NOT_ALLOWED', 'PROJECT_NOT_FOUND', 'RATE_LIMITED'];
const WITH_BODY: ErrorCode[] = [
  'UNKNOWN_FIELD',
  'INVALID_JSON',
  'INVALID_ENCODING',
  'REQUEST_TIMEOUT',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'OVERLOADED',
];

export function describeApi(routes: readonly Route[], options: { version: string; baseUrl: string }): OpenApiDocument {
  const shown = routes.filter((route) => !route.hidden);
  const scopes = Object.fromEntries(
    [...new Set(shown.map(scopeOf))].filter((scope) => scope !== null).map((scope) => [scope, `Call ${scope}`]),
  );
  const paths: OpenApiDocument['paths'] = {};
  for (const route of shown) {
    const path = shownPath(route);
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = describeOperation(route);
  }
  const schemas = shareSchemas(Object.values(paths).flatMap((methods) => Object.values(methods)));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Kindred',
      version: options.version,
      summary: 'Recommendations from your own users, items and events.',
      description:
        'Send users, items and events, train a model, deploy it and get recommendations. Every call needs an access token and the API key. Bodies may be compressed with gzip, br or zstd.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.baseUrl }],
    tags: [...new Set(shown.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'oauth2',
          description: 'Access token of /oauth2/token, in the header Authorization: Bearer …',
          flows: { clientCredentials: { tokenUrl: '/oauth2/token', scopes: { '*': 'Every call', ...scopes } } },
        },
        key: { type: 'apiKey', in: 'header', name: 'APIKey', description: "The account's API key." },
        basic: { type: 'http', scheme: 'basic', description: 'API key and client secret, or a browser key alone.' },
        browser: {
          type: 'apiKey',
          in: 'query',
          name: 'key',
          description: 'A browser key, from a page of its origins.',
        },
      },
      schemas: { Problem: PROBLEM_SCHEMA, ...schemas },
      examples: Object.fromEntries((Object.keys(ERROR_CODES) as ErrorCode[]).map((code) => [code, exampleOf(code)])),
    },
  };
}

function describeOperation(route: Route): JsonObject {
  return {
    operationId: operationIdOf(route),
    tags: [route.tag],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    'x-audit': auditModeOf(route),
    security: securityOf(route),
    ...parametersOf(route),
    ...requestBodyOf(route),
    responses: { 200: responseOf(route), ...errorsOf(route) },
  };
}

/** Each entry is one way to authenticate. An empty entry means without credentials. */
function securityOf(route: Route): JsonObject[] {
  const scope = scopeOf(route);
  const basic = route.acceptsBasic ? [{ basic: [] }] : [];
  if (scope === null) return basic.length === 0 ? [] : [{}, ...basic];
  return [{ token: [scope], key: [] }, ...(browserCallOf(route) ? [{ browser: [] }] : []), ...basic];
}

/** `/create-user-dataset` → createUserDataset */
function operationIdOf({ path }: Route): string {
  const words = path
    .replace(/[:{}]/g, '')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return words.map((word, index) => (index === 0 ? word : word[0].toUpperCase() + word.slice(1))).join('');
}

function parametersOf(route: Route): JsonObject {
  const parameters = [
    ...fieldsOf(route.params).map((field) => ({ ...field, in: 'path', required: true })),
    ...fieldsOf(route.query).map((field) => ({ ...field, in: 'query' })),
  ].map(({ name, schema, required, in: place }) => ({
    name,
    in: place,
    required,
    schema,
    ...exampleField(place === 'path' ? route.examples.params : route.examples.request, name),
  }));
  return parameters.length > 0 ? { parameters } : {};
}

function fieldsOf(schema: Route['query']): { name: string; schema: JsonObject; required: boolean }[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = plain(schema) as { properties?: JsonObject; required?: string[] };
  return Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field as JsonObject,
    required: required.includes(name),
  }));
}

function exampleField(request: unknown, name: string): JsonObject {
  const value = (request as JsonObject | undefined)?.[name];
  return value === undefined ? {} : { example: value };
}

function requestBodyOf(route: Route): JsonObject {
  if (!route.body) return {};
  const media = { schema: withReadOnly(withNulls(plain(route.body)), route), example: route.examples.request as Json };
  return {
    requestBody: {
      required: true,
      description: `Up to ${rulesOf(route).maxBytes / 1024} KiB, before and after decompression.`,
      content: {
        'application/json': media,
        ...(route.acceptsForm && { 'application/x-www-form-urlencoded': media }),
        ...(browserCallOf(route) && { 'text/plain': media }),
      },
    },
  };
}

function responseOf(route: Route): JsonObject {
  const types = route.produces ?? ['application/json'];
  const media = { schema: plain(route.response), example: (route.examples.response ?? null) as Json };
  const asText = { schema: { type: 'string' } };
  const isText = (type: string) => type !== 'application/json' && types.includes('application/json');
  return {
    description: 'Done.',
    content: Object.fromEntries(types.map((type) => [type, isText(type) ? asText : media])),
  };
}

function errorsOf(route: Route): JsonObject {
  const isOpen = scopeOf(route) === null;
  const codes = new Set<ErrorCode>([
    ...(route.errors ?? []),
    ...ALWAYS,
    ...(isOpen ? [] : WITH_CREDENTIALS),
    ...(browserCallOf(route) ? FROM_BROWSERS : []),
    ...(route.body ? WITH_BODY : []),
  ]);
  const byStatus = Map.groupBy(codes, (code) => ERROR_CODES[code].status);
  const responses = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, ofStatus]) => {
      const examples = Object.fromEntries(ofStatus.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
      const content = { [PROBLEM]: { schema: { $ref: '#/components/schemas/Problem' }, examples } };
      return [status, { description: ofStatus.map((code) => ERROR_CODES[code].title).join('. '), content }];
    });
  return { ...Object.fromEntries(responses), ...(route.ownErrors as JsonObject | undefined) };
}

function exampleOf(code: ErrorCode): JsonObject {
  const { status, title } = ERROR_CODES[code];
  return {
    summary: title,
    value: {
      type: problemType(code),
      title,
      status,
      detail: `${title}. What happened and what to do.`,
      instance: '/get-user-dataset',
      code,
      request_id: '6f1c2a9be04d-7',
      ...(status === 400 && { errors: [{ pointer: '/name', message: 'is required' }] }),
    },
  };
}

const PROBLEM_SCHEMA: JsonObject = {
  type: 'object',
  description: 'A problem document (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened and what to do.' },
    instance: { type: 'string', description: 'The path that was called.' },
    code: { type: 'string', enum: Object.keys(ERROR_CODES) },
    request_id: { type: 'string', description: 'Also in the header x-request-id and in the logs.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'message'],
        properties: { pointer: { type: 'string', description: 'JSON pointer.' }, message: { type: 'string' } },
      },
    },
  },
};

/** A request's schema as it is read: null for an optional field means missing, see read-request.ts. */
function withNulls(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema), (_key, value) => {
    if (value === null || typeof value !== 'object' || typeof value.properties !== 'object') return value;
    for (const name of optionalFields(value)) value.properties[name] = orNull(value.properties[name]);
    return value;
  });
}

/** Adds the fields that an update ignores: clients may send back what they read. */
function withReadOnly(schema: JsonObject, route: Route): JsonObject {
  const ignored = readOnlyFields(route).map((name): [string, Json] => [name, IGNORED]);
  return { ...schema, properties: { ...(schema.properties as JsonObject), ...Object.fromEntries(ignored) } };
}

const IGNORED = { readOnly: true, description: 'Ignored, so that what was read can be changed and sent back.' };

function orNull(schema: JsonObject): JsonObject {
  const { description, default: byDefault, ...value } = schema;
  const branches = Array.isArray(value.anyOf) ? value.anyOf : [value];
  return {
    ...(description !== undefined && { description }),
    ...(byDefault !== undefined && { default: byDefault }),
    anyOf: [...branches, { type: 'null' }],
  };
}

/** A schema as plain JSON, including parts that handlers check themselves, with patterns every language supports. */
function plain(schema: object): JsonObject {
  const [pattern, shown] = [CLEAN_TEXT_PATTERN, SHOWN_TEXT_PATTERN].map((text) => JSON.stringify(text));
  return JSON.parse(JSON.stringify(schema).replaceAll(pattern, shown), (_key, value) =>
    value !== null && typeof value === 'object' && SHOWN_AS in value ? value[SHOWN_AS] : value,
  );
}
