// docs/api.md, from the API description: every call with its fields, an example, and the same from TypeScript.
import { withoutRefs } from '../src/http/shared-schemas.ts';
import { type ApiDescription, isOneName, type JsonSchema, withoutReadOnly } from './client-from-openapi.ts';

interface Described {
  summary: string;
  description?: string;
  tags: string[];
  parameters?: {
    name: string;
    in: string;
    required?: boolean;
    schema: JsonSchema;
    description?: string;
    example?: unknown;
  }[];
  requestBody?: { content: Record<string, { schema: JsonSchema; example?: unknown }> };
  responses: Record<
    string,
    { description?: string; content?: Record<string, { schema: JsonSchema; example?: unknown }> }
  >;
  security?: unknown[];
}

const INTRODUCTION = `# Every call

<!-- Made by "npm run generate" from the API description; not edited by hand. -->

The running service describes itself: \`GET /openapi.json\` (OpenAPI 3.1) and, for reading, \`GET /docs\`. This page has the same
content. Terms are explained in [concepts](concepts.md), errors in [errors](errors.md).

Every call except the token call needs two headers:

\`\`\`
Authorization: Bearer ACCESS_TOKEN
APIKey: API_KEY
\`\`\`

The token comes from \`POST /oauth2/token\` (OAuth 2 client credentials): \`client_id\` is the API key, \`scope\` the path of the
operation, several paths separated by spaces, or \`*\`. Bodies of POST, PUT and DELETE are JSON, parameters of GET are in the
query string. Bodies may be compressed (\`Content-Encoding: gzip\`, \`br\` or \`zstd\`). The limits of a decompressed body are 64 MiB
for an upsert, 512 KiB for a recommendation, a delete by ids, impressions or messages of Segment, and 64 KiB for any other call. Values are nested at most 32
levels deep. The TypeScript client does all of this for you: \`import { Kindred } from 'kindred/client'\`.

\`null\` for an optional field means the same as leaving it out, unless its call says what it does. An unknown field is
refused, but an update (\`PUT\`) may send back the read-only fields of what it read. An unknown query parameter is ignored.
`;

export function apiGuide(api: ApiDescription): string {
  const sections = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(withoutRefs(api).paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const described = operation as unknown as Described;
      const section = sections.get(described.tags[0]) ?? [];
      sections.set(described.tags[0], section);
      section.push(operationText(method.toUpperCase(), path, described));
    }
  }
  const texts = [...sections].map(([tag, operations]) => `## ${tag}\n\n${operations.join('\n')}`);
  return `${INTRODUCTION}\n${texts.join('\n')}`;
}

function operationText(method: string, path: string, operation: Described): string {
  const query = (operation.parameters ?? []).map(({ schema, ...parameter }) => ({ ...parameter, schema }));
  const content = operation.requestBody?.content['application/json'];
  const fields = content
    ? fieldsOf(withoutReadOnly(content.schema))
    : query.map((parameter) => ({ ...parameter, required: parameter.required === true }));
  const examples = query.filter(({ example }) => example !== undefined).map(({ name, example }) => [name, example]);
  const request = content ? content.example : examples.length > 0 ? Object.fromEntries(examples) : undefined;
  const answer = operation.responses['200'];
  const json = answer?.content?.['application/json'];
  const parts = [
    `### ${method} ${path}\n`,
    `${sentence(operation.summary)}${operation.description ? ` ${operation.description}` : ''}\n`,
  ];
  if (fields.length > 0) parts.push(fieldTable(fields));
  if (request !== undefined && isClientCall(path, operation)) {
    const name = path.slice(1).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    parts.push(`\`\`\`ts\nawait kindred.${name}(${literal(request)});\n\`\`\`\n`);
  } else if (request !== undefined) parts.push(`\`\`\`json\n${pretty(request)}\n\`\`\`\n`);
  if (json?.example !== undefined) parts.push(`Response:\n\n\`\`\`json\n${pretty(json.example)}\n\`\`\`\n`);
  return parts.join('\n');
}

function isClientCall(path: string, operation: Described): boolean {
  return (operation.security?.length ?? 0) > 0 && isOneName(path);
}

interface Field {
  name: string;
  required: boolean;
  schema: JsonSchema;
  description?: string;
}

function fieldsOf(schema: JsonSchema): Field[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    required: required.has(name),
    schema: property,
    description: property.description,
  }));
}

function fieldTable(fields: Field[]): string {
  const rows = fields.map(({ name, required, schema, description }) => {
    const meaning = (description ?? schema.description ?? '').replaceAll('|', '\\|').replace(/\s+/g, ' ');
    return `| \`${name}\` | ${typeWords(required ? schema : withoutNull(schema))} | ${required ? 'yes' : ''} | ${meaning} |`;
  });
  return `| field | type | required | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

/** Of every optional field the introduction says that null leaves it out. */
function withoutNull(schema: JsonSchema): JsonSchema {
  return schema.anyOf ? { ...schema, anyOf: schema.anyOf.filter(({ type }) => type !== 'null') } : schema;
}

function typeWords(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeWords))].join(' or ');
  if (schema.type === 'array') return `array of ${typeWords(schema.items ?? {})}`;
  return typeof schema.type === 'string' ? schema.type : 'any';
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** As TypeScript writes it: keys without quotes. */
function literal(value: unknown): string {
  return pretty(value).replace(/^(\s*)"([a-z_]\w*)":/gim, '$1$2:');
}
