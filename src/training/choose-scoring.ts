// How the experts are joined for one moment and objective, by its own questions alone: the best plain blend, a learned one where it is clearly better, and a ranker over
// the best items of that where it is clearly better still. What is learned is fitted on some questions and judged on others, so
// nothing is chosen because it remembers its own questions.
import type { Question } from '../dataset/questions.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { buildRankerBlock } from '../scoring/ranker-block.ts';
import { type LaneBlend, learnedBlend, plainBlends, unjudgedBlend } from './blends.ts';
import { mean, pairedGain, rounded } from './compare.ts';
import { ndcgOfEach } from './evaluate.ts';
import type { ExpertForge, ExpertSpec, Forged } from './expert-forge.ts';
import { fewJudges } from './expert-trials.ts';
import { deepLanes, fitRanker, type RankerWeights, rankerOver } from './fit-ranker.ts';
import { gatherJudges, type JudgeSource, type Judges } from './judges.ts';
import type { TrainingClock } from './training-clock.ts';

/** Fewer questions choose nothing. */
export const MIN_QUESTIONS = 20;
/** Fewer questions to fit on teach no weights. */
const MIN_LEARNED = 200;
/** Questions that choose among plain blends. */
const PLAIN_QUESTIONS = 1500;
/** Questions that teach a blend its weights. */
const BLEND_QUESTIONS = 3000;

export interface Scoring {
  readonly blend: LaneBlend;
  readonly ranker: RankerWeights | null;
}

/** A choice and what it gained on questions it was not fitted on. */
export interface ChoiceRecord {
  readonly choice: string;
  readonly ndcg: number;
  /** over what it would have replaced, null for the first */
  readonly gain: number | null;
  readonly standard_error: number | null;
  readonly taken: boolean;
}

export interface ScoringChoice extends Scoring {
  /** the lanes whose single contributions a ranker reads */
  readonly deep: readonly number[];
  readonly record: readonly ChoiceRecord[];
}

/** Experts ready to be joined, in the order of lanes, and what items have by themselves. */
export interface Members {
  readonly pool: KernelPool;
  readonly forge: ExpertForge;
  readonly experts: readonly Forged[];
  readonly facts: Float32Array;
}

export interface ScoringInput {
  /** says too what may be recommended */
  readonly source: JudgeSource;
  readonly fitQuestions: readonly Question[];
  readonly chooseQuestions: readonly Question[];
  /** false: what is asked differs from what will be asked later; nothing may be fitted to it, and no expert win alone */
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
  // Nothing is fitted in a plain blend: it may be judged on the questions that others are fitted on.
  let judges = gatherJudges(memory, source, [...chooseQuestions, ...fitQuestions].slice(0, PLAIN_QUESTIONS));
  const figures = await ndcgsOfMembers(members, judges, input.cutoff);
  const { equal, single } = plainBlends(specs, figures, source.table.itemCount);
  const deep = deepLanes(specs, figures);
  const record: ChoiceRecord[] = [];
  let chosen: Scoring = { blend: equal[0], ranker: null };
  let ndcgs: Float64Array | null = null;
  const judge = (scoring: Scoring) => ndcgsOf(members, scoring, judges, input.cutoff);
  /** `errors`: standard errors that it must gain to be taken. */
  const consider = async (scoring: Scoring, choice: string, errors: number): Promise<void> => {
    const own = await judge(scoring);
    const { gain, standardError } = pairedGain(own, ndcgs ?? own);
    const taken = ndcgs === null || gain > errors * standardError;
    record.push({
      choice,
      ndcg: rounded(mean(own)),
      gain: ndcgs === null ? null : rounded(gain),
      standard_error: ndcgs === null ? null : rounded(standardError),
      taken,
    });
    if (!taken) return;
    chosen = scoring;
    ndcgs = own;
  };
  // What is not quite what will be asked must speak clearly.
  for (const blend of equal) await consider({ blend, ranker: null }, blend.name, trusted ? 0 : 1);
  if (trusted) await consider({ blend: single, ranker: null }, single.name, 1);
  if (trusted && fitQuestions.length >= MIN_LEARNED) {
    judges = gatherJudges(memory, source, chooseQuestions);
    ndcgs = await judge(chosen);
    if (!clock.isLate()) {
      const before = memory.mark();
      const block = forge.block(experts, chosen.blend);
      const taught = gatherJudges(memory, source, fitQuestions.slice(0, BLEND_QUESTIONS));
      const blend = await learnedBlend(pool, block, taught);
      memory.release(before);
      if (blend !== null) await consider({ blend, ranker: null }, 'learned blend', 1);
    }
    if (!clock.isLate()) {
      const { blend } = chosen;
      const ranker = await fitRankerOver(members, { blend, deep }, source, fitQuestions);
      if (ranker !== null) await consider({ blend, ranker }, `ranker of ${ranker.questions} questions`, 1);
    }
  }
  memory.release(mark);
  return { ...chosen, deep, record };
}

/** Where too few questions can choose. */
export function unjudged(specs: readonly ExpertSpec[], objective: 'discover' | 'any'): ScoringChoice {
  return { blend: unjudgedBlend(specs, objective), ranker: null, deep: [], record: [] };
}

/** A ranker over the best items of a blend. */
export async function fitRankerOver(
  { pool, forge, experts, facts }: Members,
  { blend, deep }: Pick<ScoringChoice, 'blend' | 'deep'>,
  source: JudgeSource,
  questions: readonly Question[],
): Promise<RankerWeights | null> {
  const mark = pool.memory.mark();
  const block = forge.block(experts, blend);
  const ranker = await fitRanker(pool, block, questions, { source, deep, facts });
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
  const ndcgs = await ndcgOfEach(pool, { block, ranker: laneRanker }, judges, cutoff);
  pool.memory.release(mark);
  return ndcgs;
}

/** How well each expert alone answers these questions. */
async function ndcgsOfMembers(members: Members, judges: Judges, cutoff: number): Promise<number[]> {
  const few = fewJudges(judges);
  const figures: number[] = [];
  for (const expert of members.experts) {
    const alone = { name: 'alone', weights: [1], transform: { kind: 'linear' } } as const;
    figures.push(mean(await ndcgsOf({ ...members, experts: [expert] }, { blend: alone, ranker: null }, few, cutoff)));
  }
  return figures;
}
