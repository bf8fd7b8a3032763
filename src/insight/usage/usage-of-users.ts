// Usage of every user of a project, block by block: users with a history through the kernel on all threads, the others (a few
// kinds of attributes, or none) from the recommender, which remembers the shares of users alike.

import type { ItemBitmap } from '../../catalog/item-set.ts';
import type { SignalEvent } from '../../history/user-signal.ts';
import type { Recommender } from '../../scoring/recommender.ts';
import type { EventStore } from '../../store/event-store.ts';
import type { HistoryBatch } from '../users/history-batch.ts';
import type { OtherUser, UserScan } from '../users/scan-users.ts';
import { BASES, type UsageBlock } from './usage-block.ts';
import type { UsageMachine } from './usage-machine.ts';

export interface UsageInput {
  readonly scan: UserScan;
  readonly machine: UsageMachine;
  readonly recommender: Pick<Recommender, 'shares' | 'historyLimit'>;
  /** the items that have each pair */
  readonly sets: readonly ItemBitmap[];
  readonly targetEventType: string;
  /** item id behind a seen item of OtherUser */
  readonly itemId: (seen: number) => string;
  readonly events: Pick<EventStore, 'history'>;
  readonly eventDatasetId: string;
}

type ShareOf = ReturnType<Recommender['shares']>;

const HISTORY = BASES.indexOf('history');

export async function* usageOfUsers(input: UsageInput): AsyncGenerator<UsageBlock> {
  const { scan, machine, recommender, sets } = input;
  // Made when the first user needs it: it takes the memory of a whole model.
  let shares: ShareOf | null = null;
  const shareOf: ShareOf = (user, out) => {
    shares ??= recommender.shares(sets);
    return shares(user, out);
  };
  const { historyLimit } = recommender;
  const batches = [machine.batch(historyLimit), machine.batch(historyLimit)];
  const outs = [machine.output(), machine.output()];
  const historyBasis = new Uint8Array(machine.batchUsers).fill(HISTORY);
  let turn = 0;
  let running: { batch: HistoryBatch; out: Float32Array; done: Promise<void> } | null = null;

  const finish = async (work: NonNullable<typeof running>): Promise<UsageBlock> => {
    const { batch, out } = work;
    for (let row = 0; row < batch.count; row++) {
      if (sets.length > 0 && out[row * sets.length] < 0) await readAnotherWay(batch.first + row, out, row);
    }
    return { first: batch.first, count: batch.count, usages: out, basis: historyBasis };
  };
  const readAnotherWay = async (user: number, out: Float32Array, row: number): Promise<void> => {
    await scan.readIds();
    const history = await input.events.history(input.eventDatasetId, scan.directory.at(user)!, historyLimit);
    shareOf({ history, attributes: {} }, out.subarray(row * sets.length, (row + 1) * sets.length));
  };

  for await (const batch of scan.histories(batches)) {
    // Threads worked on the batch before while this one was read.
    const before = running;
    await before?.done;
    const out = outs[turn++ % 2];
    running = { batch, out, done: machine.run(batch, out) };
    if (before !== null) {
      // If the consumer stops or fails here, an error of the running work must not be unhandled.
      running.done.catch(() => {});
      yield await finish(before);
    }
  }
  if (running !== null) {
    await running.done;
    yield await finish(running);
  }
  for await (const users of scan.others()) yield othersBlock(users, input, shareOf);
}

function othersBlock(users: readonly OtherUser[], input: UsageInput, shareOf: ShareOf): UsageBlock {
  const pairs = input.sets.length;
  const usages = new Float32Array(users.length * pairs);
  const basis = new Uint8Array(users.length);
  for (const [row, { attributes, seen }] of users.entries()) {
    // A target event without a positive value says only that the item was seen.
    const history = seen.map(
      (item): SignalEvent => ({
        item_id: input.itemId(item),
        event_type: input.targetEventType,
        event_value: 0,
        ts: 0,
      }),
    );
    const rest = shareOf({ history, attributes }, usages.subarray(row * pairs, (row + 1) * pairs));
    basis[row] = BASES.indexOf(rest);
  }
  return { first: users.length === 0 ? 0 : users[0].user, count: users.length, usages, basis };
}
