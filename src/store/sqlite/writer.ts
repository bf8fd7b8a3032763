// The calling thread's side of the writer thread: a bounded queue, in which accounts take turns. Only as much as the thread needs
// to be busy is handed to it at a time, so that a request of an account that has nothing waiting comes soon.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { FairQueue } from '../../base/fair-queue.ts';
import type { Runtime } from '../../base/runtime.ts';
import { pastSteps } from '../../base/trace.ts';
import { AppError, ERROR_CODES, type ErrorCode } from '../../errors.ts';
import { ConstraintViolation } from '../database.ts';
import { currentAccount } from '../on-behalf-of.ts';
import { MAX_GROUP_RECORDS, WriteBudget, type WriteSize, weightOf } from '../write-limits.ts';
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
  accountId: string;
  size: WriteSize;
  resolve(result: unknown): void;
  reject(error: Error): void;
  /** null if the call is not traced */
  tellSteps: ReturnType<typeof pastSteps>;
}

interface Waiting extends Pending {
  request: Omit<WriteRequest, 'nowMs'>;
  transfer: readonly ArrayBuffer[];
}

/** Most weight sent to the thread at a time: the group it writes and enough to begin the next one. */
const MAX_HANDED_WEIGHT = 1.5 * MAX_GROUP_RECORDS;
/** Writes of the service itself take turns with those of accounts. */
const SERVICE = '';

const THREAD_FILE = new URL(`./writer-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export class SqliteWriter {
  readonly #file: string;
  readonly #runtime: Runtime;
  readonly #waiting = new FairQueue<Waiting>();
  /** requests sent to the thread that have no reply yet */
  readonly #pending = new Map<number, Pending>();
  #handedWeight = 0;
  #thread: Worker | undefined;
  #nextRequestNo = 1;
  readonly #budget = new WriteBudget();
  #closed = false;
  #whenIdle: (() => void) | undefined;

  constructor(file: string, runtime: Runtime) {
    this.#file = file;
    this.#runtime = runtime;
  }

  get load(): { queuedRecords: number; queuedBatches: number } {
    return this.#budget.load;
  }

  /**
   * Resolves when the command is durable. `size` counts towards the limit of the queue. `transfer` are buffers to move to the
   * thread.
   */
  submit<C extends WriteCommand>(
    command: C,
    size: WriteSize,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<WriteResults[C['kind']]> {
    if (this.#closed) return Promise.reject(new AppError('SHUTTING_DOWN', 'The store is closed.'));
    const accountId = ('target' in command ? command.target.account_id : currentAccount()) ?? SERVICE;
    return new Promise((resolve, reject) => {
      this.#budget.take(accountId, size);
      const tellSteps = pastSteps();
      const request: Waiting['request'] = { requestNo: this.#nextRequestNo++, weight: weightOf(size), command };
      if (tellSteps !== null) request.traced = true;
      const settle = { resolve: resolve as (result: unknown) => void, reject };
      this.#waiting.add(accountId, { accountId, size, request, transfer, tellSteps, ...settle });
      this.#hand();
    });
  }

  #hand(): void {
    while (this.#handedWeight < MAX_HANDED_WEIGHT) {
      const next = this.#waiting.next();
      if (next === undefined) return;
      const { request, transfer, ...pending } = next;
      this.#pending.set(request.requestNo, pending);
      this.#handedWeight += request.weight;
      const thread = this.#startedThread();
      thread.ref();
      thread.postMessage({ ...request, nowMs: this.#runtime.nowMs() } satisfies WriteRequest, transfer);
    }
  }

  /** Refuses new requests and waits for those in flight. */
  async drain(): Promise<void> {
    this.#closed = true;
    if (this.#isIdle) return;
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
      this.#hand();
      // An idle writer must not keep a process alive that forgot to close the store.
      if (this.#pending.size === 0) thread.unref();
    });
    thread.on('error', (error) => this.#threadLost(thread, error));
    thread.on('exit', () => this.#threadLost(thread));
    this.#thread = thread;
    return thread;
  }

  #settle({ requestNo, result, error, steps = [] }: WriteReply): void {
    const pending = this.#pending.get(requestNo);
    if (!pending) return;
    pending.tellSteps?.(steps);
    this.#forget(requestNo, pending);
    if (error) pending.reject(toError(error));
    else pending.resolve(result);
  }

  #forget(requestNo: number, { accountId, size }: Pending): void {
    this.#pending.delete(requestNo);
    this.#handedWeight -= weightOf(size);
    this.#budget.giveBack(accountId, size);
    if (this.#isIdle) this.#whenIdle?.();
  }

  get #isIdle(): boolean {
    return this.#pending.size === 0 && this.#waiting.size === 0;
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
    this.#hand();
  }
}

function toError({ kind, code, message }: WriteError): Error {
  if (kind === 'app') {
    const isTemporary = ERROR_CODES[code as ErrorCode].status >= 500;
    return new AppError(code as ErrorCode, message, isTemporary ? { retryAfterSec: 1 } : {});
  }
  return kind === 'constraint' ? new ConstraintViolation(message) : new Error(message);
}
