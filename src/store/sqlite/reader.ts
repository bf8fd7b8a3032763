// The calling thread's side of a reader thread, which is started at the first long read.
import { Worker } from 'node:worker_threads';
import { AppError } from '../../errors.ts';
import type { Row, SqlValue } from '../database.ts';
import { FairGate } from '../fair-gate.ts';
import type { EventReader } from './event-reader.ts';
import { unavailableError } from './sqlite-error.ts';

/** The methods of EventReader that return plain data. */
export type LongRead = 'counts' | 'block';

/** The connection that the thread opens. */
export interface ReaderConnection {
  file: string;
  cacheKib: number | undefined;
}

export interface ReadRequest {
  requestNo: number;
  method: LongRead | 'all';
  args: unknown[];
}

export interface ReadReply {
  requestNo: number;
  result?: unknown;
  error?: { message: string; errcode?: number };
}

const MAX_WAITING = 256;
/** Long reads run one after the other, and accounts take turns. Reading very many rows is split into several reads. */
const LIMITS = { places: 1, placesOfAccount: 1, waitingOfAccount: 32 };
const THREAD_FILE = new URL(`./reader-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export class SqliteReader {
  readonly #connection: ReaderConnection;
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  readonly #gate = new FairGate(LIMITS);
  #thread: Worker | undefined;
  #nextRequestNo = 1;

  constructor(file: string, cacheKib?: number) {
    this.#connection = { file, cacheKib };
  }

  call<M extends LongRead>(method: M, ...args: Parameters<EventReader[M]>): Promise<ReturnType<EventReader[M]>> {
    return this.#gate.run(() => this.#request(method, args)) as Promise<ReturnType<EventReader[M]>>;
  }

  all<T = Row>(sql: string, params: readonly SqlValue[]): Promise<T[]> {
    return this.#gate.run(() => this.#request('all', [sql, params])) as Promise<T[]>;
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    await thread?.terminate();
  }

  #request(method: LongRead | 'all', args: unknown[]): Promise<unknown> {
    if (this.#waiting.size >= MAX_WAITING) {
      return Promise.reject(new AppError('OVERLOADED', 'Too many long reads are waiting.', { retryAfterSec: 1 }));
    }
    return new Promise((resolve, reject) => {
      const requestNo = this.#nextRequestNo++;
      this.#waiting.set(requestNo, { resolve, reject });
      const thread = this.#startedThread();
      thread.ref();
      thread.postMessage({ requestNo, method, args } satisfies ReadRequest);
    });
  }

  #startedThread(): Worker {
    if (this.#thread) return this.#thread;
    const thread = new Worker(THREAD_FILE, { workerData: this.#connection });
    thread.on('message', ({ requestNo, result, error }: ReadReply) => {
      const waiting = this.#waiting.get(requestNo);
      this.#waiting.delete(requestNo);
      if (this.#waiting.size === 0) thread.unref();
      if (error) waiting?.reject(unavailableError(error) ?? new Error(error.message));
      else waiting?.resolve(result);
    });
    const lost = (cause?: unknown): void => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      const error = new AppError('STORE_UNAVAILABLE', 'The reader stopped. Send this call again.', { cause });
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    thread.on('error', lost);
    thread.on('exit', () => lost());
    this.#thread = thread;
    return thread;
  }
}
