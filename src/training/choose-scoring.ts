// How the experts are joined for one moment: the best plain blend, a learned one where it is clearly better, and a ranker over
// the best items of that where it is clearly better still. What is learned is fitted on some questions and judged on others, so
// nothing is chosen because it remembers its own questions.
import type { Question } from '../dataset/questions.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { buildRankerBlock } from '../scoring/ranker-block.ts';
import { type LaneBlend, learnedBlend, plainBlends } from './blends.ts';
import { mean, pairedGain, rounded } from './compare.ts';
import { ndcgOfEach } from './evaluate.ts';
import type { ExpertForge, Forged } from './expert-forge.ts';
import type { ExpertTrials } from './expert-trials.ts';
import { deepLanes, fitRanker, type RankerWeights, rankerOver } from './fit-ranker.ts';
import { gatherJudges, type JudgeSource, type Judges } from './judges.ts';
import type { TrainingClock } from './training-clock.ts';

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
  readonly record: readonly ChoiceRecord[];
}

export interface ScoringInput {
  readonly source: JudgeSource;
  readonly fitQuestions: readonly Question[];
  readonly chooseQuestions: readonly Question[];
  /** experts in the order of the lanes */
  readonly experts: readonly Forged[];
  readonly facts: Float32Array;
  /** false: what is asked differs from what will be asked later; nothing may be fitted to it, and no expert win alone */
  readonly trusted: boolean;
  /** whether there are enough questions to fit on */
  readonly learns: boolean;
  readonly cutoff: number;
}

export async function chooseScoring(
  pool: KernelPool,
  forge: ExpertForge,
  trials: ExpertTrials,
  input: ScoringInput,
  clock: TrainingClock,
): Promise<ScoringChoice> {
  const { source, fitQuestions, chooseQuestions, experts, facts, cutoff } = input;
  const { memory } = pool;
  const mark = memory.mark();
  const record: ChoiceRecord[] = [];
  const judge = async ({ blend, ranker }: Scoring, judges: Judges): Promise<Float64Array> => {
    const before = memory.mark();
    const block = forge.block(experts, blend);
    const laneRanker = ranker === null ? null : buildRankerBlock(memory, block, rankerOver(ranker, facts));
    const ndcgs = await ndcgOfEach(pool, { block, ranker: laneRanker }, judges, cutoff);
    memory.release(before);
    return ndcgs;
  };
  let chosen: Scoring | null = null;
  let ndcgs: Float64Array = new Float64Array(0);
  // Nothing is fitted in a plain blend: it may be judged on the questions that others are fitted on.
  let judges = gatherJudges(memory, source, [...chooseQuestions, ...fitQuestions].slice(0, PLAIN_QUESTIONS));
  /** `errors`: standard errors that it must gain to be taken. */
  const consider = async (scoring: Scoring, choice: string, errors: number): Promise<void> => {
    const own = await judge(scoring, judges);
    const { gain, standardError } = pairedGain(own, chosen === null ? own : ndcgs);
    const taken: boolean = chosen === null || gain > errors * standardError;
    record.push({
      choice,
      ndcg: rounded(mean(own)),
      gain: chosen === null ? null : rounded(gain),
      standard_error: chosen === null ? null : rounded(standardError),
      taken,
    });
    if (!taken) return;
    chosen = scoring;
    ndcgs = own;
  };
  const { equal, single } = plainBlends(experts, trials, source.table.itemCount);
  // What is not quite what will be asked must speak clearly.
  for (const blend of equal) await consider({ blend, ranker: null }, blend.name, input.trusted ? 0 : 1);
  if (input.trusted) await consider({ blend: single, ranker: null }, single.name, 2);
  if (!input.learns) {
    memory.release(mark);
    return { ...chosen!, record };
  }
  judges = gatherJudges(memory, source, chooseQuestions);
  ndcgs = await judge(chosen!, judges);
  if (!clock.isLate()) {
    const before = memory.mark();
    const block = forge.block(experts, chosen!.blend);
    const taught = gatherJudges(memory, source, fitQuestions.slice(0, BLEND_QUESTIONS));
    const blend = await learnedBlend(pool, block, taught);
    memory.release(before);
    if (blend !== null) await consider({ blend, ranker: null }, 'learned blend', 1);
  }
  if (!clock.isLate()) {
    const ranker = await fitRankerOver(pool, forge, trials, chosen!.blend, input);
    if (ranker !== null) await consider({ blend: chosen!.blend, ranker }, `ranker of ${ranker.questions} questions`, 1);
  }
  memory.release(mark);
  return { ...chosen!, record };
}

/** A ranker over the best items of a blend, fitted on the fit questions. */
export async function fitRankerOver(
  pool: KernelPool,
  forge: ExpertForge,
  trials: ExpertTrials,
  blend: LaneBlend,
  { source, fitQuestions, experts, facts }: Pick<ScoringInput, 'source' | 'fitQuestions' | 'experts' | 'facts'>,
): Promise<RankerWeights | null> {
  const mark = pool.memory.mark();
  const block = forge.block(experts, blend);
  const deep = deepLanes(
    experts.map(({ spec }) => spec),
    (spec) => trials.ndcgOf(spec),
  );
  const ranker = await fitRanker(pool, block, fitQuestions, { source, deep, facts });
  pool.memory.release(mark);
  return ranker;
}
