// The calling thread's side of the writer thread: a bounded queue of requests in flight. When it is full a request is refused
// with OVERLOADED rather than kept, so that a flood costs clients a retry and not the service its memory.
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../errors.ts';
import { ConstraintViolation } from '../database.ts';
import type {
  WriteCommand,
  WriteError,
  WriteReply,
  WriteRequest,
  WriteResults,
  WriterThreadData,
} from './write-protocol.ts';

export const MAX_QUEUED_RECORDS = 64_000;
export const MAX_QUEUED_BYTES = 64 * 1024 * 1024;

interface Pending {
  records: number;
  bytes: number;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const THREAD_FILE = new URL(`./writer-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export class SqliteWriter {
  readonly #file: string;
  readonly #pending = new Map<number, Pending>();
  #thread: Worker | undefined;
  #nextRequestNo = 1;
  #queuedRecords = 0;
  #queuedBytes = 0;
  #closed = false;
  #whenIdle: (() => void) | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  get load(): { queuedRecords: number; queuedBatches: number } {
    return { queuedRecords: this.#queuedRecords, queuedBatches: this.#pending.size };
  }

  /** Resolves when the command is durable. `size` is what the queue is bounded by. */
  submit<C extends WriteCommand>(
    command: C,
    size: { records: number; bytes: number },
  ): Promise<WriteResults[C['kind']]> {
    if (this.#closed) return Promise.reject(new AppError('SHUTTING_DOWN', 'The store is closed.'));
    const full =
      this.#queuedRecords + size.records > MAX_QUEUED_RECORDS || this.#queuedBytes + size.bytes > MAX_QUEUED_BYTES;
    if (full && this.#pending.size > 0) {
      return Promise.reject(
        new AppError('OVERLOADED', 'Too many records are waiting to be written. Send this call again in a moment.', {
          retryAfterSec: 1,
        }),
      );
    }
    return new Promise((resolve, reject) => {
      const requestNo = this.#nextRequestNo++;
      this.#pending.set(requestNo, { ...size, resolve: resolve as (result: unknown) => void, reject });
      this.#queuedRecords += size.records;
      this.#queuedBytes += size.bytes;
      const thread = this.#startedThread();
      thread.ref();
      thread.postMessage({ requestNo, weight: size.records, command } satisfies WriteRequest);
    });
  }

  /** Waits for what is in flight, then stops the thread. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#pending.size > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  #startedThread(): Worker {
    if (this.#thread) return this.#thread;
    const thread = new Worker(THREAD_FILE, { workerData: { file: this.#file } satisfies WriterThreadData });
    thread.on('message', (replies: WriteReply[]) => {
      for (const reply of replies) this.#settle(reply);
      // An idle writer must not keep a process alive that forgot to close the store.
      if (this.#pending.size === 0) thread.unref();
    });
    thread.on('error', (error) => this.#threadLost(thread, error));
    thread.on('exit', () => this.#threadLost(thread));
    this.#thread = thread;
    return thread;
  }

  #settle({ requestNo, result, error }: WriteReply): void {
    const pending = this.#pending.get(requestNo);
    if (!pending) return;
    this.#forget(requestNo, pending);
    if (error) pending.reject(toError(error));
    else pending.resolve(result);
  }

  #forget(requestNo: number, { records, bytes }: Pending): void {
    this.#pending.delete(requestNo);
    this.#queuedRecords -= records;
    this.#queuedBytes -= bytes;
    if (this.#pending.size === 0) this.#whenIdle?.();
  }

  /** The next request starts a new thread. Whether the last group was committed is not known: its callers must retry. */
  #threadLost(thread: Worker, cause?: unknown): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    for (const [requestNo, pending] of [...this.#pending]) {
      this.#forget(requestNo, pending);
      pending.reject(
        new AppError('STORE_UNAVAILABLE', 'The writer stopped. Send this call again.', { cause, retryAfterSec: 1 }),
      );
    }
  }
}

function toError({ kind, code, message }: WriteError): Error {
  if (kind === 'app') return new AppError(code as ErrorCode, message, { retryAfterSec: 1 });
  return kind === 'constraint' ? new ConstraintViolation(message) : new Error(message);
}
