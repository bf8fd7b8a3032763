// The API reference: /openapi.json for programs, /docs for people.
import { Type } from 'typebox';
import { fixedContent } from '../compression.ts';
import { renderDocs, renderErrors } from '../docs-page.ts';
import { once } from '../once.ts';
import { describeApi } from '../openapi.ts';
import { defineRoute, JSON_TYPE, type Route } from '../route.ts';
import { open } from '../schemas/common.ts';

const DOCS_POLICY =
  "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface DocsParts {
  routes(): readonly Route[];
  version: string;
  baseUrl(): string;
}

export function docsRoutes({ routes, version, baseUrl }: DocsParts): Route[] {
  const describe = once(() => describeApi(routes(), { version, baseUrl: baseUrl() }));
  const json = once(() => fixedContent(JSON.stringify(describe())));
  const docs = once(() => fixedContent(renderDocs(describe())));
  const errors = once(() => fixedContent(renderErrors(describe())));
  return [
    defineRoute({
      method: 'GET',
      path: '/openapi.json',
      scope: null,
      tag: 'Operations',
      summary: 'This reference, as OpenAPI 3.1',
      quiet: true,
      response: open({ openapi: Type.String() }),
      examples: { response: { openapi: '3.1.1', info: { title: 'Kindred', version } } },
      handler: ({ reply }) => reply.type(JSON_TYPE).send(json()),
    }),
    pageRoute('/docs', docs),
    pageRoute('/docs/errors', errors),
  ];
}

const HTML_TYPE = 'text/html; charset=utf-8';

function pageRoute(path: string, content: () => Buffer): Route {
  return defineRoute({
    method: 'GET',
    path,
    scope: null,
    tag: 'Operations',
    summary: 'API reference',
    quiet: true,
    hidden: true,
    response: Type.String(),
    produces: [HTML_TYPE],
    examples: {},
    handler: ({ reply }) =>
      reply
        .type(HTML_TYPE)
        .header('content-security-policy', DOCS_POLICY)
        .header('cache-control', 'no-cache')
        .send(content()),
  });
}
