// What groups of users turn to, by the model: the mean distribution over the catalog of a sample of each group's users.

import type { G1Model } from '../../artifact/g1-model.ts';
import type { ItemBitmap } from '../../catalog/item-set.ts';
import { HistoryFolder } from '../../history/history-folder.ts';
import type { KernelPool } from '../../kernels/kernel-pool.ts';
import type { ItemLayout } from '../../scoring/g1-recommender.ts';
import type { EventStore } from '../../store/event-store.ts';
import { UsageMachine } from '../usage/usage-machine.ts';
import { usageSpace } from '../usage/usage-space.ts';

/** Newest events of a sampled user that are read. */
const HISTORY_EVENTS = 1000;
const READS_AT_ONCE = 16;

export interface GroupSharesInput {
  readonly pool: KernelPool;
  readonly model: G1Model;
  readonly layout: ItemLayout;
  readonly listed: ItemBitmap;
  readonly itemCount: number;
  /** ids of the sampled users of each group */
  readonly samples: readonly (readonly string[])[];
  readonly events: Pick<EventStore, 'history'>;
  readonly eventDatasetId: string;
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number) => void;
}

/** One distribution over catalog numbers a group. */
export async function groupShares(input: GroupSharesInput): Promise<Float64Array[]> {
  const { pool, model, layout, listed, itemCount, samples } = input;
  // Every item is a pair of its own, so that its share comes out.
  const offsets = Uint32Array.from({ length: itemCount + 1 }, (_, item) => item);
  const table = { pairCount: itemCount, offsets, pairs: offsets.subarray(0, itemCount) };
  const mark = pool.memory.mark();
  const machine = await UsageMachine.create(
    pool,
    model,
    usageSpace(layout.itemOfWarm, layout.coldItems, listed, table),
  );
  const batch = machine.batch(HISTORY_EVENTS);
  const out = machine.output();
  const folder = new HistoryFolder(model);
  const shares: Float64Array[] = [];
  for (const [group, userIds] of samples.entries()) {
    const share = new Float64Array(itemCount);
    let users = 0;
    const add = async () => {
      if (batch.count > 0) await machine.run(batch, out);
      for (let row = 0; row < batch.count; row++) {
        const start = row * itemCount;
        if (out[start] < 0) continue;
        users++;
        for (let item = 0; item < itemCount; item++) share[item] += out[start + item];
      }
      batch.clear(0);
    };
    for (let from = 0; from < userIds.length; from += READS_AT_ONCE) {
      input.signal.throwIfAborted();
      const ids = userIds.slice(from, from + READS_AT_ONCE);
      const read = ids.map((userId) => input.events.history(input.eventDatasetId, userId, HISTORY_EVENTS));
      for (const events of await Promise.all(read)) {
        const history = folder.fold(events);
        if (history.length === 0) continue;
        if (!batch.fits(history.length)) await add();
        batch.append(history, 0, history.length, NOTHING);
      }
    }
    await add();
    if (users > 0) for (let item = 0; item < itemCount; item++) share[item] /= users;
    shares.push(share);
    input.onProgress((group + 1) / samples.length);
  }
  pool.memory.release(mark);
  return shares;
}

const NOTHING = new Uint32Array(0);
