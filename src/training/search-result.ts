import type { G1Model, LearnedObjectives, ScoringName } from '../artifact/g1-model.ts';
import type { InteractionRules } from '../dataset/interactions.ts';
import type { Model } from '../domain/model.ts';
import type { SingularSpace } from '../experts/low-rank.ts';
import type { RuleTrial } from './choose-rules.ts';
import type { ExpertSpec } from './expert-spec.ts';
import type { ExpertTrials } from './expert-trials.ts';
import type { DislikeWeight } from './fit-dislikes.ts';
import type { QuestionPlan } from './plan-questions.ts';
import type { ScoringChoice } from './scoring-choice.ts';
import type { ShortQuestions } from './short-questions.ts';

/** Everything chosen on held-out events, with its metrics. */
export interface SearchResult {
  /** in the order of the lanes */
  readonly specs: readonly ExpertSpec[];
  /** the first is the one that insight uses */
  readonly scorings: readonly { readonly moment: ScoringName; readonly scoring: ScoringChoice }[];
  readonly tried: ExpertTrials['tried'];
  readonly metrics: Model['metrics'];
  readonly objectives: LearnedObjectives;
  /** the half-lives of `again` that were tried */
  readonly againRecord: readonly RuleTrial[];
  readonly calibration: G1Model['calibration'];
  readonly dislikes?: DislikeWeight;
  readonly shortQuestions?: ShortQuestions;
  /** computed from the events that were not held out; null if none was needed */
  readonly space: SingularSpace | null;
}

/** The choices behind a model: enough to fit it again without some events. */
export interface Recipe extends Pick<SearchResult, 'specs' | 'scorings'> {
  readonly rules: InteractionRules;
  readonly plan: QuestionPlan;
  readonly seed: number;
  readonly gammas: readonly [number, number];
}
