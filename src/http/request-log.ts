// The log of a request: the service's log with the request id in each line. Every request gets one and few use it, so it is
// an object of two fields instead of a child logger; building a child costs more than the rest of a small request.
import type { Logger } from '../observability/logger.ts';

export const REQUEST_ID = 'request_id';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

export class RequestLog {
  readonly #base: Logger;
  readonly #requestId: unknown;

  /** Undefined for the server's own log. */
  constructor(base: Logger, requestId?: unknown) {
    this.#base = base;
    this.#requestId = requestId;
  }

  get level(): string {
    return this.#base.level;
  }
  trace(first: unknown, message?: string): void {
    this.#write('trace', first, message);
  }
  debug(first: unknown, message?: string): void {
    this.#write('debug', first, message);
  }
  info(first: unknown, message?: string): void {
    this.#write('info', first, message);
  }
  warn(first: unknown, message?: string): void {
    this.#write('warn', first, message);
  }
  error(first: unknown, message?: string): void {
    this.#write('error', first, message);
  }
  fatal(first: unknown, message?: string): void {
    this.#write('fatal', first, message);
  }
  silent(): void {}
  /** Fastify calls this to create the log of each request from the server's log. */
  child(bindings: { readonly [REQUEST_ID]?: unknown }): RequestLog {
    return new RequestLog(this.#base, bindings[REQUEST_ID] ?? this.#requestId);
  }

  #write(level: Level, first: unknown, message?: string): void {
    if (!this.#base.isLevelEnabled(level)) return;
    const line =
      typeof first === 'object' ? { [REQUEST_ID]: this.#requestId, ...first } : { [REQUEST_ID]: this.#requestId };
    this.#base[level](line, typeof first === 'object' ? message : String(first));
  }
}
