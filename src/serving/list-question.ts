// What a recommending call asks for, whatever its route: the request's fields as they come, and the same once its filters are
// folded and its page token is read.
import type { FoldedFilter } from '../domain/compile-filter.ts';
import type { FilterParam } from '../domain/fold-filter.ts';
import type { Objective } from '../domain/objective.ts';
import type { Attributes } from '../domain/record.ts';
import type { Relation } from '../domain/relation.ts';
import type { SessionEvent } from '../history/session-events.ts';
import type { Diversity } from '../placements/item-list.ts';
import type { PinRequest } from '../placements/pins.ts';
import type { TopListKind } from '../placements/top-list.ts';

export interface BoostRequest {
  readonly filter_query: string;
  readonly factor: number;
}

/** Fields of every recommending call. Left out: the default. */
export interface ListRequest {
  readonly user_id?: string | null;
  readonly session_events?: readonly SessionEvent[];
  readonly context?: Attributes;
  readonly limit?: number;
  readonly attributes?: readonly string[];
  readonly filter_query?: string | null;
  readonly filter_params?: Readonly<Record<string, FilterParam>>;
  readonly boosts?: readonly BoostRequest[];
  readonly pins?: readonly PinRequest[];
  readonly diversity?: Diversity;
  readonly exclude_item_ids?: readonly string[];
  readonly exclude_event_types?: readonly string[];
  readonly exclude_seen?: boolean;
  readonly touch_days?: number;
  readonly page_token?: string;
  readonly explain?: boolean;
  readonly model_id?: string;
}

export const DEFAULT_LIMIT = 10;

/** What a list is made of. */
export type ListKind =
  /** `isStrict`: nothing that does not meet the objective */
  | { readonly kind: 'user'; readonly objective: Objective; readonly isStrict?: boolean }
  | { readonly kind: 'related'; readonly itemIds: readonly string[]; readonly relation: Relation }
  | { readonly kind: 'given'; readonly itemIds: readonly string[] }
  | {
      readonly kind: 'top';
      readonly by: TopListKind;
      readonly windowHours: number | null;
      readonly eventType: string | null;
    };

export interface FoldedBoost {
  readonly filter: FoldedFilter;
  readonly factor: number;
}

export interface ListQuestion {
  /** the list itself, then what fills it */
  readonly kinds: readonly ListKind[];
  /** null: a visitor without an id, or nobody */
  readonly user_id: string | null;
  readonly session_events?: readonly SessionEvent[];
  readonly context?: Attributes;
  readonly limit: number;
  readonly filter: FoldedFilter | null;
  readonly boosts: readonly FoldedBoost[];
  readonly pins: readonly PinRequest[];
  readonly diversity: Diversity | null;
  readonly exclude_item_ids: readonly string[];
  readonly exclude_event_types: readonly string[];
  readonly exclude_seen: boolean | null;
  readonly touch_days: number;
  /** items on earlier pages */
  readonly shown: readonly string[];
  readonly explain: boolean;
}
