// How experts are joined: what is chosen, with what each choice gained, and the experts that it is chosen for.

import type { KernelPool } from '../kernels/kernel-pool.ts';
import type { LaneBlend } from './blends.ts';
import type { ExpertForge, Forged } from './expert-forge.ts';
import type { RankerWeights } from './fit-ranker.ts';

export interface Scoring {
  readonly blend: LaneBlend;
  readonly ranker: RankerWeights | null;
}

/** A choice and what it gained on questions it was not fitted on. */
export interface ChoiceRecord {
  readonly choice: string;
  readonly ndcg: number;
  /** over popularity alone for a plain blend; over the choice it would replace for a learned one */
  readonly gain: number;
  readonly standard_error: number;
  readonly taken: boolean;
}

export interface ScoringChoice extends Scoring {
  /** the lanes whose single contributions a ranker reads */
  readonly deep: readonly number[];
  readonly record: readonly ChoiceRecord[];
}

/** Experts that are ready to be combined, in the order of lanes, and facts of the items. */
export interface Members {
  readonly pool: KernelPool;
  readonly forge: ExpertForge;
  readonly experts: readonly Forged[];
  readonly facts: Float32Array;
}
