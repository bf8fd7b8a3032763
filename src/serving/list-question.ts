// A recommending call once its filters are folded and its page token is read.
import type { FoldedFilter } from '../domain/filter/compile-filter.ts';
import type { Attributes } from '../domain/record.ts';
import type { SessionEvent } from '../history/session-events.ts';
import type { Diversity } from '../placements/item-list.ts';
import type { ListKind } from '../placements/list-request.ts';
import type { PinRequest } from '../placements/pins.ts';

export interface FoldedBoost {
  readonly filter: FoldedFilter;
  readonly factor: number;
}

export interface ListQuestion {
  /** the list itself, then those that fill it */
  readonly kinds: readonly ListKind[];
  /** null for a visitor without an id, or if there is no user */
  readonly user_id: string | null;
  readonly session_events?: readonly SessionEvent[];
  readonly context?: Attributes;
  readonly limit: number;
  readonly filter: FoldedFilter | null;
  readonly boosts: readonly FoldedBoost[];
  readonly pins: readonly PinRequest[];
  readonly diversity: Diversity | null;
  /** hashes of the items that the user has seen too often; left out: none */
  readonly tired?: ReadonlySet<number>;
  readonly exclude_item_ids: readonly string[];
  readonly exclude_event_types: readonly string[];
  readonly exclude_seen: boolean | null;
  readonly touch_days: number;
  /** ids of items on earlier pages */
  readonly shown: readonly string[];
  readonly explain: boolean;
}
