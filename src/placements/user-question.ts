import type { Touch } from '../history/touches.ts';
import type { UserSignal } from '../history/user-signal.ts';
import type { Recommender } from '../scoring/recommender.ts';

/** The user and the models of a list. Items the list never contains (touched-items.ts) are excluded by the search. */
export interface UserQuestion {
  readonly generator: Recommender;
  /** orders what the generator found; null: the generator's own order */
  readonly ranker: Recommender | null;
  readonly user: UserSignal;
  readonly nowMs: number;
  /** keyed by catalog number */
  readonly touches: ReadonlyMap<number, Touch>;
  /** a touch other than a target event is forgotten after this time */
  readonly touchMs: number;
  /** forces items with a target event out or in; null: as the objective says */
  readonly excludeSeen: boolean | null;
}
