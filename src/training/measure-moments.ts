// The figures a model reports, on questions that took no part in any choice: for each objective and moment, compared with what merely
// recommending what is popular would give.
import type { ScoringName } from '../artifact/g1-model.ts';
import { type Question, type QuestionKind, targetsOf } from '../dataset/questions.ts';
import type { AskedFor, ModelFigures, ModelMeasure, ModelMetrics } from '../domain/model-figures.ts';
import type { ObjectiveRules } from '../history/objective-rules.ts';
import { buildRankerBlock } from '../scoring/ranker-block.ts';
import { type Asked, measure, type RankedLists, rankForJudges } from './evaluate.ts';
import { popularityOf } from './expert-forge.ts';
import { rankerOver } from './fit-ranker.ts';
import { gatherJudges, type JudgeSource, type Judges } from './judges.ts';
import { askOwn, OWN_OBJECTIVES, type OwnObjective, timed } from './own-lists.ts';
import type { MomentQuestions, QuestionPlan, ScoringQuestions } from './plan-questions.ts';
import type { Members, Scoring } from './scoring-choice.ts';

export interface MeasureInput extends Members {
  readonly rules: ObjectiveRules;
  readonly seed: number;
}

/** The questions to measure. */
export interface MeasuredQuestions {
  readonly source: JudgeSource;
  readonly plan: QuestionPlan;
  readonly asked: readonly ScoringQuestions[];
}

type Figures = Omit<ModelMeasure, 'objective' | 'moment' | 'asked_for'>;

const CUTOFF = 10;
const ASKED_FOR: Readonly<Record<QuestionKind, AskedFor>> = {
  arriving: 'next visits',
  browsing: 'next item',
  next: 'next item',
  fifth: 'random fifth',
};

export async function measureMoments(
  input: MeasureInput,
  { source, plan, asked }: MeasuredQuestions,
  scorings: readonly { readonly moment: ScoringName; readonly scoring: Scoring }[],
): Promise<ModelFigures | null> {
  const measures: ModelMeasure[] = [];
  const add = (kind: QuestionKind, objective: ModelMeasure['objective'], own: Figures) => {
    const moment = kind === 'browsing' || kind === 'next' ? 'browsing' : 'arriving';
    const days = kind === 'arriving' && plan.days !== null ? { days: Math.round(plan.days * 10) / 10 } : {};
    measures.push({ objective, moment, asked_for: ASKED_FOR[kind], ...days, ...own });
  };
  for (const [n, questions] of asked.entries()) {
    const { report, objective, kind } = questions;
    if (report.length === 0) continue;
    add(kind, objective, await measureOne(input, { ...source, objective }, report, scorings[n].scoring));
  }
  const [main] = plan.moments;
  const first = measures[0];
  if (main === undefined || main.report.length === 0 || first === undefined) return null;
  for (const objective of ['discover', 'any'] as const) {
    if (main.kind === 'fifth' || measures.some((own) => own.objective === objective)) continue;
    const questions = retargeted(source, main, objective);
    if (questions.length === 0) continue;
    add(main.kind, objective, await measureOne(input, { ...source, objective }, questions, scorings[0].scoring));
  }
  if (main.kind === 'arriving') {
    const questions = timed(source.table, retargeted(source, main, 'any'));
    for (const objective of OWN_OBJECTIVES) {
      const own = measureOwn(input, source, objective, questions);
      if (own !== null) add(main.kind, objective, own);
    }
  }
  const { model, popularity, users } = first;
  return {
    model,
    popularity,
    cutoff: CUTOFF,
    users,
    objective: first.objective,
    moment: first.moment,
    by_question: measures,
  };
}

/** The questions of the same moment with the targets of another objective. */
function retargeted(
  { table }: JudgeSource,
  { kind, report }: MomentQuestions,
  objective: 'discover' | 'any',
): Question[] {
  // Questions about the next item keep their targets: the next item is the same for every objective.
  if (kind !== 'arriving') return [...report];
  return report
    .map((question) => ({ ...question, targets: targetsOf(table, question, objective) }))
    .filter(({ targets }) => targets.length > 0);
}

async function measureOne(
  input: MeasureInput,
  source: JudgeSource,
  questions: readonly Question[],
  { blend, ranker }: Scoring,
): Promise<Figures> {
  const { pool, forge, experts, facts } = input;
  const { memory } = pool;
  const mark = memory.mark();
  const judges = gatherJudges(memory, source, questions);
  const block = forge.block(experts, blend);
  const laneRanker = ranker === null ? null : buildRankerBlock(memory, block, rankerOver(ranker, facts));
  const lists = await rankForJudges(pool, { block, ranker: laneRanker }, judges, CUTOFF);
  const popular = experts.filter((expert) => expert.popularity);
  const popularBlock = forge.block(popular, { weights: [1], transform: { kind: 'linear' } });
  const popularLists = await rankForJudges(pool, { block: popularBlock, ranker: null }, judges, CUTOFF);
  const figures = figuresOf(input, judges, lists, popularLists);
  const touchedShare = shareTouched(lists, judges);
  memory.release(mark);
  return { ...figures, touched_share: touchedShare };
}

/** null: nobody turned to an item that the objective could have recommended. */
function measureOwn(
  input: MeasureInput,
  { table }: JudgeSource,
  objective: OwnObjective,
  questions: Parameters<typeof askOwn>[2],
): Figures | null {
  const popularity = popularityOf(input.experts);
  const { asked, lists } = askOwn({ table, popularity, rules: input.rules, limit: CUTOFF }, objective, questions);
  if (asked.count === 0) return null;
  const figures = figuresOf(input, asked, lists.objective, lists.popularity);
  return { ...figures, newest: metricsOf(input, asked, lists.newest).metrics, touched_share: 1 };
}

function figuresOf(input: MeasureInput, asked: Asked, own: RankedLists, popular: RankedLists) {
  const { metrics, intervals } = metricsOf(input, asked, own, input.seed || 1);
  return {
    model: metrics,
    popularity: metricsOf(input, asked, popular).metrics,
    users: new Set(asked.users).size,
    questions: asked.count,
    intervals,
  };
}

function metricsOf({ forge }: MeasureInput, asked: Asked, lists: RankedLists, bootstrapSeed = 0) {
  const { metrics: found, intervals } = measure(lists, asked, [CUTOFF], { bootstrapSeed });
  const of = (name: string) => found[`${name}@${CUTOFF}`];
  const metrics: ModelMetrics = {
    recall: of('recall'),
    ndcg: of('ndcg'),
    mrr: of('mrr'),
    hit_rate: of('hit_rate'),
    coverage: of('coverage') / Math.max(1, forge.degrees.length),
  };
  const between = (name: string) => intervals[`${name}@${CUTOFF}`];
  return {
    metrics,
    intervals: { recall: between('recall'), ndcg: between('ndcg'), hit_rate: between('hit_rate') },
  };
}

/** Share of the listed items up to the cutoff that the user had touched before. */
export function shareTouched(lists: RankedLists, judges: Judges, cutoff = CUTOFF): number {
  let shown = 0;
  let touched = 0;
  for (let n = 0; n < judges.count; n++) {
    const history = new Set(judges.items.subarray(judges.offsets[n], judges.offsets[n + 1]));
    const from = n * lists.limit;
    for (let place = from; place < from + Math.min(cutoff, lists.counts[n]); place++) {
      shown++;
      if (history.has(lists.items[place])) touched++;
    }
  }
  return shown === 0 ? 0 : touched / shown;
}
