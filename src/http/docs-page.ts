// The API reference as one HTML page, rendered on the server from the OpenAPI document. It runs no script and looks like the
// console: both use console/src/docs.css and the same fonts.
import { ERROR_CODES } from '../errors.ts';
import type { OpenApiDocument } from './openapi.ts';
import { type Json, type JsonObject, withoutRefs } from './shared-schemas.ts';

interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  isOpen: boolean;
  parameters: JsonObject[];
  body: JsonObject | null;
  responses: JsonObject;
}

/** Text that is escaped already. */
type Html = { html: string };

/** Classes of console/src/styles/ui/tag.css. */
const METHOD_TONES: Record<string, string> = { GET: '', POST: 'accent', PUT: 'warn', DELETE: 'danger' };

const MARK: Html = {
  html: '<img src="/console/icon.svg" width="26" height="26" alt="">',
};

export function renderDocs(described: OpenApiDocument): string {
  const document = withoutRefs(described);
  const operations = readOperations(document);
  const groups = [...Map.groupBy(operations, (operation) => operation.tag)];
  return page(
    'Kindred API',
    html`
<nav aria-label="Calls">
  <p class="brand">${MARK}<a href="#top">Kindred API</a> <small>${document.info.version}</small></p>
  ${groups.map(
    ([tag, ofTag]) =>
      html`<h2>${tag}</h2><ul>${ofTag.map((one) => html`<li><a href="#${one.id}">${one.path}</a></li>`)}</ul>`,
  )}
  <h2>More</h2>
  <ul><li><a href="/docs/errors">Errors</a></li><li><a href="/openapi.json">openapi.json</a></li><li><a href="/console/">Console</a></li></ul>
</nav>
<main id="top">
  <h1>Kindred API</h1>
  <p>${document.info.description}</p>
  <section class="card">
    <h2>Credentials</h2>
    <p>Exchange the API key and its secret for an access token, then send both with every call:</p>
    ${code(`TOKEN=$(curl -s ${baseUrlOf(document)}/oauth2/token -d grant_type=client_credentials \\
  -d client_id=$API_KEY -d client_secret=$CLIENT_SECRET -d scope='*' | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`)}
    ${code(`curl ${baseUrlOf(document)}/get-account -H "Authorization: Bearer $TOKEN" -H "APIKey: $API_KEY"`)}
    <p>A token covers the operation paths in its scope, or every call with <code>*</code>, for one hour.</p>
  </section>
  ${groups.map(
    ([tag, ofTag]) => html`<h2 class="group">${tag}</h2>${ofTag.map((one) => renderOperation(one, document))}`,
  )}
</main>`,
  );
}

export function renderErrors(document: OpenApiDocument): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([name, { status, title }]) =>
      html`<tr id="${name}"><td><code>${name}</code></td><td>${status}</td><td>${title}</td></tr>`,
  );
  const examples = document.components.examples as { [code: string]: { value: Json } };
  return page(
    'Kindred API: errors',
    html`
<nav aria-label="Pages"><p class="brand">${MARK}<a href="/docs">Kindred API</a></p><ul><li><a href="/docs">All calls</a></li></ul></nav>
<main>
  <h1>Errors</h1>
  <p>A failed call returns a problem document (RFC 9457, <code>application/problem+json</code>). <code>code</code> is stable: branch on it. <code>detail</code> is for people. <code>errors</code> points to each invalid field of the request.</p>
  ${code(JSON.stringify(examples.INVALID_REQUEST.value, null, 2))}
  <table><thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead><tbody>${rows}</tbody></table>
</main>`,
  );
}

function readOperations(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: String(operation.operationId),
      method: method.toUpperCase(),
      path,
      tag: (operation.tags as string[])[0],
      summary: String(operation.summary),
      description: String(operation.description ?? ''),
      isOpen: !(operation.security as JsonObject[]).some((way) => 'token' in way),
      parameters: (operation.parameters ?? []) as JsonObject[],
      body: ((operation.requestBody as JsonObject | undefined)?.content as JsonObject | undefined)?.[
        'application/json'
      ] as JsonObject | null,
      responses: operation.responses as JsonObject,
    })),
  );
}

function renderOperation(operation: Operation, document: OpenApiDocument): Html {
  const { id, method, path, summary, description, isOpen, parameters, body, responses } = operation;
  const [type, response] = Object.entries((responses['200'] as JsonObject).content as JsonObject)[0] as [
    string,
    JsonObject,
  ];
  const failures = Object.entries(responses).filter(([status]) => status !== '200');
  return html`
<article class="card" id="${id}">
  <h3><span class="tag ${METHOD_TONES[method]}">${method}</span> <a href="#${id}">${path}</a></h3>
  <p><strong>${summary}.</strong> ${prose(description)}${isOpen ? ' Needs no credentials.' : ''}</p>
  ${parameters.length > 0 ? html`<h4>Query and path</h4>${fieldTable(parameters.map(parameterRow))}` : ''}
  ${body ? html`<h4>Body</h4>${fieldTable(rowsOf(body.schema as JsonObject))}` : ''}
  <h4>Example</h4>
  ${code(curlOf(operation, document))}
  ${code(typeof response.example === 'string' ? response.example : JSON.stringify(response.example, null, 2))}
  <details><summary>Response fields</summary>${
    type === 'application/json' ? fieldTable(rowsOf(response.schema as JsonObject)) : html`<p><code>${type}</code></p>`
  }</details>
  <details><summary>Errors</summary><table><tbody>${failures.map(
    ([status, failure]) => html`<tr><td>${status}</td><td>${errorNames(failure as JsonObject)}</td></tr>`,
  )}</tbody></table></details>
</article>`;
}

function errorNames(failure: JsonObject): Html | string {
  const problems = (failure.content as JsonObject)['application/problem+json'] as JsonObject | undefined;
  if (!problems) return String(failure.description);
  const codes = Object.keys(problems.examples as JsonObject);
  return join(codes.map((name) => html`<a href="/docs/errors#${name}"><code>${name}</code></a> `));
}

interface FieldRow {
  name: string;
  type: string;
  required: boolean;
  note: string;
}

const parameterRow = (parameter: JsonObject): FieldRow =>
  toRow(String(parameter.name), parameter.schema as JsonObject, parameter.required === true);

/** The fields of an object, those of inner objects as `outer.inner`, of elements as `list[].field`. */
function rowsOf(schema: JsonObject, prefix = '', depth = 0): FieldRow[] {
  if (depth > 4) return [];
  const inner = alternativesOf(schema);
  if (inner.length > 1) return inner.flatMap((one) => rowsOf(one, prefix, depth + 1));
  if (schema.type === 'array') return rowsOf((schema.items ?? {}) as JsonObject, `${prefix}[]`, depth);
  const required = (schema.required ?? []) as string[];
  return Object.entries((schema.properties ?? {}) as JsonObject).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return [toRow(path, field as JsonObject, required.includes(name)), ...rowsOf(field as JsonObject, path, depth + 1)];
  });
}

function alternativesOf(schema: JsonObject): JsonObject[] {
  return ((schema.anyOf ?? schema.oneOf ?? []) as JsonObject[]).filter((one) => one.type !== 'null');
}

function toRow(name: string, schema: JsonObject, required: boolean): FieldRow {
  const notes = [
    schema.description,
    schema.enum && `One of ${(schema.enum as Json[]).join(', ')}.`,
    (schema.minimum !== undefined || schema.maximum !== undefined) &&
      `From ${schema.minimum ?? '−∞'} to ${schema.maximum ?? '∞'}.`,
    schema.maxLength && `${schema.minLength ?? 0} to ${schema.maxLength} characters.`,
    schema.maxItems && `At most ${schema.maxItems} elements.`,
  ];
  return { name, type: typeName(schema), required, note: notes.filter(Boolean).join(' ') };
}

function typeName(schema: JsonObject): string {
  const options = (schema.anyOf ?? schema.oneOf) as JsonObject[] | undefined;
  if (options) return [...new Set(options.map(typeName))].join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === 'array') return `array of ${typeName((schema.items ?? {}) as JsonObject)}`;
  return Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type ?? 'any');
}

function fieldTable(rows: FieldRow[]): Html {
  if (rows.length === 0) return html`<p>No fields.</p>`;
  return html`<table><thead><tr><th>field</th><th>type</th><th>meaning</th></tr></thead><tbody>${rows.map(
    ({ name, type, required, note }) =>
      html`<tr><td><code>${name}</code>${required ? html` <em title="required">required</em>` : ''}</td><td>${type}</td><td>${prose(note)}</td></tr>`,
  )}</tbody></table>`;
}

function curlOf({ method, path, isOpen, parameters, body }: Operation, document: OpenApiDocument): string {
  const given = parameters.filter((parameter) => parameter.example !== undefined);
  const query = given.filter((parameter) => parameter.in === 'query');
  const url = given
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), `${baseUrlOf(document)}${path}`);
  const search = new URLSearchParams(query.map(({ name, example }) => [String(name), String(example)])).toString();
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${url}${search && `?${search}`}'`,
    ...(isOpen ? [] : [`-H "Authorization: Bearer $TOKEN" -H "APIKey: $API_KEY"`]),
    ...(body ? [`-H 'Content-Type: application/json' -d '${exampleJson(body.example)}'`] : []),
  ].join(' \\\n  ');
}

/** Prints short values on one line. */
function exampleJson(value: Json): string {
  const line = JSON.stringify(value);
  return line.length <= 60 ? line : JSON.stringify(value, null, 2);
}

const baseUrlOf = (document: OpenApiDocument): string => String((document.servers as JsonObject[])[0].url);

/** Turns `…` in a text into code. */
const prose = (text: string): Html =>
  join(text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`)));

const code = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`;

function page(title: string, content: Html): string {
  return `<!doctype html>${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><meta name="color-scheme" content="light dark"><link rel="icon" href="/console/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/console/docs.css"></head><body>${content}</body></html>`
      .html
  }`;
}

type Part = Html | string | number | Json | (Html | string)[];

/** Escapes every part, except HTML made here. */
function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return { html: texts.reduce((whole, text, index) => whole + toHtml(parts[index - 1]) + text) };
}

function toHtml(part: Part): string {
  if (Array.isArray(part)) return part.map((one) => toHtml(one as Part)).join('');
  if (typeof part === 'object' && part !== null && 'html' in part) return String(part.html);
  return String(part ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const join = (parts: Html[]): Html => ({ html: parts.map((part) => part.html).join('') });
