// Turns the shares that scores give into usages (artifact/usage-maps.ts), a table a pair: a look-up costs almost nothing compared with
// scoring. Tables are finer towards 0, where most users are.
import { IDENTITY_MAP, mapUsage, type UsageMap, type UsageMaps } from '../../artifact/usage-maps.ts';
import type { UsageBlock } from './usage-block.ts';
import type { UsagePair } from './usage-pairs.ts';

const STEPS = 2048;

export class UsageMapper {
  /** usage at (n / STEPS)² of each pair; null: shares are usages */
  readonly #tables: readonly (Float32Array | null)[];

  /** `population`: the share of each pair in what is popular. */
  constructor(maps: UsageMaps | null | undefined, pairs: readonly UsagePair[], population: ArrayLike<number>) {
    const mapOf = lookUp(maps);
    this.#tables = pairs.map((pair, n) => {
      const map = mapOf(pair);
      if (map === IDENTITY_MAP) return null;
      return Float32Array.from({ length: STEPS + 2 }, (_, step) =>
        mapUsage(map, Math.min(1, (step / STEPS) ** 2), population[n]),
      );
    });
  }

  /** Changes the block's usages in place. */
  apply({ count, usages }: UsageBlock): void {
    const pairCount = this.#tables.length;
    for (const [pair, table] of this.#tables.entries()) {
      if (table === null) continue;
      for (let at = pair; at < count * pairCount; at += pairCount) {
        const place = Math.sqrt(Math.min(1, Math.max(0, usages[at]))) * STEPS;
        const step = Math.floor(place);
        usages[at] = table[step] + (place - step) * (table[step + 1] - table[step]);
      }
    }
  }
}

function lookUp(maps: UsageMaps | null | undefined): (pair: UsagePair) => UsageMap {
  if (!maps) return () => IDENTITY_MAP;
  return ({ attribute, value }) =>
    maps.values.find((mapped) => mapped.attribute === attribute && mapped.value === value)?.map ??
    maps.attributes.find((mapped) => mapped.attribute === attribute)?.map ??
    maps.all;
}
