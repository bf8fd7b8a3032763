// The tastes of a batch of users, by a kernel: the weighted mean of the vectors of a user's items, at length one, as the
// recommender's userVector has it (scoring/taste-vectors.ts). Belongs to one thread.
import type { G1Model } from '../../artifact/g1-model.ts';
import { KernelMemory } from '../../kernels/kernel-memory.ts';
import { instantiateKernels, type Kernels } from '../../kernels/kernel-module.ts';
import { paddedDimensions, padRows } from '../../kernels/padded-rows.ts';
import { HistoryBatch } from './history-batch.ts';

/** Spare bytes for the alignment of a batch's arrays. */
const ROOM_BYTES = 4096;

export class TasteVectors {
  /** receives the users' histories */
  readonly batch: HistoryBatch;
  /** length of a row, padded with zeros to a multiple of four */
  readonly dimensions: number;
  readonly #kernels: Kernels;
  readonly #vectors: Float32Array;
  readonly #found: Float32Array;
  readonly #said: Uint8Array;

  constructor({ vectors }: Pick<G1Model, 'vectors'>, { users, entries }: { users: number; entries: number }) {
    const { dimensions, values } = vectors;
    const items = values.length / dimensions;
    this.dimensions = paddedDimensions(dimensions);
    const rowBytes = this.dimensions * 4;
    const batchBytes = 2 * (users + 1) * 4 + entries * 13 + ROOM_BYTES;
    const memory = KernelMemory.forArrays(items * rowBytes, batchBytes, users * rowBytes, users);
    this.#kernels = instantiateKernels(memory.memory);
    this.#vectors = memory.f32(items * this.dimensions);
    padRows({ count: items, dimensions, values }, this.#vectors);
    this.batch = new HistoryBatch(users, entries, memory);
    this.#found = memory.f32(users * this.dimensions);
    this.#said = memory.u8(users);
  }

  /** The rows of the users in the batch, for those whose items say something; overwritten by the next call. */
  *rows(): Generator<{ user: number; vector: Float32Array }> {
    const { batch, dimensions } = this;
    const { offsets, items, weights } = batch;
    const arrays = [offsets, items, weights, this.#found, this.#said].map(({ byteOffset }) => byteOffset);
    this.#kernels.tasteVectors(this.#vectors.byteOffset, dimensions, ...arrays, 0, batch.count, 0);
    for (let n = 0; n < batch.count; n++) {
      if (this.#said[n] === 0) continue;
      yield { user: batch.first + n, vector: this.#found.subarray(n * dimensions, (n + 1) * dimensions) };
    }
  }
}
