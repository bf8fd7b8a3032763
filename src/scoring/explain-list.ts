// A list with its reasons: what each score is made of (explain.ts), and what boosts add to it.
import type { ColdItems } from '../cold-start/cold-items.ts';
import { type Boost, logBoost } from './boost.ts';
import type { Explainer } from './explain.ts';
import type { Reason } from './reason.ts';
import type { ScoredItem } from './recommender.ts';
import type { ScoreQuestion, UserScores } from './user-scores.ts';
import { NOT_WARM, type WarmItems } from './warm-items.ts';

export interface ExplainListParts {
  readonly explainer: Explainer;
  readonly scores: UserScores;
  readonly items: WarmItems;
  readonly coldItems: ColdItems;
  readonly tau: number;
}

export function explainList(
  { explainer, scores, items: warmItems, coldItems, tau }: ExplainListParts,
  items: readonly ScoredItem[],
  question: ScoreQuestion,
  boosts: readonly Boost[],
): ScoredItem[] {
  const isRanked = scores.isRanked(question);
  const unit = scores.boostUnit(question.state, isRanked);
  const gains = items.map(({ item }) => unit * logBoost(boosts, item));
  const explained = items.map(({ item, score }, n) => {
    const warm = warmItems.indexOf(item);
    const sources = warm === NOT_WARM ? coldItems.groups.neighborsOf(coldItems.groupOf(item)) : [warm];
    return { score: score - gains[n], sources };
  });
  const reasons = explainer.reasons(question.state, explained, { ...question.options, termScale: isRanked ? tau : 1 });
  return items.map((item, n) => ({ ...item, reasons: withBoost(reasons[n], gains[n]) }));
}

function withBoost(reasons: readonly Reason[], contribution: number): readonly Reason[] {
  if (contribution === 0) return reasons;
  return [...reasons, { kind: 'boost', contribution } as const].sort((a, b) => b.contribution - a.contribution);
}
