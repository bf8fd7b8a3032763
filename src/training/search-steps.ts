// The steps of the search, in their order.
import type { LearnedObjectives } from '../artifact/g1-model.ts';
import { traced } from '../base/trace.ts';
import { type Question, targetsOf } from '../dataset/questions.ts';
import type { ObjectiveRules } from '../history/objective-rules.ts';
import { type Calibrated, calibrate } from './calibrate.ts';
import { chooseAgain } from './choose-again.ts';
import { chooseExperts } from './choose-experts.ts';
import { chooseScoring } from './choose-scoring.ts';
import { popularityOf } from './expert-forge.ts';
import { type GridInput, popularityHalfLives } from './expert-grids.ts';
import { ExpertTrials } from './expert-trials.ts';
import { ENOUGH_QUESTIONS } from './fit-ranker.ts';
import { gatherJudges } from './judges.ts';
import { learnAgain } from './learn-scoring.ts';
import { momentScoring } from './model-scoring.ts';
import type { Members } from './scoring-choice.ts';
import type { Search } from './search-input.ts';
import type { SearchResult } from './search-result.ts';
import { untoldHalfLife } from './untold-half-life.ts';

const CUTOFF = 10;
/** Experts alone differ by more than the last steps of a blend: fewer questions judge them. */
const TRIAL_QUESTIONS = 3000;
/** With fewer questions asked on arriving after the date, the half-life of popularity is not judged by them. */
const MIN_LATE_QUESTIONS = 100;

type Scorings = SearchResult['scorings'];

/** Tries experts alone, and keeps the best settings of each family. */
export async function tuneExperts(search: Search): Promise<Pick<SearchResult, 'specs' | 'tried'>> {
  const { forge, plan, clock } = search;
  // Experts lead from items to others, so they are judged by what is new; what users come back to is judged by all.
  const trials = trialsFor(search, 'discover');
  const returns = plan.objective === 'any' ? trialsFor(search, 'any') : null;
  const grid = await gridOf(search);
  const specs = await traced('choose experts', () => chooseExperts(forge, grid, { trials, returns }, clock));
  return { specs, tried: [...trials.tried, ...(returns?.tried ?? [])] };
}

function trialsFor({ pool, forge, source, main, moments, clock }: Search, objective: 'discover' | 'any'): ExpertTrials {
  const { fit, choose } = moments.find((one) => one.objective === objective && one.fit.length > 0) ?? main;
  const questions = [...fit, ...choose].slice(0, TRIAL_QUESTIONS);
  const judges = gatherJudges(pool.memory, { ...source, objective }, questions);
  const isEarlier = questions.map((question) => question.isEarlier === true);
  return new ExpertTrials(pool, forge, { judges, cutoff: CUTOFF, isEarlier }, clock);
}

async function gridOf(search: Search): Promise<GridInput> {
  const { histories, parameters, plan, main, trusted } = search;
  return {
    halfLives: await halfLivesOf(search),
    histories,
    parameters,
    ordered: plan.scale !== 'set',
    asked: main.kind === 'next' ? 'next' : main.kind === 'fifth' ? 'unordered' : 'many',
    trusted,
  };
}

/** The half-lives that questions choose from; only one if the questions cannot tell. */
async function halfLivesOf({ parameters, facts, plan, counted, main }: Search): Promise<readonly (number | null)[]> {
  const halfLives = popularityHalfLives(parameters, facts, plan.scale !== 'set');
  const late = [...main.fit, ...main.choose].filter(({ isEarlier }) => isEarlier !== true).length;
  const isTold = main.kind === 'arriving' && plan.days !== null && late >= MIN_LATE_QUESTIONS;
  return isTold || plan.scale === 'order' ? halfLives : [await untoldHalfLife(counted, halfLives)];
}

/** Chooses for each moment how the experts are joined. */
export async function joinExperts({ source, moments, trusted, clock }: Search, members: Members): Promise<Scorings> {
  const scorings: Scorings[number][] = [];
  for (const { moment, fit, choose, objective } of moments) {
    const questions = { fitQuestions: fit, chooseQuestions: choose };
    const judged = { source: { ...source, objective }, ...questions, trusted, cutoff: CUTOFF };
    scorings.push({ moment, scoring: await traced('choose scoring', () => chooseScoring(members, judged, clock)) });
  }
  return scorings;
}

/** Chooses the half-life of `again` if questions ask what users come back to. */
export function tuneAgain(
  { table, main }: Search,
  { experts }: Members,
  rules: ObjectiveRules & LearnedObjectives,
): ReturnType<typeof chooseAgain> {
  if (main.kind !== 'arriving') return { halfLifeDays: rules.againHalfLifeDays, record: [] };
  const questions = [...main.choose, ...main.fit].map(
    (question): Question => ({ ...question, targets: targetsOf(table, question, 'any') }),
  );
  return chooseAgain(table, rules, questions, popularityOf(experts));
}

/** Fits what scores mean, on questions that chose nothing if there are enough. */
export function calibrateScores(
  { pool, source, table, counted, rules, plan, main, items, seed }: Search,
  { experts, facts }: Members,
  scorings: Scorings,
): Promise<Calibrated> {
  const unused = main.report.length > 0 ? main.report : main.choose;
  const others = main.report.length > 0 ? [...main.choose, ...main.fit] : main.fit;
  const forNew = scorings.find(({ moment }) => moment === 'discovering');
  return calibrate(pool.memory, source, [...unused, ...others], {
    table,
    events: counted.events,
    hiddenOf: counted.hiddenOf,
    rules,
    experts,
    scoring: momentScoring(scorings[0].scoring, facts),
    seed,
    comeBack: plan.objective === 'any',
    unusedQuestions: unused.length,
    ...(forNew && { forNew: momentScoring(forNew.scoring, facts) }),
    ...(items && { items }),
  });
}

/** What was learned from few questions is learned again from all, also those used for choosing and measuring. */
export async function learnFromAll(
  { source, moments }: Search,
  members: Members,
  scorings: Scorings,
): Promise<Scorings> {
  const learned: Scorings[number][] = [];
  for (const [n, { fit, choose, report, objective }] of moments.entries()) {
    const { moment, scoring } = scorings[n];
    const hadEnough = scoring.ranker !== null && scoring.ranker.questions >= ENOUGH_QUESTIONS / 2;
    const again = () => learnAgain(members, scoring, { ...source, objective }, [...fit, ...choose, ...report]);
    learned.push({ moment, scoring: hadEnough ? scoring : await again() });
  }
  return learned;
}
