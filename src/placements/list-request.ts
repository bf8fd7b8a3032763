// The fields that all calls for recommendations accept.
import type { FilterParam } from '../domain/filter/fold-filter.ts';
import type { Objective } from '../domain/objective.ts';
import type { Attributes } from '../domain/record.ts';
import type { Relation } from '../domain/relation.ts';
import type { TopListKind } from '../domain/top-list.ts';
import type { SessionEvent } from '../history/session-events.ts';
import type { Diversity } from './item-list.ts';
import type { PinRequest } from './pins.ts';

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

/** The source of a list's items. */
export type ListKind =
  /** `isStrict`: nothing that does not meet the objective */
  | { readonly kind: 'user'; readonly objective: Objective; readonly isStrict?: boolean }
  | {
      readonly kind: 'related';
      readonly itemIds: readonly string[];
      readonly relation: Relation;
      readonly objective?: Objective;
    }
  | { readonly kind: 'given'; readonly itemIds: readonly string[]; readonly objective?: Objective }
  | {
      readonly kind: 'top';
      readonly by: TopListKind;
      readonly windowHours: number | null;
      readonly eventType: string | null;
      readonly objective?: Objective;
    };
