// A request's log: the service's own with the request's id in each line. Made for every request and used by few, so it is an
// object of two fields instead of a child logger, whose making costs more than the rest of a small call.
import type { FastifyBaseLogger } from 'fastify';
import type { Logger } from '../observability/logger.ts';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

export class RequestLog {
  readonly #base: Logger;
  readonly #requestId: unknown;

  constructor(base: Logger, requestId: unknown) {
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
  child(bindings: object): FastifyBaseLogger {
    return this.#base.child({ request_id: this.#requestId, ...bindings }) as unknown as FastifyBaseLogger;
  }

  #write(level: Level, first: unknown, message?: string): void {
    if (!this.#base.isLevelEnabled(level)) return;
    const line =
      typeof first === 'object' ? { request_id: this.#requestId, ...first } : { request_id: this.#requestId };
    this.#base[level](line, typeof first === 'object' ? message : String(first));
  }
}
