// The calling thread's side of the writer thread: a bounded queue of requests in flight.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../errors.ts';
import { ConstraintViolation } from '../database.ts';
import { WriteBudget, type WriteSize } from '../write-limits.ts';
import {
  CLOSE,
  type WriteCommand,
  type WriteError,
  type WriteReply,
  type WriteRequest,
  type WriteResults,
  type WriterThreadData,
} from './write-protocol.ts';

interface Pending {
  size: WriteSize;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const THREAD_FILE = new URL(`./writer-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export class SqliteWriter {
  readonly #file: string;
  readonly #pending = new Map<number, Pending>();
  #thread: Worker | undefined;
  #nextRequestNo = 1;
  readonly #budget = new WriteBudget();
  #closed = false;
  #whenIdle: (() => void) | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  get load(): { queuedRecords: number; queuedBatches: number } {
    return this.#budget.load;
  }

  /** Resolves when the command is durable. `size` is what the queue is bounded by; `transfer` are buffers that move along. */
  submit<C extends WriteCommand>(
    command: C,
    size: WriteSize,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<WriteResults[C['kind']]> {
    if (this.#closed) return Promise.reject(new AppError('SHUTTING_DOWN', 'The store is closed.'));
    return new Promise((resolve, reject) => {
      this.#budget.take(size);
      const requestNo = this.#nextRequestNo++;
      this.#pending.set(requestNo, { size, resolve: resolve as (result: unknown) => void, reject });
      const thread = this.#startedThread();
      thread.ref();
      thread.postMessage({ requestNo, weight: size.records, command } satisfies WriteRequest, transfer);
    });
  }

  /** Refuses new requests and waits for those in flight. */
  async drain(): Promise<void> {
    this.#closed = true;
    if (this.#pending.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  /** Closes the file and stops the thread. Readers of this process must have closed before. */
  async close(): Promise<void> {
    await this.drain();
    const thread = this.#thread;
    this.#thread = undefined;
    if (!thread) return;
    const exited = once(thread, 'exit');
    thread.ref();
    thread.postMessage(CLOSE);
    await exited;
  }

  #startedThread(): Worker {
    if (this.#thread) return this.#thread;
    const workerData: WriterThreadData = { file: this.#file };
    const thread = new Worker(THREAD_FILE, { workerData });
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

  #forget(requestNo: number, { size }: Pending): void {
    this.#pending.delete(requestNo);
    this.#budget.giveBack(size);
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
