// Wires config → store → jobs → serving → http: the only file that knows every part. Each part is made here and handed to
// those that need it; stopping goes the other way round.
import type { AddressInfo } from 'node:net';
import type { Config } from './config.ts';
import { AppError } from './errors.ts';
import { Lifecycle } from './http/lifecycle.ts';
import { healthRoutes } from './http/routes/health.ts';
import { createServer } from './http/server.ts';
import type { Logger } from './observability/logger.ts';
import { createMetrics } from './observability/metrics.ts';
import { openDatabase } from './store/open-store.ts';

export interface Service {
  /** Public address: `KINDRED_BASE_URL`, or the address it listens on. */
  readonly baseUrl: string;
  /** What to tell the person who started it. */
  readonly greeting: readonly string[];
  /** Stops accepting, finishes calls in flight, hands jobs back, closes the store. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  log: Logger;
  /** Fail calls whose answer does not match its schema: for tests. */
  checkAnswers?: boolean;
}

export async function startService(config: Config, { log, checkAnswers }: ServiceOptions): Promise<Service> {
  const database = await openDatabase(config);
  const lifecycle = new Lifecycle();
  const metrics = createMetrics();

  const server = createServer({
    routes: [...healthRoutes({ lifecycle, metrics, ping: () => database.ping() })],
    authenticate: () => {
      throw new AppError('UNAUTHENTICATED', 'Send the headers Authorization and APIKey.');
    },
    lifecycle,
    metrics,
    log,
    checkAnswers,
  });
  await server.listen({ host: config.host, port: config.port });
  const baseUrl = config.baseUrl ?? listeningUrl(config.host, server.server.address() as AddressInfo);
  lifecycle.ready();
  log.info({ base_url: baseUrl }, 'serving');

  return {
    baseUrl,
    greeting: [`Kindred serves at ${baseUrl}`],
    async stop() {
      lifecycle.stopping();
      await server.close();
      await database.close();
    },
  };
}

function listeningUrl(host: string, { port, family, address }: AddressInfo): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : host;
  return `http://${name}:${port}`;
}
