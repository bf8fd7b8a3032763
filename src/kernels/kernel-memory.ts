// The shared memory kernels work on. Typed arrays are views of it: an array's byteOffset is the pointer a kernel gets.
// Allocation is a stack: what was allocated after a mark is given back by `release`. 32-bit WebAssembly ends at 4 GiB.
import { JobFailure } from '../domain/job.ts';

const PAGE_BYTES = 65_536;
const MAX_PAGES = 65_536;
/** The compiled kernels keep their constants in the first page. */
const FIRST_FREE_BYTE = PAGE_BYTES;
const ALIGNMENT = 16;

export const MAX_MEMORY_BYTES = MAX_PAGES * PAGE_BYTES;

export function alignedBytes(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

function formatBytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

export class KernelMemory {
  readonly memory: WebAssembly.Memory;
  readonly #limitBytes: number;
  #nextByte = FIRST_FREE_BYTE;
  #peakBytes = 0;

  constructor(limitBytes: number = MAX_MEMORY_BYTES) {
    this.#limitBytes = Math.min(limitBytes, MAX_MEMORY_BYTES);
    const maximum = Math.max(2, Math.floor(this.#limitBytes / PAGE_BYTES));
    // The kernels are compiled for a memory of at most MAX_PAGES: a smaller maximum is allowed and reserves less.
    this.memory = new WebAssembly.Memory({ initial: 2, maximum, shared: true });
  }

  /** Creates memory for arrays of these sizes in bytes, and nothing else. */
  static forArrays(...bytes: readonly number[]): KernelMemory {
    return new KernelMemory(bytes.reduce((sum, own) => sum + alignedBytes(own), FIRST_FREE_BYTE + PAGE_BYTES));
  }

  get peakBytes(): number {
    return this.#peakBytes;
  }

  get freeBytes(): number {
    return this.#limitBytes - this.#nextByte;
  }

  /** Throws when that many more bytes do not fit; `what` names them in the message. */
  require(bytes: number, what: string): void {
    if (bytes <= this.freeBytes) return;
    throw new JobFailure(
      'OUT_OF_MEMORY',
      `${what} needs ${formatBytes(bytes)} of memory, but ${formatBytes(this.freeBytes)} of ${formatBytes(this.#limitBytes)} are left.`,
    );
  }

  #allocate(bytes: number): number {
    this.require(alignedBytes(bytes), 'A training step');
    const at = this.#nextByte;
    const end = at + alignedBytes(bytes);
    const missing = end - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.#nextByte = end;
    this.#peakBytes = Math.max(this.#peakBytes, end);
    return at;
  }

  /** Memory given back and taken again is not zero: fill what must be. */
  f32(length: number): Float32Array<SharedArrayBuffer> {
    const at = this.#allocate(length * 4);
    return new Float32Array(this.memory.buffer, at, length);
  }

  u32(length: number): Uint32Array<SharedArrayBuffer> {
    const at = this.#allocate(length * 4);
    return new Uint32Array(this.memory.buffer, at, length);
  }

  u8(length: number): Uint8Array<SharedArrayBuffer> {
    const at = this.#allocate(length);
    return new Uint8Array(this.memory.buffer, at, length);
  }

  mark(): number {
    return this.#nextByte;
  }

  release(mark: number): void {
    this.#nextByte = mark;
  }
}
