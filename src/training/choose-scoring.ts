// How the experts are joined for one moment and objective, by its own questions alone: the best plain blend, a learned one where it is
// clearly better, and a ranker over the best items of that where it is clearly better still. What is learned is fitted on some
// questions and judged on others, so nothing is chosen because it remembers its own questions.

import type { Question } from '../dataset/questions.ts';
import { firstAsGood, mean, pairedGain, rounded, sureGain } from '../domain/compare.ts';
import { buildRankerBlock } from '../scoring/ranker-block.ts';
import { type LaneBlend, plainBlends, unjudgedBlend } from './blends.ts';
import { ndcgOfEach } from './evaluate.ts';
import type { ExpertSpec } from './expert-spec.ts';
import { fewJudges } from './expert-trials.ts';
import { deepLanes, rankerOver } from './fit-ranker.ts';
import { gatherJudges, type JudgeSource, type Judges } from './judges.ts';
import { judgingRounds } from './judging-rounds.ts';
import { collectShares, ndcgsByShares } from './lane-shares.ts';
import { fitRankerOver, learnBlend } from './learn-scoring.ts';
import type { ChoiceRecord, Members, Scoring, ScoringChoice } from './scoring-choice.ts';
import type { TrainingClock } from './training-clock.ts';

/** With fewer questions nothing is chosen. */
export const MIN_QUESTIONS = 8;
/** Fewer questions are not used to learn weights. */
const MIN_LEARNED = 200;
/**
 * A learned choice must gain half a standard error on other questions. That is little, because with enough questions it
 * mostly helps.
 */
const LEARNED_ERRORS = 0.5;
/** A plain blend within this many standard errors of the best counts as equally good. */
const ALIKE_ERRORS = 1;
/** Number of questions that choose among plain blends. */
const PLAIN_QUESTIONS = 1500;

export interface ScoringInput {
  /** also says which items may be recommended */
  readonly source: JudgeSource;
  readonly fitQuestions: readonly Question[];
  readonly chooseQuestions: readonly Question[];
  /** false if later questions will differ from these: then nothing may be fitted to them, and no single expert may win */
  readonly trusted: boolean;
  readonly cutoff: number;
}

export async function chooseScoring(
  members: Members,
  input: ScoringInput,
  clock: TrainingClock,
): Promise<ScoringChoice> {
  const { source, fitQuestions, chooseQuestions, trusted } = input;
  const { pool, experts } = members;
  const { memory } = pool;
  const specs = experts.map(({ spec }) => spec);
  if (fitQuestions.length + chooseQuestions.length < MIN_QUESTIONS) {
    return unjudged(specs, source.objective);
  }
  const mark = memory.mark();
  const record: ChoiceRecord[] = [];
  const plain = await choosePlain(members, input, record);
  const { deep } = plain;
  let chosen: Scoring = { blend: plain.blend, ranker: null };
  if (trusted && fitQuestions.length >= MIN_LEARNED) {
    const rounds = judgingRounds(fitQuestions, chooseQuestions);
    const all = rounds.flatMap(({ judged }) => judged);
    const judges = rounds.map(({ judged }) => gatherJudges(memory, source, judged));
    const ndcgsOfAll = async (scorings: readonly Scoring[]) => {
      const each: number[] = [];
      for (const [n, scoring] of scorings.entries()) {
        each.push(...(await ndcgsOf(members, scoring, judges[n], input.cutoff)));
      }
      return Float64Array.from(each);
    };
    let inRounds = rounds.map(() => chosen);
    let ndcgs = await ndcgsOfAll(inRounds);
    /** Takes what is learned if it gains on questions it was not learned from. */
    const consider = async (choice: string, learn: Learn): Promise<void> => {
      if (clock.isLate()) return;
      const learned: Scoring[] = [];
      for (const [n, { taught }] of rounds.entries()) {
        const scoring = await learn(inRounds[n], taught);
        if (scoring === null) return;
        learned.push(scoring);
      }
      const own = await ndcgsOfAll(learned);
      const { gain, standardError } = pairedGain(own, ndcgs);
      const taken = sureGain(own, ndcgs, LEARNED_ERRORS) > 0;
      record.push({ choice, ndcg: rounded(mean(own)), ...roundedGain(gain, standardError), taken });
      if (!taken) return;
      const whole = rounds.length > 1 ? await learn(chosen, all) : learned[0];
      [chosen, inRounds, ndcgs] = [whole ?? chosen, learned, own];
    };
    await consider('learned blend', async ({ blend: before }, taught) => {
      const blend = await learnBlend(members, before, source, taught);
      return blend && { blend, ranker: null };
    });
    await consider('ranker', async ({ blend }, taught) => {
      const ranker = await fitRankerOver(members, { blend, deep }, source, taught);
      return ranker && { blend, ranker };
    });
  }
  memory.release(mark);
  return { ...chosen, deep, record };
}

/** What some questions teach, in place of what was chosen before; null: they are too few. */
type Learn = (before: Scoring, taught: readonly Question[]) => Promise<Scoring | null>;

/**
 * The plain blend that is nearest to what is popular among those as good as the best, as far as can be told: no more than a standard
 * error behind it. Few questions tell little apart, and what is popular is safest then. Nothing is fitted in a plain blend: it may be
 * judged on the questions that others are fitted on.
 */
async function choosePlain(
  { pool, forge, experts }: Members,
  { source, fitQuestions, chooseQuestions, trusted, cutoff }: ScoringInput,
  record: ChoiceRecord[],
): Promise<{ blend: LaneBlend; deep: number[] }> {
  const { memory } = pool;
  const mark = memory.mark();
  const questions = [...chooseQuestions, ...fitQuestions].slice(0, PLAIN_QUESTIONS);
  const judges = fewJudges(gatherJudges(memory, source, questions));
  const weights = experts.map(() => 1);
  const block = forge.block(experts, { weights, transform: { kind: 'linear' } });
  const shares = await collectShares(pool, block, experts, judges);
  const eachAlone = experts.map((_, lane) => ({
    weights: weights.map((_, n) => (n === lane ? 1 : 0)),
    transform: { kind: 'linear' } as const,
  }));
  const alone = ndcgsByShares(shares, eachAlone, cutoff).map(mean);
  const specs = experts.map(({ spec }) => spec);
  const { equal, single, popular } = plainBlends(specs, alone, source.table.itemCount);
  // The baseline omits the tie-break that the blend of popularity has: on few questions the tie-break can find as much
  // as the experts do.
  const popularity = specs.map(({ family }) => (family === 'popularity' ? 1 : 0));
  const compared = [popular, ...equal.toReversed(), single];
  const [base, ...found] = ndcgsByShares(shares, [{ ...popular, weights: popularity }, ...compared], cutoff);
  const all = compared.map((blend, n) => {
    const own = found[n];
    return { blend, own, ndcg: mean(own), ...pairedGain(own, base) };
  });
  // Held-out past events favor single experts, but later the plainest blend does best if it surely finds more than
  // popularity. On little data it may not.
  const plainest = equal[0];
  const isSure = all.some(({ blend, own }) => blend === plainest && sureGain(own, base) > 0);
  const mayJoin = (blend: LaneBlend) => trusted || (isSure ? blend === plainest : blend !== single);
  const judged = all.filter(({ blend }) => blend === popular || mayJoin(blend));
  const [, ...blends] = judged;
  memory.release(mark);
  const safest = firstAsGood(blends, ALIKE_ERRORS);
  // If taste surely counts and several blends find exactly the same, the one with the most taste wins, because
  // popularity did not help.
  const isAlike = ({ blend, own }: (typeof blends)[number]) =>
    blend !== single && own.every((ndcg, n) => ndcg === safest.own[n]);
  const best = (sureGain(safest.own, base) > 0 && blends.findLast(isAlike)) || safest;
  for (const one of judged) {
    const { blend, ndcg, gain, standardError } = one;
    record.push({ choice: blend.name, ndcg: rounded(ndcg), ...roundedGain(gain, standardError), taken: one === best });
  }
  return { blend: best.blend, deep: deepLanes(specs, alone) };
}

function roundedGain(gain: number, standardError: number): Pick<ChoiceRecord, 'gain' | 'standard_error'> {
  return { gain: rounded(gain), standard_error: rounded(standardError) };
}

/** Used if there are too few questions to choose by. */
function unjudged(specs: readonly ExpertSpec[], objective: 'discover' | 'any'): ScoringChoice {
  return { blend: unjudgedBlend(specs, objective), ranker: null, deep: [], record: [] };
}

async function ndcgsOf(
  { pool, forge, experts, facts }: Members,
  { blend, ranker }: Scoring,
  judges: Judges,
  cutoff: number,
): Promise<Float64Array> {
  const mark = pool.memory.mark();
  const block = forge.block(experts, blend);
  const laneRanker = ranker === null ? null : buildRankerBlock(pool.memory, block, rankerOver(ranker, facts));
  const ndcgs = await ndcgOfEach(pool, { block, ranker: laneRanker }, judges, { cutoff });
  pool.memory.release(mark);
  return ndcgs;
}
