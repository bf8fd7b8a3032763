// The web console: static files of build/console at /console/, a redirect from `/`, and sign-in by one-time link.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyError, FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../errors.ts';
import { isLocalCall, type SignInCode } from '../auth/sign-in-code.ts';
import { sendError } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, open } from '../schemas/common.ts';

export const CONSOLE_PATH = '/console/';

const SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // https: an item attribute may hold the address of a picture on any host.
  "img-src 'self' data: blob: https:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the built console, if it has been built. */
export function addConsole(app: FastifyInstance, directory: string): void {
  app.get('/', (_request, reply) => reply.redirect(CONSOLE_PATH, 302));
  if (!existsSync(join(directory, 'index.html'))) return;
  app.register(async (scope) => {
    // Whatever the folder rejects (a path outside it, a failed file condition) becomes 404.
    scope.setErrorHandler<FastifyError>((error, request, reply) => {
      const isRefusal = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500;
      return isRefusal ? reply.callNotFound() : sendError(error, request, reply);
    });
    await scope.register(fastifyStatic, {
      root: directory,
      prefix: CONSOLE_PATH,
      redirect: true,
      acceptRanges: false,
      preCompressed: true,
      setHeaders(reply, path) {
        reply.header('content-security-policy', SECURITY_POLICY);
        reply.header('referrer-policy', 'no-referrer');
        // Asset names contain a hash of their content.
        const isHashed = /[.-][\w-]{8,}\.(js|css|woff2|svg|png)(\.br|\.gz)?$/.test(path);
        reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
    // The router treats /console and /console/ alike, and the folder's routes cover neither; the page needs the slash.
    scope.get(CONSOLE_PATH, (request, reply) =>
      request.url.split('?', 1)[0] === CONSOLE_PATH ? reply.sendFile('index.html') : reply.redirect(CONSOLE_PATH, 302),
    );
  });
}

export function signInRoutes(signIn: SignInCode | null): Route[] {
  if (!signIn) return [];
  return [
    defineRoute({
      method: 'POST',
      path: '/console/session',
      scope: null,
      tag: 'Console',
      summary: 'Exchange the one-time sign-in code for credentials',
      hidden: true,
      bodyClass: 'anonymous',
      body: closed({ code: Type.String({ minLength: 1, maxLength: 256 }) }),
      response: open({ api_key: Type.String(), client_secret: Type.String() }),
      errors: ['UNAUTHENTICATED'],
      examples: { request: { code: '…' }, response: { api_key: 'kk_…', client_secret: 'ks_…' } },
      handler({ body, request, reply, runtime }) {
        const isLocal = isLocalCall(request.raw.socket.remoteAddress, request.headers.host);
        const credentials = isLocal ? signIn.redeem(body.code, runtime.nowMs()) : null;
        if (!credentials) {
          throw new AppError(
            'UNAUTHENTICATED',
            'The sign-in link was already used or has expired. Sign in with the API key and client secret.',
          );
        }
        reply.header('cache-control', 'no-store');
        return { api_key: credentials.api_key, client_secret: credentials.client_secret };
      },
    }),
  ];
}
