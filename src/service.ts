// A running service, whatever its roles, as those who start it see it.
import type { Runtime } from './base/runtime.ts';
import type { Logger } from './observability/logger.ts';

export interface Service {
  /** Public address: `KINDRED_BASE_URL`, or the address it listens on. */
  readonly baseUrl: string;
  /** Printed for the person who started it. */
  readonly greeting: readonly string[];
  /** Resolves when the database was replaced: stop this service and start another. */
  readonly replaced: Promise<void>;
  /** Stops accepting calls, finishes calls in flight, returns jobs to the queue, closes the store. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  log: Logger;
  /** For tests: fails calls whose response does not match its schema. */
  checkResponses?: boolean;
  /** Default: the system's. Threads and the worker process keep the system's. */
  runtime?: Runtime;
}

/** Address of a service that listens on the port. */
export function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
