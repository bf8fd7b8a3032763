// GET /demo/: the shop page that `kindred demo` leaves behind. It is there while its file is in the data folder, and only for calls from
// this machine to a loopback name, so a service that other machines reach has none.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../errors.ts';
import { isLocalCall } from '../auth/sign-in-code.ts';
import { fixedContent } from '../compression.ts';
import { defineRoute, JSON_TYPE, type Route } from '../route.ts';
import { closed } from '../schemas/common.ts';

export interface DemoParts {
  /** The folder of the built page. */
  directory: string;
  /** The file with the shop that the demo wrote. */
  shopFile: string;
  /** Returns an SVG; null if there is no poster of this name. */
  drawPoster(name: string): string | null;
}

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const POSTER_POLICY = "default-src 'none'; frame-ancestors 'none'";

const FILES = [
  { path: '/demo', file: 'index.html', type: 'text/html; charset=utf-8' },
  { path: '/demo/shop.js', file: 'shop.js', type: 'text/javascript; charset=utf-8' },
  { path: '/demo/shop.css', file: 'shop.css', type: 'text/css; charset=utf-8' },
];

export function demoRoutes({ directory, shopFile, drawPoster }: DemoParts): Route[] {
  /** Returns null if no demo ran here or the caller may not see it. */
  async function readShop({ raw, headers }: FastifyRequest): Promise<string | null> {
    if (!isLocalCall(raw.socket.remoteAddress, headers.host)) return null;
    return readFile(shopFile, 'utf8').catch(() => null);
  }

  const page = (path: string, params: object, respond: (name: string, reply: FastifyReply) => FastifyReply | null) =>
    defineRoute({
      method: 'GET',
      path,
      scope: null,
      hidden: true,
      quiet: true,
      tag: 'Demo',
      summary: 'The demo shop',
      ...params,
      response: Type.Unknown(),
      examples: {},
      async handler({ params, request, reply }) {
        const { name = '' } = params as { name?: string };
        const responded =
          (await readShop(request)) === null ? null : respond(name, reply.header('cache-control', 'no-cache'));
        if (responded === null) {
          throw new AppError('ROUTE_NOT_FOUND', 'There is no demo shop here. Run npx kindred demo to get one.');
        }
        return responded;
      },
    });

  return [
    ...FILES.map(({ path, file, type }) => {
      const content = readBuilt(join(directory, file));
      return page(
        path,
        {},
        (_name, reply) => content && reply.type(type).header('content-security-policy', PAGE_POLICY).send(content),
      );
    }),
    page('/demo/posters/:name', { params: closed({ name: Type.String({ maxLength: 64 }) }) }, (name, reply) => {
      const poster = drawPoster(name);
      return poster === null
        ? null
        : reply.type('image/svg+xml').header('content-security-policy', POSTER_POLICY).send(poster);
    }),
    defineRoute({
      method: 'GET',
      path: '/demo/shop.json',
      scope: null,
      hidden: true,
      quiet: true,
      tag: 'Demo',
      summary: 'The demo shop, if there is one',
      response: Type.Unknown(),
      examples: {},
      async handler({ request, reply }) {
        const shop = (await readShop(request)) ?? 'null';
        return reply.type(JSON_TYPE).header('cache-control', 'no-store').send(`{"shop":${shop}}`);
      },
    }),
  ];
}

function readBuilt(file: string): Buffer | null {
  try {
    return fixedContent(readFileSync(file));
  } catch {
    return null;
  }
}
