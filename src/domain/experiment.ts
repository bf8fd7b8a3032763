// An experiment: variants of a placement, shown to different users at the same time. The first variant is the control.
import { ITEM_KINDS, type PlacementDefaults, type PlacementDefinition, type PlacementKind } from './placement.ts';

export const EXPERIMENT_METRICS = ['click', 'target', 'value'] as const;
export type ExperimentMetric = (typeof EXPERIMENT_METRICS)[number];

export const METRIC_NAMES: Readonly<Record<ExperimentMetric, string>> = {
  click: 'click rate',
  target: 'conversion rate',
  value: 'value per visitor',
};

export const MIN_VARIANTS = 2;
export const MAX_VARIANTS = 10;
export const MAX_MIN_DAYS = 365;
export const DEFAULT_MIN_DAYS = 7;
/** Most experiments of a project. The oldest ended ones are deleted. */
export const MAX_EXPERIMENTS = 500;
/** Limited because recommendation ids contain the name. */
export const MAX_VARIANT_NAME_LENGTH = 64;

/** The parts of the placement that a variant changes: its kind, or any default, such as the model. */
export interface VariantOverrides extends PlacementDefaults {
  readonly kind?: PlacementKind;
}

export interface Variant {
  readonly name: string;
  /** share of the users, relative to the shares of the other variants */
  readonly share: number;
  readonly overrides: VariantOverrides;
}

export type ExperimentStatus = 'RUNNING' | 'STOPPED';

/** The first clear result after `min_days`; later looks do not change it. */
export interface ExperimentDecision {
  readonly decided_ts: number;
  readonly winner: string;
  readonly sentence: string;
}

export interface Experiment {
  readonly account_id: string;
  readonly project_id: string;
  readonly experiment_id: string;
  readonly name: string;
  readonly placement: string;
  readonly variants: readonly Variant[];
  readonly metric: ExperimentMetric;
  readonly min_days: number;
  readonly status: ExperimentStatus;
  readonly created_ts: number;
  readonly stopped_ts: number | null;
  /** the variant that the placement got when the experiment was stopped */
  readonly promoted: string | null;
  readonly decided: ExperimentDecision | null;
}

export function withOverrides(definition: PlacementDefinition, overrides: VariantOverrides): PlacementDefinition {
  const { kind = definition.kind, ...defaults } = overrides;
  // A list is not filled with its own kind.
  const fallback = definition.fallback.filter((other) => other !== kind);
  return { ...definition, kind, fallback, defaults: { ...definition.defaults, ...defaults } };
}

/** Whether calls of a placement of one kind can be served by the other: they give what it needs. */
export function canReplace(kind: PlacementKind, other: PlacementKind): boolean {
  if (kind === other) return true;
  if (kind === 'ranking' || other === 'ranking') return false;
  return !ITEM_KINDS.includes(other) || ITEM_KINDS.includes(kind);
}
