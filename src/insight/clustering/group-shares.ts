// Computes what groups of users turn to next according to the model: the mean distribution over the catalog of a sample
// of each group's users.

import type { G1Model } from '../../artifact/g1-model.ts';
import type { ItemBitmap } from '../../catalog/item-set.ts';
import { HistoryFolder } from '../../history/history-folder.ts';
import type { KernelPool } from '../../kernels/kernel-pool.ts';
import type { ItemLayout } from '../../scoring/g1-recommender.ts';
import type { EventStore } from '../../store/event-store.ts';
import { UsageMachine } from '../usage/usage-machine.ts';
import { usageSpace } from '../usage/usage-space.ts';
import type { HistoryBatch } from '../users/history-batch.ts';

/** Most of a sampled user's newest events that are read. */
const NEWEST_EVENTS = 1000;
const READS_AT_ONCE = 16;
/** Memory for cached distributions. The others are computed again each time. */
const KEPT_BYTES = 512 * 1024 * 1024;

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
  /** later times count as this one */
  readonly nowMs: number;
  readonly signal: AbortSignal;
  /** defaults to KEPT_BYTES */
  readonly keptBytes?: number;
}

/** Uses the memory of the pool until that is released. */
export class GroupShares {
  readonly #input: GroupSharesInput;
  readonly #machine: UsageMachine;
  readonly #batch: HistoryBatch;
  readonly #out: Float32Array;
  readonly #folder: HistoryFolder;
  readonly #kept = new Map<number, Float64Array>();
  readonly #mostKept: number;

  private constructor(input: GroupSharesInput, machine: UsageMachine) {
    this.#input = input;
    this.#machine = machine;
    this.#batch = machine.batch(NEWEST_EVENTS);
    this.#out = machine.output();
    this.#folder = new HistoryFolder(input.model);
    this.#mostKept = (input.keptBytes ?? KEPT_BYTES) / (8 * Math.max(1, input.itemCount));
  }

  static async create(input: GroupSharesInput): Promise<GroupShares> {
    const { pool, model, layout, listed, itemCount } = input;
    // Every item is a pair of its own, so that its share comes out.
    const offsets = Uint32Array.from({ length: itemCount + 1 }, (_, item) => item);
    const table = { pairCount: itemCount, offsets, pairs: offsets.subarray(0, itemCount) };
    const { coldShare = 0 } = model.calibration;
    const space = usageSpace(layout, listed, table, coldShare);
    return new GroupShares(input, await UsageMachine.create(pool, model, space));
  }

  /** The distribution of a group over catalog numbers. */
  async of(group: number): Promise<Float64Array> {
    const kept = this.#kept.get(group);
    if (kept !== undefined) return kept;
    const share = await this.#compute(this.#input.samples[group]);
    if (this.#kept.size < this.#mostKept) this.#kept.set(group, share);
    return share;
  }

  async #compute(userIds: readonly string[]): Promise<Float64Array> {
    const { events, eventDatasetId, nowMs, signal, itemCount } = this.#input;
    const share = new Float64Array(itemCount);
    let users = 0;
    for (let from = 0; from < userIds.length; from += READS_AT_ONCE) {
      signal.throwIfAborted();
      const ids = userIds.slice(from, from + READS_AT_ONCE);
      const read = ids.map((userId) => events.history(eventDatasetId, userId, NEWEST_EVENTS));
      for (const found of await Promise.all(read)) {
        const history = this.#folder.fold(found, nowMs);
        if (history.length === 0) continue;
        if (!this.#batch.fits(history.length)) users += await this.#addTo(share);
        this.#batch.append(history, 0, history.length, NOTHING);
      }
    }
    users += await this.#addTo(share);
    if (users > 0) for (let item = 0; item < itemCount; item++) share[item] /= users;
    return share;
  }

  /** Adds the distributions of the batch, and returns of how many users. */
  async #addTo(share: Float64Array): Promise<number> {
    let users = 0;
    if (this.#batch.count > 0) await this.#machine.run(this.#batch, this.#out);
    for (let row = 0; row < this.#batch.count; row++) {
      const start = row * share.length;
      if (this.#out[start] < 0) continue;
      users++;
      for (let item = 0; item < share.length; item++) share[item] += this.#out[start + item];
    }
    this.#batch.clear(0);
    return users;
  }
}

const NOTHING = new Uint32Array(0);
