// A list of items on its way to a response. It passes through a list of steps, each a small function of its own:
//
//   candidates (objective, filters and boosts inside the search) → fatigue → diversity → pins → page
//
// A new rule is a new step, never a condition inside another one.
import type { Catalog } from '../catalog/catalog.ts';
import type { ItemBitmap } from '../catalog/item-set.ts';
import type { Boost } from '../scoring/boost.ts';
import type { Basis } from '../scoring/reason.ts';
import type { ScoredItem } from '../scoring/recommender.ts';

/** Either the most results with the same value of an attribute, or how far near-duplicates in taste move down, from 0 to 1. */
export type Diversity = number | { readonly max_per: Readonly<Record<string, number>> };

/** An item with a place of its own. */
export interface Pin {
  /** catalog number of the item */
  readonly item: number;
  /** 1 is the first of the whole list, earlier pages included */
  readonly position: number;
}

/** The request that a source answers. */
export interface Search {
  readonly room: number;
  /** only these items; null allows every listed item */
  readonly allow: ItemBitmap | null;
  readonly exclude: ReadonlySet<number>;
  readonly boosts: readonly Boost[];
  readonly explain: boolean;
}

export interface Found {
  readonly basis: Basis;
  /** whether other attributes of the user could give other items */
  readonly restsOnAttributes: boolean;
  /** at most `room` items, best first */
  readonly items: readonly ScoredItem[];
}

export type Source = (search: Search) => Found;

/** The inputs of a list. They do not change while the steps run. */
export interface ListInputs {
  readonly catalog: Catalog;
  /** all items that may be listed */
  readonly listed: ItemBitmap;
  /** each source fills what those before it left open; only items of the first one meet the objective */
  readonly sources: readonly Source[];
  readonly limit: number;
  /** only these items; null allows every listed item */
  readonly allow: ItemBitmap | null;
  /** catalog numbers: what the call leaves out, and what is pinned */
  readonly exclude: ReadonlySet<number>;
  readonly boosts: readonly Boost[];
  /** null means no diversity */
  readonly diversity: Diversity | null;
  /** whether the user has seen an item too often; null: no item */
  readonly isTired: ((item: number) => boolean) | null;
  /** number of items that may be tired */
  readonly tiredCount: number;
  /** similarity of two items in taste, from −1 to 1 */
  readonly likeness: (item: number, other: number) => number;
  /** the pins whose items may be listed: see pins.ts */
  readonly pins: readonly Pin[];
  /** catalog numbers of what earlier pages showed */
  readonly shown: ReadonlySet<number>;
  /** number of items on earlier pages, including those deleted since */
  readonly offset: number;
  readonly explain: boolean;
}

export interface ListedItem extends ScoredItem {
  /** does not meet what the list is for: there were too few that do */
  readonly filled?: true;
  /** placed by the call; its score has no meaning */
  readonly pinned?: true;
}

export interface ItemList {
  /** whether any item meets what the list is for */
  readonly isMet: boolean;
  readonly basis: Basis;
  readonly restsOnAttributes: boolean;
  readonly items: readonly ListedItem[];
}

export type ListStep = (list: ItemList, inputs: ListInputs) => ItemList;
