// The model where too few events can be held out to choose by: what is popular, and hardly any taste.
import type { LearnedObjectives } from '../artifact/g1-model.ts';
import { DAY_MS } from '../base/durations.ts';
import type { EventFacts } from '../dataset/event-facts.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { type CountedEvents, popularityValues } from '../experts/popularity.ts';
import { FIRST_REAL_MS } from '../history/visits.ts';
import { uncalibratedBlend } from './blends.ts';
import { defaultExperts } from './choose-experts.ts';
import { popularityHalfLives } from './expert-grids.ts';
import type { QuestionPlan } from './plan-questions.ts';
import type { ScoringChoice } from './scoring-choice.ts';
import type { SearchResult } from './search-result.ts';
import { untoldHalfLife } from './untold-half-life.ts';

export interface UnsearchedInput {
  /** facts of all events, like `counted` */
  readonly facts: EventFacts;
  readonly counted: CountedEvents;
  readonly parameters: AlgorithmParameters;
  readonly plan: QuestionPlan;
}

/**
 * For data without held-out events: the half-life of popularity is learned from all events, and the other experts have
 * their defaults.
 */
export async function unsearchedModel(
  { parameters, plan, counted, facts }: UnsearchedInput,
  objectives: LearnedObjectives,
): Promise<SearchResult> {
  const comeBack = plan.objective === 'any';
  const all = { ...counted, nowTs: facts.usualNewestTs, hiddenOf: null };
  const hasTimes = facts.usualOldestTs >= FIRST_REAL_MS;
  const halfLifeDays = await untoldHalfLife(all, popularityHalfLives(parameters, facts, hasTimes));
  const specs = defaultExperts(parameters, { ordered: plan.scale !== 'set', comeBack, halfLifeDays });
  const [users] = await popularityValues(all, [halfLifeDays && halfLifeDays * DAY_MS]);
  const usersOfMost = users.reduce((most, count) => Math.max(most, count), 0);
  const unjudged = (objective: 'discover' | 'any'): ScoringChoice => ({
    blend: uncalibratedBlend(specs, objective, usersOfMost),
    ranker: null,
    deep: [],
    record: [],
  });
  const arriving = { moment: 'arriving', scoring: unjudged(plan.objective) } as const;
  const discovering = { moment: 'discovering', scoring: unjudged('discover') } as const;
  return {
    specs,
    tried: [],
    metrics: null,
    calibration: { tau: 1, usage: null },
    objectives,
    againRecord: [],
    space: null,
    scorings: comeBack ? [arriving, discovering] : [arriving],
  };
}
