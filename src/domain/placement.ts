// A placement: a named list of a project that people steer without a release. Its definition is what a person writes; every change
// of it is kept as a version.
import type { FilterParam } from './filter/fold-filter.ts';
import type { Objective } from './objective.ts';
import type { Attributes } from './record.ts';
import { RELATIONS } from './relation.ts';
import { TOP_LISTS } from './top-list.ts';

export const PLACEMENT_KINDS = ['for_you', ...RELATIONS, ...TOP_LISTS, 'continue', 'again', 'ranking'] as const;
export type PlacementKind = (typeof PLACEMENT_KINDS)[number];

/** Kinds whose calls name items. */
export const ITEM_KINDS: readonly PlacementKind[] = [...RELATIONS, 'ranking'];

/** Kinds that can fill a list that is too short: a ranking has nothing to add. */
export const FALLBACK_KINDS = PLACEMENT_KINDS.filter((kind) => kind !== 'ranking');

export const MAX_RULES = 50;
/** Most boosts in all rules and the defaults together, because each adds a filter to every call. */
export const MAX_PLACEMENT_BOOSTS = 100;
export const MAX_PLACEMENT_PINS = 100;
export const MAX_PLACEMENTS = 200;
/** Older versions are deleted. */
export const MAX_PLACEMENT_VERSIONS = 100;
export const PLACEMENT_NAME_PATTERN = '^[a-z0-9][a-z0-9_-]{0,63}$';

export interface PlacementBoost {
  readonly filter_query: string;
  readonly factor: number;
}

export interface PlacementPin {
  readonly position: number;
  readonly item_id: string;
}

/** Fields of a call that hold where the call does not give them. */
export interface PlacementDefaults {
  readonly objective?: Objective;
  readonly limit?: number;
  readonly attributes?: readonly string[];
  readonly filter_query?: string | null;
  readonly filter_params?: Readonly<Record<string, FilterParam>>;
  readonly context?: Attributes;
  readonly boosts?: readonly PlacementBoost[];
  readonly pins?: readonly PlacementPin[];
  readonly diversity?: number | { readonly max_per: Readonly<Record<string, number>> };
  readonly exclude_item_ids?: readonly string[];
  readonly exclude_event_types?: readonly string[];
  readonly exclude_seen?: boolean;
  readonly touch_days?: number;
  readonly model_id?: string;
  /** only for top lists */
  readonly window_hours?: number;
  readonly event_type?: string;
}

/** Holds while the time and the condition do. */
export interface PlacementRule {
  readonly name: string;
  /** start of the rule; if left out, it has none */
  readonly from_ts?: number;
  /** end of the rule; if left out, it has none */
  readonly to_ts?: number;
  /** a filter over `user.` and `context.` alone; left out: for everybody */
  readonly only_if?: string;
  readonly filter_query?: string;
  readonly boosts?: readonly PlacementBoost[];
  readonly pins?: readonly PlacementPin[];
}

export interface Fatigue {
  /** shown this often without an event */
  readonly after: number;
  readonly days: number;
}

export interface PlacementDefinition {
  readonly kind: PlacementKind;
  readonly defaults: PlacementDefaults;
  readonly rules: readonly PlacementRule[];
  /** kinds that fill the list, in this order, if fewer than `limit` items remain */
  readonly fallback: readonly PlacementKind[];
  readonly fatigue: Fatigue | null;
}

/** The key or person that made a change. */
export interface ChangedBy {
  /** id of the key, or of the person who signed in to the console */
  readonly key_id: string;
  /** name of the key when it was used, or of the person; null if it had none */
  readonly key_name: string | null;
  /** the person, if it was one; versions that are older than this field have none */
  readonly person_id?: string;
}

export type PlacementChange = 'created' | 'updated' | 'rolled_back';

export interface PlacementVersion {
  readonly version: number;
  readonly definition: PlacementDefinition;
  readonly change: PlacementChange;
  readonly changed_ts: number;
  readonly changed_by: ChangedBy;
}

export interface Placement {
  readonly account_id: string;
  readonly project_id: string;
  readonly name: string;
  readonly created_ts: number;
  /** the version in use */
  readonly current: PlacementVersion;
}
