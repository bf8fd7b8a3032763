// One piece of parallel work: a kernel over rows [0, rows), cut into chunks that threads take in turn. Which thread takes a
// chunk never matters to the result: a chunk writes its own rows only, and scratch is zero when a thread starts.
import type { KernelName, Kernels } from './kernel-module.ts';

export interface KernelTask {
  readonly kernel: KernelName;
  readonly args: readonly number[];
  readonly rows: number;
  readonly chunkRows: number;
  /** position of thread 0's scratch; thread n's begins n · scratchBytes later */
  readonly scratch: number;
  readonly scratchBytes: number;
}

/** Indexes of the words in the control block. */
export const NEXT_CHUNK = 0;
export const CANCELLED = 1;

/** A thread and what it works with. */
export interface KernelThread {
  readonly kernels: Kernels;
  readonly memory: WebAssembly.Memory;
  readonly control: Int32Array;
  /** number of the thread, from 0 */
  readonly thread: number;
}

export function runChunks({ kernels, memory, control, thread }: KernelThread, task: KernelTask): void {
  const kernel = kernels[task.kernel];
  const scratch = task.scratch + thread * task.scratchBytes;
  seeUpTo(memory, scratch + task.scratchBytes);
  new Uint8Array(memory.buffer, scratch, task.scratchBytes).fill(0);
  for (;;) {
    if (Atomics.load(control, CANCELLED) !== 0) return;
    const from = Atomics.add(control, NEXT_CHUNK, 1) * task.chunkRows;
    if (from >= task.rows) return;
    kernel(...task.args, from, Math.min(task.rows, from + task.chunkRows), scratch);
  }
}

/**
 * The runtime tells every thread when another one grows the memory, except a thread that is just starting: that one keeps the
 * length of before. Growing by nothing reads the true length.
 */
function seeUpTo(memory: WebAssembly.Memory, endByte: number): void {
  if (memory.buffer.byteLength < endByte) memory.grow(0);
}
