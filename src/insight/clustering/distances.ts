// Squared distances from one point to others, by a kernel. Belongs to one thread.
import { KernelMemory } from '../../kernels/kernel-memory.ts';
import { instantiateKernels, type Kernels } from '../../kernels/kernel-module.ts';
import { paddedDimensions, padRows } from '../../kernels/padded-rows.ts';
import type { Points } from './points.ts';

export class Distances {
  readonly #kernels: Kernels;
  readonly #dimensions: number;
  readonly #values: Float32Array;
  readonly #found: Float32Array;

  constructor(points: Points) {
    const { count, dimensions } = points;
    this.#dimensions = paddedDimensions(dimensions);
    const length = count * this.#dimensions;
    const memory = KernelMemory.forArrays(length * 4, count * 4);
    this.#kernels = instantiateKernels(memory.memory);
    this.#values = memory.f32(length);
    this.#found = memory.f32(count);
    padRows(points, this.#values);
  }

  /** Squared distances from `center` to the first `count` points. The next call overwrites them. */
  from(center: number, count = this.#found.length): Float32Array {
    const { squaredDistances } = this.#kernels;
    squaredDistances(this.#values.byteOffset, this.#dimensions, center, this.#found.byteOffset, 0, count, 0);
    return this.#found;
  }
}
