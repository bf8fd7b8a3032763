// The search for the blend's weights: steps judged on the NDCG of many users.
import { randomFrom } from '../../src/dataset/random.ts';
import type { KernelPool } from '../../src/kernels/kernel-pool.ts';
import { ndcgOf } from '../../test/support/kernel-twins/dense.ts';
import type { KernelCase } from './measure.ts';

export function blendCase(pool: KernelPool): KernelCase {
  const { memory } = pool;
  const random = randomFrom(1);
  const filled = (length: number) => {
    const array = memory.f32(length);
    for (let n = 0; n < length; n++) array[n] = random() - 0.5;
    return array;
  };
  const judges = 500;
  const places = 300;
  const steps = [0.5, -0.5, 0.2, -0.2];
  const relevant = [3, 77, 150];
  const [column, z] = [filled(judges * places), filled(judges * places)];
  const lists = {
    offsets: Uint32Array.from({ length: judges + 1 }, (_, user) => user * places),
    relevantOffsets: Uint32Array.from({ length: judges + 1 }, (_, user) => user * relevant.length),
    relevant: Uint32Array.from({ length: judges * relevant.length }, (_, n) => {
      return Math.floor(n / relevant.length) * places + relevant[n % relevant.length];
    }),
  };
  const [offsets, relevantOffsets, relevantPlaces] = Object.values(lists).map((list) => {
    const copy = memory.u32(list.length);
    copy.set(list);
    return copy;
  });
  const cutoff = 20;
  const [ideal, discounts] = [memory.f32(judges).fill(1), filled(cutoff)];
  const [stepSizes, gains] = [memory.f32(steps.length), memory.f32(judges * steps.length)];
  stepSizes.set(steps);
  // One for the step, and for each relevant place a comparison with and a count of what is above and what is equal.
  const operations = steps.length * places * (1 + 4 * relevant.length);
  return {
    what: `blend: ${steps.length} steps judged over ${places} places, an operation on four values as a multiply-add`,
    limit: 'multiply-adds',
    kernel: {
      run: () =>
        pool.run(
          'trySteps',
          [
            ...[column, z, offsets, relevantOffsets, relevantPlaces, ideal],
            ...[discounts, cutoff, stepSizes, steps.length, gains],
          ],
          judges,
          places * 4,
        ),
      work: judges * operations,
    },
    twin: {
      run: () => {
        for (const step of steps) {
          const moved = Array.from(z.subarray(0, places), (own, n) => own + step * column[n]);
          ndcgOf(moved, relevant, 1, cutoff);
        }
      },
      work: operations,
    },
  };
}
