// What is known of an item apart from any user: how many users it has and, if events have an order, how recent they are.
import type { Interactions } from '../dataset/interactions.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';

/** A multiple of four, as kernels read them. */
export const FACTS = 4;
/** An item among this many newest items of a user counts as recent. */
const RECENT = 3;

/** An item's facts: ln(1 + users), ln(1 + users it is recent with), that as a share, mean relative place in histories. */
export function itemFacts(memory: KernelMemory, x: Interactions, ordered: boolean): Float32Array {
  const facts = memory.f32(x.itemCount * FACTS).fill(0);
  const places = new Float64Array(x.itemCount);
  const recent = new Float64Array(x.itemCount);
  for (let user = 0; user < x.userCount; user++) {
    const from = x.userOffsets[user];
    const to = x.userOffsets[user + 1];
    for (let at = from; at < to; at++) {
      places[x.items[at]] += (at - from + 1) / (to - from);
      if (at >= to - RECENT) recent[x.items[at]]++;
    }
  }
  for (let item = 0; item < x.itemCount; item++) {
    const users = x.itemOffsets[item + 1] - x.itemOffsets[item];
    facts[item * FACTS] = Math.log1p(users);
    if (!ordered || users === 0) continue;
    facts[item * FACTS + 1] = Math.log1p(recent[item]);
    facts[item * FACTS + 2] = recent[item] / users;
    facts[item * FACTS + 3] = places[item] / users;
  }
  return facts;
}
