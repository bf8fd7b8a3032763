// An expert's family and settings, which the search chooses and the forge builds.
import type { TransitionVariant } from '../domain/algorithm-parameters.ts';

export type ExpertSpec =
  | { readonly family: 'local_ridge'; neighbours: number; lambda: number; gamma: number; rho: number }
  | { readonly family: 'walk'; gamma: number; beta: number; delta: number; rho: number }
  | { readonly family: 'transitions'; variant: TransitionVariant }
  | { readonly family: 'low_rank'; factors: number; rho: number }
  | { readonly family: 'repeat'; rho: number }
  | { readonly family: 'popularity'; half_life_days: number | null };

export function expertName(spec: ExpertSpec): string {
  return spec.family === 'transitions' ? `transitions ${spec.variant}` : spec.family.replace('_', ' ');
}

/** Specs of the same key have the same rows. */
export function rowsKey(spec: ExpertSpec): string {
  switch (spec.family) {
    case 'local_ridge':
      return ridgeKey(spec);
    case 'walk':
      return `walk ${spec.gamma} ${spec.beta} ${spec.delta}`;
    case 'transitions':
      return `transitions ${spec.variant}`;
    case 'low_rank':
      return `low rank ${spec.factors}`;
    default:
      return spec.family;
  }
}

export function ridgeKey({ neighbours, lambda }: { neighbours: number; lambda: number }): string {
  return `ridge ${neighbours} ${lambda}`;
}
