// Preloaded into a service process (NODE_OPTIONS=--import): writes every route that its server has registered to the file that
// ROUTES_FILE names.
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { RegisteredRoute } from './api-operations.ts';

const file = process.env.ROUTES_FILE;

if (file !== undefined) {
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance };
    const routes: RegisteredRoute[] = [];
    fastify.addHook('onRoute', ({ method, url, schema }: RouteOptions) => {
      for (const one of [method].flat()) routes.push({ method: one, path: url, schema: schema as never });
    });
    fastify.addHook('onReady', (done) => {
      writeFileSync(file, JSON.stringify(routes));
      done();
    });
  });
}
