// Facts about an item that do not depend on a user: how many users it has and, if events have an order, how recent they
// are.
import type { HistoryBlock, HistoryBlocks } from '../dataset/history-blocks.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';

/** Must be a multiple of four for the kernels. */
export const FACTS = 4;
/** An item among this many newest items of a user counts as recent. */
const RECENT = 3;

/** An item's facts: ln(1 + users), ln(1 + users it is recent with), that as a share, mean relative place in histories. */
export async function itemFacts(
  memory: KernelMemory,
  histories: HistoryBlocks,
  ordered: boolean,
): Promise<Float32Array> {
  const { itemCount, degrees } = histories;
  const facts = memory.f32(itemCount * FACTS).fill(0);
  const places = new Float64Array(itemCount);
  const recent = new Float64Array(itemCount);
  const addUsers = ({ userCount, userOffsets, items }: HistoryBlock) => {
    for (let user = 0; user < userCount; user++) {
      const from = userOffsets[user];
      const to = userOffsets[user + 1];
      for (let at = from; at < to; at++) {
        places[items[at]] += (at - from + 1) / (to - from);
        if (at >= to - RECENT) recent[items[at]]++;
      }
    }
  };
  await histories.each(addUsers, { from: 0, to: 0 });
  for (let item = 0; item < itemCount; item++) {
    const users = degrees[item];
    facts[item * FACTS] = Math.log1p(users);
    if (!ordered || users === 0) continue;
    facts[item * FACTS + 1] = Math.log1p(recent[item]);
    facts[item * FACTS + 2] = recent[item] / users;
    facts[item * FACTS + 3] = places[item] / users;
  }
  return facts;
}
