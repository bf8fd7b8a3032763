// A list of items on its way to an answer. It passes through a list of steps, each a small function of its own:
//
//   candidates (objective and filters inside the search) → boosts → diversity → pins → page
//
// A new rule is a new step, never a condition inside another one.
import type { ItemBitmap } from '../catalog/item-set.ts';
import type { Basis } from '../cold-start/reason.ts';
import type { UsedObjective } from '../domain/objective.ts';
import type { Touch } from '../history/touches.ts';
import type { UserSignal } from '../history/user-signal.ts';
import type { Recommender, ScoredItem } from '../scoring/recommender.ts';

/** What a list is made from. Nothing of it changes while the steps run. */
export interface ListCall {
  readonly generator: Recommender;
  /** orders what the generator found; null: the generator's own order */
  readonly ranker: Recommender | null;
  readonly user: UserSignal;
  readonly nowMs: number;
  /** by catalog number */
  readonly touches: ReadonlyMap<number, Touch>;
  readonly objective: UsedObjective;
  readonly limit: number;
  /** only these items; null: every listed one */
  readonly allow: ItemBitmap | null;
  /** a touch other than a target event is forgotten after this time */
  readonly touchMs: number;
  /** forces items with a target event out or in; null: as the objective says */
  readonly excludeSeen: boolean | null;
  readonly explain: boolean;
}

export interface ListedItem extends ScoredItem {
  /** does not meet the objective: there were too few that do */
  readonly filled?: true;
}

export interface ItemList {
  /** the one the list follows: another than the call's where no item meets that */
  readonly objective: UsedObjective;
  readonly basis: Basis;
  /** whether other attributes of the user could give another list */
  readonly restsOnAttributes: boolean;
  readonly items: readonly ListedItem[];
}

export type ListStep = (list: ItemList, call: ListCall) => ItemList;
