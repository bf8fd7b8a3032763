// What questions teach of how experts are joined: the weights of a blend, and the ranker over its best items.

import { traced } from '../base/trace.ts';
import type { Question } from '../dataset/questions.ts';
import { type LaneBlend, learnedBlend } from './blends.ts';
import { fitRanker, type RankerWeights } from './fit-ranker.ts';
import { gatherJudges, type JudgeSource } from './judges.ts';
import { collectShares } from './lane-shares.ts';
import type { Members, ScoringChoice } from './scoring-choice.ts';

/** Number of questions that a blend's weights are learned from. */
const BLEND_QUESTIONS = 1500;

/** Learns the weights of a blend among the candidates of the one before; null: too few questions. */
export async function learnBlend(
  { pool, forge, experts }: Members,
  before: LaneBlend,
  source: JudgeSource,
  questions: readonly Question[],
): Promise<LaneBlend | null> {
  const mark = pool.memory.mark();
  const taught = gatherJudges(pool.memory, source, questions.slice(0, BLEND_QUESTIONS));
  const shares = await collectShares(pool, forge.block(experts, before), experts, taught);
  const blend = await learnedBlend(pool, shares, experts.length);
  pool.memory.release(mark);
  return blend;
}

/** What was chosen, learned once more from all questions. */
export async function learnAgain(
  members: Members,
  choice: ScoringChoice,
  source: JudgeSource,
  questions: readonly Question[],
): Promise<ScoringChoice> {
  // Of more, the half that fits has taught the blend as much as it can learn.
  const learned = choice.blend.transform.kind === 'log' && questions.length < 2 * BLEND_QUESTIONS;
  const blend = (learned && (await learnBlend(members, choice.blend, source, questions))) || choice.blend;
  const ranker = choice.ranker && (await fitRankerOver(members, { ...choice, blend }, source, questions));
  return choice.ranker !== null && ranker === null ? choice : { ...choice, blend, ranker };
}

/** Fits a ranker over the best items of a blend. */
export async function fitRankerOver(
  { pool, forge, experts, facts }: Members,
  { blend, deep }: Pick<ScoringChoice, 'blend' | 'deep'>,
  source: JudgeSource,
  questions: readonly Question[],
): Promise<RankerWeights | null> {
  const mark = pool.memory.mark();
  const block = forge.block(experts, blend);
  const ranker = await traced('fit ranker', () => fitRanker(pool, block, questions, { source, deep, facts }));
  pool.memory.release(mark);
  return ranker;
}
