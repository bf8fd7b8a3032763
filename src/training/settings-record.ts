// A model's record of how it was made: its settings, and every choice with its gain on held-out questions.

import { DAY_MS } from '../base/durations.ts';
import type { EventTable } from '../dataset/event-table.ts';
import type { InteractionRules } from '../dataset/interactions.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { rounded } from '../domain/compare.ts';
import type { RuleTrial } from './choose-rules.ts';
import { allQuestions, type QuestionPlan, type ScoringQuestions } from './plan-questions.ts';
import type { SearchResult } from './search-result.ts';

export interface SettingsInput extends Pick<SearchResult, 'specs' | 'scorings' | 'tried' | 'dislikes' | 'calibration'> {
  readonly rules: InteractionRules;
  readonly ruleRecord: readonly RuleTrial[];
  readonly plan: QuestionPlan;
  readonly parameters: AlgorithmParameters;
  readonly table: EventTable;
}

export function settingsOf(input: SettingsInput): Record<string, unknown> {
  const { specs, scorings, tried, rules, ruleRecord, plan, parameters, table } = input;
  const { blend, record } = scorings[0].scoring;
  const asked = allQuestions(table, plan);
  return {
    objective: plan.objective,
    repeat_consumption: { ...plan.repeats, share: rounded(plan.repeats.share) },
    horizon: plan.horizon,
    times: plan.scale,
    experts: specs.map((spec, n) => ({ ...spec, weight: Math.round(blend.weights[n] * 1e4) / 1e4 })),
    transform: blend.transform,
    tuned_ndcg: record.findLast(({ taken }) => taken)?.ndcg ?? 0,
    tried: tried.map(({ spec, ndcg }) => ({ ...spec, ndcg: rounded(ndcg) })),
    moments: scorings.map(({ moment, scoring }) => ({
      moment,
      questions: countsOf(asked.find((one) => one.moment === moment)),
      blend: scoring.blend.name,
      ranker: scoring.ranker === null ? null : { questions: scoring.ranker.questions },
      choices: scoring.record,
    })),
    rule_choices: ruleRecord,
    ...(input.dislikes && { dislikes: { ...input.dislikes, weight: rounded(input.dislikes.weight) } }),
    cold_share: rounded(input.calibration.coldShare ?? 0),
    event_type_weights: Object.fromEntries(table.typeNames.map((name, type) => [name, rules.typeWeights[type]])),
    value_weighting: rules.valueShape,
    value_unit: rules.valueUnit,
    history_cap: rules.historyCap,
    half_life_days: rules.halfLifeMs === null ? null : rules.halfLifeMs / DAY_MS,
    given: parameters,
  };
}

/** Returns null if no questions were asked. */
function countsOf(questions: ScoringQuestions | undefined) {
  if (questions === undefined) return null;
  const { fit, choose, report } = questions;
  return { fit: fit.length, choose: choose.length, report: report.length };
}
