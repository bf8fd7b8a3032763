// The items of a catalog as the usage kernel sees them (kernels/assembly/usage.ts): warm items with their pairs, and items
// without events in the groups they are scored by. Pure rearrangement of what the catalog and the model say.

import type { ItemBitmap } from '../../catalog/item-set.ts';
import type { ColdItems } from '../../cold-start/cold-items.ts';
import type { PairTable } from './pair-table.ts';

export interface UsageSpace {
  /** the share of all cold items together */
  readonly coldShare: number;
  readonly warmItems: number;
  readonly pairCount: number;
  readonly listed: Uint8Array;
  readonly pairOffsets: Uint32Array;
  readonly pairs: Uint32Array;
  readonly groupCount: number;
  /** warm item → groups whose mean it is part of, and its part of the mean */
  readonly groupOffsets: Uint32Array;
  readonly groups: Uint32Array;
  readonly groupParts: Float32Array;
  /** number of listed items in each group */
  readonly groupItems: Float32Array;
  /** group → pairs, and how many of its items have them */
  readonly groupPairOffsets: Uint32Array;
  readonly groupPairs: Uint32Array;
  readonly groupPairItems: Float32Array;
  /** cold item n: its catalog number, group and pairs */
  readonly coldNumbers: Uint32Array;
  readonly coldGroups: Uint32Array;
  readonly coldPairOffsets: Uint32Array;
  readonly coldPairs: Uint32Array;
}

type UsedColdItems = Pick<ColdItems, 'count' | 'itemAt' | 'groupAt'> & {
  readonly groups: Pick<ColdItems['groups'], 'neighborsOf'>;
};

export function usageSpace(
  { itemOfWarm, coldItems }: { readonly itemOfWarm: Uint32Array; readonly coldItems: UsedColdItems },
  listed: ItemBitmap,
  table: PairTable,
  coldShare: number,
): UsageSpace {
  const isListed = (item: number) => ((listed.words[item >>> 5] ?? 0) >>> (item & 31)) & 1;
  const warm = rowsOf(itemOfWarm, table, isListed);
  const coldPlaces: number[] = [];
  let groupCount = 1;
  for (let place = 0; place < coldItems.count && coldShare > 0; place++) {
    if (!isListed(coldItems.itemAt(place))) continue;
    coldPlaces.push(place);
    groupCount = Math.max(groupCount, coldItems.groupAt(place) + 1);
  }
  const coldNumbers = Uint32Array.from(coldPlaces, (place) => coldItems.itemAt(place));
  const coldGroups = Uint32Array.from(coldPlaces, (place) => coldItems.groupAt(place));
  const cold = rowsOf(coldNumbers, table, isListed);
  return {
    coldShare,
    warmItems: itemOfWarm.length,
    pairCount: table.pairCount,
    listed: Uint8Array.from(itemOfWarm, isListed),
    pairOffsets: warm.offsets,
    pairs: warm.pairs,
    groupCount,
    ...warmToGroups(itemOfWarm.length, groupCount, coldGroups, coldItems),
    ...groupContents(groupCount, coldGroups, cold),
    coldNumbers,
    coldGroups,
    coldPairOffsets: cold.offsets,
    coldPairs: cold.pairs,
  };
}

/** The table's rows of the given catalog numbers; empty where an item is not listed. */
function rowsOf(
  items: Uint32Array,
  table: PairTable,
  isListed: (item: number) => number,
): { offsets: Uint32Array; pairs: Uint32Array } {
  const has = (item: number) => item + 1 < table.offsets.length && isListed(item) === 1;
  const offsets = new Uint32Array(items.length + 1);
  for (const [n, item] of items.entries())
    offsets[n + 1] = offsets[n] + (has(item) ? table.offsets[item + 1] - table.offsets[item] : 0);
  const pairs = new Uint32Array(offsets[items.length]);
  for (const [n, item] of items.entries())
    if (has(item)) pairs.set(table.pairs.subarray(table.offsets[item], table.offsets[item + 1]), offsets[n]);
  return { offsets, pairs };
}

function warmToGroups(
  warmItems: number,
  groupCount: number,
  coldGroups: Uint32Array,
  coldItems: UsedColdItems,
): Pick<UsageSpace, 'groupOffsets' | 'groups' | 'groupParts'> {
  const used = new Uint8Array(groupCount);
  for (const group of coldGroups) used[group] = 1;
  const groupOffsets = new Uint32Array(warmItems + 1);
  const each = (visit: (warm: number, group: number, part: number) => void) => {
    for (let group = 1; group < groupCount; group++) {
      if (used[group] === 0) continue;
      const neighbors = coldItems.groups.neighborsOf(group);
      for (const warm of neighbors) visit(warm, group, 1 / neighbors.length);
    }
  };
  each((warm) => groupOffsets[warm + 1]++);
  for (let warm = 0; warm < warmItems; warm++) groupOffsets[warm + 1] += groupOffsets[warm];
  const groups = new Uint32Array(groupOffsets[warmItems]);
  const groupParts = new Float32Array(groupOffsets[warmItems]);
  const next = groupOffsets.slice(0, warmItems);
  each((warm, group, part) => {
    groups[next[warm]] = group;
    groupParts[next[warm]++] = part;
  });
  return { groupOffsets, groups, groupParts };
}

function groupContents(
  groupCount: number,
  coldGroups: Uint32Array,
  cold: { offsets: Uint32Array; pairs: Uint32Array },
): Pick<UsageSpace, 'groupItems' | 'groupPairOffsets' | 'groupPairs' | 'groupPairItems'> {
  const groupItems = new Float32Array(groupCount);
  const counts: (Map<number, number> | undefined)[] = Array.from({ length: groupCount });
  for (const [n, group] of coldGroups.entries()) {
    groupItems[group]++;
    counts[group] ??= new Map();
    for (let at = cold.offsets[n]; at < cold.offsets[n + 1]; at++)
      counts[group].set(cold.pairs[at], (counts[group].get(cold.pairs[at]) ?? 0) + 1);
  }
  const groupPairOffsets = new Uint32Array(groupCount + 1);
  for (let group = 0; group < groupCount; group++)
    groupPairOffsets[group + 1] = groupPairOffsets[group] + (counts[group]?.size ?? 0);
  const groupPairs = new Uint32Array(groupPairOffsets[groupCount]);
  const groupPairItems = new Float32Array(groupPairOffsets[groupCount]);
  let at = 0;
  for (const count of counts) {
    for (const [pair, items] of count ?? []) {
      groupPairs[at] = pair;
      groupPairItems[at++] = items;
    }
  }
  return { groupItems, groupPairOffsets, groupPairs, groupPairItems };
}
