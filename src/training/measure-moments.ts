// The figures a model reports, on questions that took no part in any choice: for each moment, and on arriving for each objective,
// beside what merely recommending what is popular would give.
import type { ScoringName } from '../artifact/g1-model.ts';
import { type Question, targetsOf } from '../dataset/questions.ts';
import type { ModelFigures, ModelMeasure, ModelMetrics } from '../domain/model.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { buildRankerBlock } from '../scoring/ranker-block.ts';
import type { Scoring } from './choose-scoring.ts';
import { type ListMaker, measure, type RankedLists, rankForJudges } from './evaluate.ts';
import type { ExpertForge, Forged } from './expert-forge.ts';
import { rankerOver } from './fit-ranker.ts';
import { gatherJudges, type JudgeSource, type Judges } from './judges.ts';
import type { QuestionPlan, ScoringQuestions } from './plan-questions.ts';

export interface MeasureInput {
  readonly pool: KernelPool;
  readonly forge: ExpertForge;
  readonly experts: readonly Forged[];
  readonly facts: Float32Array;
  readonly itemCount: number;
  readonly seed: number;
}

const CUTOFF = 10;

export async function measureMoments(
  input: MeasureInput,
  source: JudgeSource,
  plan: QuestionPlan,
  asked: readonly ScoringQuestions[],
  scorings: readonly { readonly moment: ScoringName; readonly scoring: Scoring }[],
): Promise<ModelFigures | null> {
  const byMoment: Record<string, ModelMeasure> = {};
  const byObjective: Record<string, ModelMeasure> = {};
  for (const [n, { moment, report, objective }] of asked.entries()) {
    if (report.length === 0) continue;
    const measured = await measureOne(input, { ...source, objective }, report, scorings[n].scoring);
    if (moment === 'discovering') byObjective.discover = measured;
    else byMoment[moment] = measured;
  }
  const [main] = plan.moments;
  if (main === undefined || byMoment[main.moment] === undefined) return null;
  byObjective[plan.objective] = byMoment[main.moment];
  for (const objective of ['discover', 'any'] as const) {
    if (byObjective[objective] !== undefined || main.kind === 'fifth') continue;
    const questions = main.report
      .map((question) => ({ ...question, targets: targetsOf(source.table, question, objective) }))
      .filter(({ targets }) => targets.length > 0);
    if (questions.length === 0) continue;
    byObjective[objective] = await measureOne(input, { ...source, objective }, questions, scorings[0].scoring);
  }
  const { model, popularity, users } = byMoment[main.moment];
  return {
    ...{ model, popularity, cutoff: CUTOFF, users, objective: plan.objective, moment: main.moment },
    ...{ by_moment: byMoment, by_objective: byObjective },
  };
}

async function measureOne(
  input: MeasureInput,
  source: JudgeSource,
  questions: readonly Question[],
  { blend, ranker }: Scoring,
): Promise<ModelMeasure> {
  const { pool, forge, experts, facts, seed } = input;
  const { memory } = pool;
  const mark = memory.mark();
  const judges = gatherJudges(memory, source, questions);
  const block = forge.block(experts, blend);
  const laneRanker = ranker === null ? null : buildRankerBlock(memory, block, rankerOver(ranker, facts));
  const own = await figures(input, { block, ranker: laneRanker }, judges, seed);
  const popular = experts.filter((expert) => expert.popularity);
  const popularBlock = forge.block(popular, { weights: [1], transform: { kind: 'linear' } });
  const popularity = await figures(input, { block: popularBlock, ranker: null }, judges, 0);
  memory.release(mark);
  return {
    model: own.metrics,
    popularity: popularity.metrics,
    users: new Set(judges.users).size,
    questions: judges.count,
    intervals: own.intervals,
    touched_share: own.touchedShare,
  };
}

async function figures({ pool, itemCount }: MeasureInput, maker: ListMaker, judges: Judges, bootstrapSeed: number) {
  const mark = pool.memory.mark();
  const lists = await rankForJudges(pool, maker, judges, CUTOFF);
  const { metrics, intervals } = measure(lists, judges, [CUTOFF], { bootstrapSeed });
  const touchedShare = shareTouched(lists, judges);
  pool.memory.release(mark);
  const of = (name: string) => metrics[`${name}@${CUTOFF}`];
  const found: ModelMetrics = {
    recall: of('recall'),
    ndcg: of('ndcg'),
    mrr: of('mrr'),
    coverage: of('coverage') / Math.max(1, itemCount),
  };
  const between = { recall: intervals[`recall@${CUTOFF}`], ndcg: intervals[`ndcg@${CUTOFF}`] };
  return { metrics: found, intervals: between, touchedShare };
}

/** Of all that is listed, what the user had touched before. */
function shareTouched(lists: RankedLists, judges: Judges): number {
  let shown = 0;
  let touched = 0;
  for (let n = 0; n < judges.count; n++) {
    const history = new Set(judges.items.subarray(judges.offsets[n], judges.offsets[n + 1]));
    for (let place = n * lists.limit; place < n * lists.limit + lists.counts[n]; place++) {
      shown++;
      if (history.has(lists.items[place])) touched++;
    }
  }
  return shown === 0 ? 0 : touched / shown;
}
