// The tools with which the pieces of a querying job measure usage: the items of the queried pairs, the model in the kernels'
// memory with its threads, and the maps from shares to usage. They are made once for all pieces.
import { availableParallelism } from 'node:os';
import type { ItemBitmap } from '../../catalog/item-set.ts';
import { KernelPool } from '../../kernels/kernel-pool.ts';
import type { OpenedModel } from '../insight-run.ts';
import { pairTable } from './pair-table.ts';
import { UsageMachine } from './usage-machine.ts';
import { UsageMapper } from './usage-mapper.ts';
import type { UsagePair } from './usage-pairs.ts';
import { type UsageSpace, usageSpace } from './usage-space.ts';

export interface UsageTools {
  /** the items that have each pair */
  readonly sets: readonly ItemBitmap[];
  readonly space: UsageSpace;
  readonly machine: UsageMachine;
  readonly mapper: UsageMapper;
  /** Runs the work and then frees the memory it allocated. */
  within<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export async function openUsageTools(
  { model, catalog, recommender }: Pick<OpenedModel, 'model' | 'catalog' | 'recommender'>,
  pairs: readonly UsagePair[],
  threads = availableParallelism(),
): Promise<UsageTools> {
  const pool = new KernelPool(threads);
  const close = () => pool.close();
  try {
    const sets = pairs.map(({ attribute, value }) => catalog.itemsWith(attribute, value));
    const { coldShare = 0 } = model.calibration;
    const table = pairTable(catalog.itemCount, sets);
    const space = usageSpace(recommender.itemLayout, recommender.listed(), table, coldShare);
    const machine = await UsageMachine.create(pool, model, space);
    const population = new Float32Array(pairs.length);
    recommender.shares(sets)({ history: [], attributes: {} }, population);
    const mapper = new UsageMapper(model.calibration.usage, pairs, population);
    const mark = pool.memory.mark();
    const within = <T>(work: () => Promise<T>) => work().finally(() => pool.memory.release(mark));
    return { sets, space, machine, mapper, within, close };
  } catch (error) {
    await close();
    throw error;
  }
}
