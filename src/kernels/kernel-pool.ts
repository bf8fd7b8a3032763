// Runs row kernels over several threads on one shared memory. With one thread the work is done in the calling thread.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { KernelMemory } from './kernel-memory.ts';
import { instantiateKernels, type KernelName, type Kernels, kernelModule } from './kernel-module.ts';
import { CANCELLED, type KernelTask, NEXT_CHUNK, runChunks } from './kernel-task.ts';

/** A number, or an array on the pool's memory whose pointer is meant. */
export type KernelArgument = number | ArrayBufferView;

/** The rows that a kernel works on. */
export interface RowWork {
  readonly rows: number;
  /** bytes of zeroed memory for each thread */
  readonly scratchBytes: number;
  /** rows that a thread takes at a time; left out: a small share of them all */
  readonly chunkRows?: number;
}

/** Largest share of the free memory that threads work with. */
const SCRATCH_SHARE = 0.5;
const CHUNKS_PER_THREAD = 32;

export class KernelPool {
  readonly memory: KernelMemory;
  readonly threads: number;
  /** The kernels on the same memory, for the calling thread. */
  readonly kernels: Kernels;
  readonly #control = new Int32Array(new SharedArrayBuffer(8));
  readonly #workers: Worker[] = [];
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => Atomics.store(this.#control, CANCELLED, 1);

  constructor(threads: number, options: { signal?: AbortSignal; memory?: KernelMemory } = {}) {
    this.threads = Math.max(1, Math.floor(threads));
    this.memory = options.memory ?? new KernelMemory();
    this.kernels = instantiateKernels(this.memory.memory);
    this.#signal = options.signal;
    this.#signal?.addEventListener('abort', this.#onAbort);
    if (this.threads === 1) return;
    const file = new URL(`./kernel-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
    for (let thread = 0; thread < this.threads; thread++) {
      const worker = new Worker(file, {
        workerData: { module: kernelModule(), memory: this.memory.memory, control: this.#control, thread },
      });
      worker.unref();
      this.#workers.push(worker);
    }
  }

  /** Runs `kernel(...args, from, to, scratch)` over all rows; resolves when every row is done. */
  async run(kernel: KernelName, args: readonly KernelArgument[], work: RowWork): Promise<void> {
    this.#signal?.throwIfAborted();
    const { memory } = this;
    const mark = memory.mark();
    const { rows } = work;
    const bytes = Math.ceil(work.scratchBytes / 64) * 64;
    // With many items, fewer threads work, because each needs its own memory.
    const threads = Math.max(1, Math.min(this.threads, Math.floor((SCRATCH_SHARE * memory.freeBytes) / bytes)));
    const scratch = memory.u8(bytes * threads).byteOffset;
    const chunkRows = work.chunkRows ?? Math.max(1, Math.ceil(rows / (this.threads * CHUNKS_PER_THREAD)));
    const task: KernelTask = {
      kernel,
      args: args.map((argument) => (typeof argument === 'number' ? argument : argument.byteOffset)),
      rows,
      chunkRows,
      scratch,
      scratchBytes: bytes,
    };
    Atomics.store(this.#control, NEXT_CHUNK, 0);
    if (this.#workers.length === 0) {
      runChunks({ kernels: this.kernels, memory: memory.memory, control: this.#control, thread: 0 }, task);
      await nextTurn();
    } else {
      await Promise.all(this.#workers.slice(0, threads).map((worker) => runOn(worker, task)));
    }
    memory.release(mark);
    this.#signal?.throwIfAborted();
  }

  async close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

function runOn(worker: Worker, task: KernelTask): Promise<void> {
  return new Promise((resolve, reject) => {
    const onMessage = (failure: string | null) => {
      finish();
      if (failure === null) resolve();
      else reject(new Error(failure));
    };
    const onError = (error: Error) => {
      finish();
      reject(error);
    };
    const onExit = () => onError(new Error('A training thread ended before its work was done.'));
    const finish = () => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      worker.unref();
    };
    worker.ref();
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(task);
  });
}
