// Histories of a test as the matrix that kernels read.
import type { Interactions } from '../../src/dataset/interactions.ts';
import type { KernelMemory } from '../../src/kernels/kernel-memory.ts';
import type { PlainMatrix } from './kernel-twins/rows.ts';

export function matrixOnMemory(memory: KernelMemory, { users, itemCount }: PlainMatrix): Interactions {
  const items = users.flatMap((user) => user.items);
  const weights = users.flatMap((user) => user.weights);
  const entryUsers = users.flatMap((user, n) => user.items.map(() => n));
  const places = items.map((_, place) => place).sort((a, b) => items[a] - items[b] || a - b);
  const offsetsOf = (lengths: readonly number[]) => {
    const offsets = memory.u32(lengths.length + 1);
    offsets[0] = 0;
    for (const [n, length] of lengths.entries()) offsets[n + 1] = offsets[n] + length;
    return offsets;
  };
  const filled = (values: readonly number[]) => {
    const array = memory.u32(values.length);
    array.set(values);
    return array;
  };
  const counts = Array.from({ length: itemCount }, (_, item) => items.filter((other) => other === item).length);
  const floats = memory.f32(weights.length);
  floats.set(weights);
  return {
    ...{ userCount: users.length, itemCount, length: items.length, weights: floats },
    ...{ userOffsets: offsetsOf(users.map((user) => user.items.length)), itemOffsets: offsetsOf(counts) },
    ...{ items: filled(items), entries: filled(places), entryUsers: filled(entryUsers) },
    seen: memory.u8(items.length).fill(1),
  };
}
