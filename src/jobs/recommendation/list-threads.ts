// Lists on all cores. Each thread has the models and the catalog in memory, so there are only as many as fit into MEMORY_BYTES,
// at least one. Lists come back in the order of the batches, a bounded number of which is on its way.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { JobFailure } from '../../domain/job.ts';
import { longestList } from './job-questions.ts';
import type { ListMaker, ListThreadInput, ListThreadMessage, MadeLists } from './list-protocol.ts';
import { transferOf, type UserBatch } from './user-batch.ts';

/** Memory of all threads together. */
const MEMORY_BYTES = 2 * 1024 ** 3;
/** Batches a thread has: the one it works on and the next. */
const BATCHES_PER_THREAD = 2;
/** Batches in progress per thread: while the oldest is not done, other threads must still have work. */
const WINDOW_PER_THREAD = 4;

const THREAD_FILE = new URL(`./list-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

interface Work {
  readonly batch: UserBatch;
  resolve(lists: MadeLists): void;
  reject(error: Error): void;
}

export class ListThreads implements ListMaker {
  historyLimit = 0;
  readonly #input: ListThreadInput;
  readonly #threads: { readonly worker: Worker; readonly doing: Work[] }[] = [];
  readonly #waiting: Work[] = [];
  #failure: Error | null = null;

  private constructor(input: ListThreadInput) {
    this.#input = input;
  }

  get columns(): ListMaker['columns'] {
    return this.#input;
  }

  get listLength(): number {
    return longestList(this.#input);
  }

  /** Resolves when the first thread is ready. Close it in the end. */
  static async open(input: ListThreadInput, most = availableParallelism()): Promise<ListThreads> {
    const threads = new ListThreads(input);
    try {
      const { memoryBytes, historyLimit } = await threads.#start();
      threads.historyLimit = historyLimit;
      const count = Math.max(1, Math.min(most, Math.floor(MEMORY_BYTES / memoryBytes)));
      // Batches wait for these threads. If one fails to start, its first batch gets the error.
      for (let n = 1; n < count; n++) threads.#start().catch(() => undefined);
      return threads;
    } catch (error) {
      await threads.close();
      throw error;
    }
  }

  /** Yields results in the order of the batches. */
  async *make(batches: AsyncIterable<UserBatch>): AsyncGenerator<MadeLists> {
    const window: Promise<MadeLists>[] = [];
    for await (const batch of batches) {
      window.push(this.#give(batch));
      if (window.length >= WINDOW_PER_THREAD * this.#threads.length) yield await window.shift()!;
    }
    while (window.length > 0) yield await window.shift()!;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #give(batch: UserBatch): Promise<MadeLists> {
    const made = new Promise<MadeLists>((resolve, reject) => {
      if (this.#failure) reject(this.#failure);
      else this.#waiting.push({ batch, resolve, reject });
    });
    // The error is thrown when the result is awaited, in its turn.
    made.catch(() => undefined);
    this.#hand();
    return made;
  }

  #hand(): void {
    for (;;) {
      const thread = this.#threads.reduce((a, b) => (b.doing.length < a.doing.length ? b : a));
      if (this.#waiting.length === 0 || thread.doing.length >= BATCHES_PER_THREAD) return;
      const work = this.#waiting.shift()!;
      thread.doing.push(work);
      thread.worker.postMessage(work.batch, transferOf(work.batch));
    }
  }

  #start(): Promise<Extract<ListThreadMessage, { kind: 'ready' }>> {
    const thread = { worker: new Worker(THREAD_FILE, { workerData: this.#input }), doing: [] as Work[] };
    this.#threads.push(thread);
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        reject(error);
        this.#fail(error);
      };
      thread.worker.on('message', (message: ListThreadMessage) => {
        if (message.kind === 'ready') resolve(message);
        else if (message.kind === 'made') {
          thread.doing.shift()!.resolve(message.lists);
          this.#hand();
        } else if (message.kind === 'failure') fail(new JobFailure(message.code, message.message));
        else fail(Object.assign(new Error(message.message), { stack: message.stack }));
      });
      thread.worker.on('error', fail);
      thread.worker.on('exit', () => fail(new Error('A thread that makes lists ended unexpectedly.')));
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    const lost = [...this.#threads.flatMap(({ doing }) => doing.splice(0)), ...this.#waiting.splice(0)];
    for (const { reject } of lost) reject(this.#failure);
  }
}
