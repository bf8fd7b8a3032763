// How the experts are joined for one moment and objective, by its own questions alone: the best plain blend, a learned one where it is clearly better, and a ranker over
// the best items of that where it is clearly better still. What is learned is fitted on some questions and judged on others, so
// nothing is chosen because it remembers its own questions.

import { traced } from '../base/trace.ts';
import type { Question } from '../dataset/questions.ts';
import { firstAsGood, mean, pairedGain, rounded, sureGain } from '../domain/compare.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { buildRankerBlock } from '../scoring/ranker-block.ts';
import { type LaneBlend, learnedBlend, plainBlends, unjudgedBlend } from './blends.ts';
import { ndcgOfEach } from './evaluate.ts';
import type { ExpertForge, Forged } from './expert-forge.ts';
import type { ExpertSpec } from './expert-spec.ts';
import { fewJudges } from './expert-trials.ts';
import { deepLanes, fitRanker, type RankerWeights, rankerOver } from './fit-ranker.ts';
import { gatherJudges, type JudgeSource, type Judges } from './judges.ts';
import { collectShares, ndcgsByShares } from './lane-shares.ts';
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
/** Number of questions that a blend's weights are learned from. */
const BLEND_QUESTIONS = 1500;

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
  const { pool, forge, experts } = members;
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
    const judges = gatherJudges(memory, source, chooseQuestions);
    let ndcgs = await ndcgsOf(members, chosen, judges, input.cutoff);
    /** Takes a choice if it gains on questions it was not fitted on. */
    const consider = async (scoring: Scoring, choice: string): Promise<void> => {
      const own = await ndcgsOf(members, scoring, judges, input.cutoff);
      const { gain, standardError } = pairedGain(own, ndcgs);
      const taken = sureGain(own, ndcgs, LEARNED_ERRORS) > 0;
      record.push({ choice, ndcg: rounded(mean(own)), ...roundedGain(gain, standardError), taken });
      if (taken) [chosen, ndcgs] = [scoring, own];
    };
    if (!clock.isLate()) {
      const before = memory.mark();
      const taught = gatherJudges(memory, source, fitQuestions.slice(0, BLEND_QUESTIONS));
      const shares = await collectShares(pool, forge.block(experts, chosen.blend), experts, taught);
      const blend = await learnedBlend(pool, shares, experts.length);
      memory.release(before);
      if (blend !== null) await consider({ blend, ranker: null }, 'learned blend');
    }
    if (!clock.isLate()) {
      const { blend } = chosen;
      const ranker = await fitRankerOver(members, { blend, deep }, source, fitQuestions);
      if (ranker !== null) await consider({ blend, ranker }, `ranker of ${ranker.questions} questions`);
    }
  }
  memory.release(mark);
  return { ...chosen, deep, record };
}

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
