// Puts the items without events that are among the best next to those with events. A group of them scores the mean of its neighbors,
// so it reaches what a full list asks for only if one of its neighbors does: of a large catalog few groups are looked at.
// Belongs to one thread.

import type { TopItems } from '../base/top-items.ts';
import { eachIn, type ItemBitmap, isIn } from '../catalog/item-set.ts';
import type { ColdItems } from '../cold-start/cold-items.ts';
import { type Boost, logBoost } from './boost.ts';
import type { GroupScores } from './group-scores.ts';
import type { RankedScale } from './ranked-scale.ts';

/** Means are rounded to single precision: bounds leave this much room, as a share. */
const ROUNDING = 1e-5;

export interface ColdSearchInput {
  /** scores of the groups, begun for the user */
  readonly groups: GroupScores;
  /** scores of the warm items, without boosts */
  readonly warm: Float32Array;
  /** finds the warm items that score at least this much; null if there are many */
  readonly above: (scores: Float32Array, least: number) => Uint32Array | null;
  /** terms of the warm items' scores that are not part of the groups' scores */
  readonly joined: Float32Array | null;
  readonly rankedUnit: number;
  /** null if no ranker orders the list */
  readonly scale: RankedScale | null;
  readonly boosts: readonly Boost[];
  /** the logarithm of a factor on the scale of the list */
  readonly boostUnit: number;
  readonly allow: ItemBitmap;
  readonly mayBeListed: (item: number) => boolean;
  /** rank of the first cold item, after those of the warm items */
  readonly firstRank: number;
}

export class ColdSearch {
  readonly #coldItems: ColdItems;

  constructor(coldItems: ColdItems) {
    this.#coldItems = coldItems;
  }

  /** `top` has the best warm items. */
  offer(top: TopItems, input: ColdSearchInput): void {
    const { groups, scale, boosts, boostUnit, firstRank, mayBeListed } = input;
    const coldItems = this.#coldItems;
    const consider = (place: number, group: number): void => {
      const item = coldItems.itemAt(place);
      const plain = groups.plain(group);
      const placed = (scale === null ? plain : scale.of(plain)) + boostUnit * logBoost(boosts, item);
      const score = placed + groups.joined(group);
      const rank = firstRank + place;
      if (top.admits(score, rank) && mayBeListed(item)) top.offer(score, rank);
    };
    const near = this.#nearWarm(top, input);
    if (near === null) {
      this.#eachAllowed(input.allow, (place) => consider(place, coldItems.groupAt(place)));
      return;
    }
    const raised = boosts.filter(({ factor }) => factor > 1).map(({ items }) => items);
    const isRaised = (item: number) => raised.some((items) => isIn(items, item));
    coldItems.groups.eachNear(near, (group) =>
      coldItems.groups.eachItem(group, (place) => {
        if (raised.length === 0 || !isRaised(coldItems.itemAt(place))) consider(place, group);
      }),
    );
    for (const [n, items] of raised.entries()) {
      const before = raised.slice(0, n);
      this.#eachAllowed(items, (place) => {
        const item = coldItems.itemAt(place);
        if (!before.some((other) => isIn(other, item))) consider(place, coldItems.groupAt(place));
      });
    }
  }

  /** The warm items that a group must have one of, if boosts do not raise it; null: many, or the list is not full. */
  #nearWarm(top: TopItems, { above, warm, joined, rankedUnit, scale }: ColdSearchInput): Uint32Array | null {
    if (top.threshold === Number.NEGATIVE_INFINITY) return null;
    const [smallest, largest] = joined === null ? [0, 0] : rangeOf(joined);
    const asked = top.threshold - Math.max(0, largest) * rankedUnit;
    const score = scale === null ? asked : scale.least(asked);
    const least = score - ROUNDING * (1 + Math.abs(score));
    const lowest = least + smallest - ROUNDING * (1 + Math.abs(least + smallest));
    const found = above(warm, lowest);
    return joined === null ? found : (found?.filter((index) => warm[index] - joined[index] >= least) ?? null);
  }

  #eachAllowed(allow: ItemBitmap, visit: (place: number) => void): void {
    const coldItems = this.#coldItems;
    if (allow.count >= coldItems.count) {
      for (let place = 0; place < coldItems.count; place++) if (isIn(allow, coldItems.itemAt(place))) visit(place);
      return;
    }
    eachIn(allow, (item) => {
      const place = coldItems.placeOf(item);
      if (place >= 0) visit(place);
    });
  }
}

function rangeOf(values: Float32Array): [smallest: number, largest: number] {
  let [smallest, largest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let n = 0; n < values.length; n++) {
    if (values[n] < smallest) smallest = values[n];
    if (values[n] > largest) largest = values[n];
  }
  return [smallest, largest];
}
