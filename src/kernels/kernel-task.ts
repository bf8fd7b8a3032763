// One piece of parallel work: a kernel over rows [0, rows), cut into chunks that threads take in turn. Which thread takes a
// chunk never matters to the result: a chunk writes its own rows only, and scratch is zero when a thread starts.
import type { KernelName, Kernels } from './kernel-module.ts';

export interface KernelTask {
  readonly kernel: KernelName;
  readonly args: readonly number[];
  readonly rows: number;
  readonly chunkRows: number;
  /** first byte of thread 0's scratch; thread n's begins n · scratchBytes later */
  readonly scratch: number;
  readonly scratchBytes: number;
}

/** Words of the control block. */
export const NEXT_CHUNK = 0;
export const CANCELLED = 1;

export function runChunks(
  kernels: Kernels,
  memory: WebAssembly.Memory,
  task: KernelTask,
  control: Int32Array,
  thread: number,
): void {
  const kernel = kernels[task.kernel];
  const scratch = task.scratch + thread * task.scratchBytes;
  new Uint8Array(memory.buffer, scratch, task.scratchBytes).fill(0);
  for (;;) {
    if (Atomics.load(control, CANCELLED) !== 0) return;
    const from = Atomics.add(control, NEXT_CHUNK, 1) * task.chunkRows;
    if (from >= task.rows) return;
    kernel(...task.args, from, Math.min(task.rows, from + task.chunkRows), scratch);
  }
}
