// The search: chooses experts, how they are joined for each moment and what scores mean on questions that were held out, and measures
// that on questions that chose nothing. It reads a table of a sample of users.
import type { LearnedObjectives, ScoringName } from '../artifact/g1-model.ts';
import { traced } from '../base/trace.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { buildHistories } from '../dataset/history-blocks.ts';
import type { InteractionRules } from '../dataset/interactions.ts';
import { type Question, targetsOf } from '../dataset/questions.ts';
import { AGAIN_HALF_LIFE_DAYS, touchStrengths } from '../history/objective-rules.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { calibrate } from './calibrate.ts';
import { chooseAgain } from './choose-again.ts';
import { chooseExperts } from './choose-experts.ts';
import { judgeSource } from './choose-rules.ts';
import { chooseScoring, MIN_QUESTIONS } from './choose-scoring.ts';
import { ExpertForge, type Forged, popularityOf } from './expert-forge.ts';
import { gammasOf, popularityHalfLives } from './expert-grids.ts';
import { ExpertTrials } from './expert-trials.ts';
import { ENOUGH_QUESTIONS } from './fit-ranker.ts';
import { itemFacts } from './item-facts.ts';
import { gatherJudges } from './judges.ts';
import { learnAgain } from './learn-scoring.ts';
import { measureMoments } from './measure-moments.ts';
import { momentScoring } from './model-scoring.ts';
import { onceItems } from './once-items.ts';
import { allQuestions, type MomentQuestions } from './plan-questions.ts';
import type { ScoringChoice } from './scoring-choice.ts';
import type { SearchResult } from './search-result.ts';
import type { TrainingClock } from './training-clock.ts';
import { type UnsearchedInput, unsearchedModel } from './unsearched-model.ts';
import { untoldHalfLife } from './untold-half-life.ts';
import type { ItemBlocks } from './usage-evidence.ts';

const CUTOFF = 10;
/** Experts alone differ by more than the last steps of a blend: fewer questions judge them. */
const TRIAL_QUESTIONS = 3000;
/** With fewer questions asked on arriving after the date, the half-life of popularity is not judged by them. */
const MIN_LATE_QUESTIONS = 100;

export interface SearchInput extends UnsearchedInput {
  /** the events of the users who are asked */
  readonly table: EventTable;
  readonly items: ItemBlocks | undefined;
  readonly users: Uint32Array | undefined;
  readonly rules: InteractionRules;
  readonly seed: number;
}

/**
 * Chooses everything that is judged on held-out events, and measures the result. What it leaves in the kernels' memory
 * may be released.
 */
export async function searchModel(pool: KernelPool, input: SearchInput, clock: TrainingClock): Promise<SearchResult> {
  const { table, users, counted, parameters, plan, rules, seed } = input;
  const { memory } = pool;
  const ordered = plan.scale !== 'set';
  const [main] = plan.moments;
  const objectives = defaultObjectives(input);
  if (main === undefined || main.fit.length + main.choose.length + main.report.length < MIN_QUESTIONS) {
    return unsearchedModel(input, objectives);
  }
  const once = await onceItems(plan, { ...counted, items: input.items });
  const source = { ...judgeSource(table, rules, plan), once };
  await using histories = await buildHistories(memory, table, rules, { hidden: plan.hidden, users });
  const forge = new ExpertForge(pool, {
    counted,
    histories,
    seed,
    ordered,
    gammas: gammasOf(parameters),
    historyCap: rules.historyCap,
  });
  clock.begin('tune', 0.1, 'Trying experts');
  const moments = allQuestions(table, plan);
  const trialsFor = (objective: 'discover' | 'any') => {
    const { fit, choose } = moments.find((one) => one.objective === objective && one.fit.length > 0) ?? main;
    const questions = [...fit, ...choose].slice(0, TRIAL_QUESTIONS);
    const judges = gatherJudges(memory, { ...source, objective }, questions);
    const isEarlier = questions.map((question) => question.isEarlier === true);
    return new ExpertTrials(pool, forge, { judges, cutoff: CUTOFF, isEarlier }, clock);
  };
  // Experts lead from items to others, so they are judged by what is new; what users come back to is judged by all.
  const trials = trialsFor('discover');
  const returns = plan.objective === 'any' ? trialsFor('any') : null;
  const order = main.kind === 'next' ? 'next' : main.kind === 'fifth' ? 'unordered' : 'many';
  // A random fifth of the past favors other experts than the future does, so it is not trusted.
  const trusted = main.kind !== 'fifth';
  const grid = {
    halfLives: await halfLivesOf(input, main),
    histories,
    parameters,
    ordered,
    asked: order,
    trusted,
  } as const;
  const specs = await traced('choose experts', () => chooseExperts(forge, grid, { trials, returns }, clock));
  const experts: Forged[] = [];
  for (const spec of specs) experts.push(await forge.forge(spec));

  clock.begin('blend', 0.45, `Joining ${specs.length} experts`);
  const ofItems = await itemFacts(memory, histories, ordered);
  const members = { pool, forge, experts, facts: ofItems };
  const scorings: { moment: ScoringName; scoring: ScoringChoice }[] = [];
  for (const { moment, fit, choose, objective } of moments) {
    const questions = { fitQuestions: fit, chooseQuestions: choose };
    const judged = { source: { ...source, objective }, ...questions, trusted, cutoff: CUTOFF };
    scorings.push({ moment, scoring: await traced('choose scoring', () => chooseScoring(members, judged, clock)) });
  }
  clock.begin('measure', 0.55, 'Measuring on held-out events');
  const touchRules = { ...objectives, targetEventType: table.typeNames[table.targetType] };
  const again =
    main.kind === 'arriving'
      ? chooseAgain(table, touchRules, allTargets(table, [...main.choose, ...main.fit]), popularityOf(experts))
      : { halfLifeDays: objectives.againHalfLifeDays, record: [] };
  const againHalfLifeDays = again.halfLifeDays;
  const metrics = await traced('measure', () =>
    measureMoments(
      { ...members, rules: { ...touchRules, againHalfLifeDays }, seed },
      { source, plan, asked: moments },
      scorings,
    ),
  );
  const unused = main.report.length > 0 ? main.report : main.choose;
  const others = main.report.length > 0 ? [...main.choose, ...main.fit] : main.fit;
  const forNew = scorings.find(({ moment }) => moment === 'discovering');
  const calibrated = await calibrate(memory, source, [...unused, ...others], {
    table,
    events: counted.events,
    hiddenOf: counted.hiddenOf,
    rules,
    experts,
    scoring: momentScoring(scorings[0].scoring, ofItems),
    seed,
    comeBack: plan.objective === 'any',
    unusedQuestions: unused.length,
    ...(forNew && { forNew: momentScoring(forNew.scoring, ofItems) }),
    ...(input.items && { items: input.items }),
  });
  // If there are few questions, those used for choosing and measuring are used for fitting too.
  clock.tell(0.6, 'Learning from all questions');
  for (const [n, { fit, choose, report: measured, objective }] of moments.entries()) {
    const { scoring } = scorings[n];
    if (scoring.ranker !== null && scoring.ranker.questions >= ENOUGH_QUESTIONS / 2) continue;
    const questions = [...fit, ...choose, ...measured];
    scorings[n] = { ...scorings[n], scoring: await learnAgain(members, scoring, { ...source, objective }, questions) };
  }
  return {
    specs,
    scorings,
    tried: [...trials.tried, ...(returns?.tried ?? [])],
    metrics,
    ...calibrated,
    objectives: { ...objectives, againHalfLifeDays },
    againRecord: again.record,
    space: forge.spaceCopy(),
  };
}

/** The half-lives that questions choose from; only one if the questions cannot tell. */
async function halfLivesOf(
  { parameters, facts, plan, counted }: SearchInput,
  { kind, fit, choose }: MomentQuestions,
): Promise<readonly (number | null)[]> {
  const halfLives = popularityHalfLives(parameters, facts, plan.scale !== 'set');
  const late = [...fit, ...choose].filter(({ isEarlier }) => isEarlier !== true).length;
  const isTold = kind === 'arriving' && plan.days !== null && late >= MIN_LATE_QUESTIONS;
  return isTold || plan.scale === 'order' ? halfLives : [await untoldHalfLife(counted, halfLives)];
}

function allTargets(table: EventTable, questions: readonly Question[]): Question[] {
  return questions.map((question) => ({ ...question, targets: targetsOf(table, question, 'any') }));
}

function defaultObjectives({ table, facts, plan }: SearchInput): LearnedObjectives {
  const counts = Object.fromEntries(facts.typesSeen.map((type) => [table.typeNames[type], facts.typeCounts[type]]));
  return {
    auto: plan.objective,
    touchStrengths: touchStrengths(counts, table.typeNames[table.targetType]),
    visitGapMs: plan.gapMs,
    againHalfLifeDays: AGAIN_HALF_LIFE_DAYS,
  };
}
