// Makes scores mean shares of what users do next: τ of the distribution over the catalog (scoring/calibration.ts), and maps from
// the shares of attribute values to usages (artifact/usage-maps.ts), both over the items that had events when asked.
import type { G1Model, MomentScoring } from '../artifact/g1-model.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { gatherDislikes } from '../dataset/gather-dislikes.ts';
import type { InteractionRules } from '../dataset/interactions.ts';
import { itemsWithEvents } from '../dataset/items-with-events.ts';
import type { Question } from '../dataset/questions.ts';
import type { HiddenOf, TrainingEvents } from '../dataset/training-events.ts';
import { logPopularityOf } from '../experts/popularity.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';
import { CalibrationFitter } from '../scoring/calibration.ts';
import { scorerOver } from '../scoring/create-scorer.ts';
import { lanesOnMemory } from '../scoring/score-lanes.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { type Forged, popularityOf, sparseLanes, toModelExpert } from './expert-forge.ts';
import { type DislikeWeight, fitDislikes } from './fit-dislikes.ts';
import { fitUsageMaps } from './fit-usage-maps.ts';
import { gatherJudges, type JudgeSource } from './judges.ts';
import { askShortHistories, type ScoreItems, type ShortQuestions } from './short-questions.ts';
import { type ItemBlocks, UsageEvidence } from './usage-evidence.ts';
import { UsageQuestions } from './usage-questions.ts';

const TAU_QUESTIONS = 400;
/** Number of scores that usage maps are fitted on, which takes a second or two. Below, limits of the number of questions. */
const MAPPED_SCORES = 40_000_000;
const MIN_MAPPED = 400;
const ENOUGH_UNUSED = 500;
const MAX_MAPPED = 3000;
/** Fewer questions would say more about chance than about the model. */
const LEAST_MAPPED = 100;

export interface CalibrateInput {
  readonly table: EventTable;
  /** supplies the dislikes, and tells which items have events */
  readonly events: TrainingEvents;
  /** marks the held-out events */
  readonly hiddenOf: HiddenOf | null;
  readonly rules: InteractionRules;
  readonly experts: readonly Forged[];
  /** scoring of the main moment */
  readonly scoring: MomentScoring;
  /** scoring for new items, if the model has a separate one */
  readonly forNew?: MomentScoring;
  /** whether users come back to items that they had */
  readonly comeBack: boolean;
  /** number of questions at the beginning that took no part in fitting */
  readonly unusedQuestions: number;
  readonly seed: number;
  /** records of the items; left out: no attributes are known */
  readonly items?: ItemBlocks;
}

export interface Calibrated {
  readonly calibration: G1Model['calibration'];
  readonly dislikes: DislikeWeight;
  readonly shortQuestions: ShortQuestions;
}

export async function calibrate(
  memory: KernelMemory,
  source: JudgeSource,
  questions: readonly Question[],
  input: CalibrateInput,
): Promise<Calibrated> {
  const mark = memory.mark();
  const itemCount = input.table.itemCount;
  const scorer = scorerOf(memory, input);
  const known = await itemsWithEvents(input.events, input.hiddenOf);
  const asked = new UsageQuestions(memory, scorer, { source, questions, comeBack: input.comeBack, known });
  const tau = fitTau(asked);
  const popular = input.experts.filter((expert) => expert.popularity).map((expert) => toModelExpert(expert, itemCount));
  const logPopularity = logPopularityOf(popular, itemCount);
  const popularity = logPopularity.map((log, item) => known[item] * Math.exp(log));
  const evidence = input.items === undefined ? null : await beginEvidence(asked, input.items);
  const usage = evidence && fitMaps(asked, evidence, tau, popularity);
  const coldShare = asked.coldShare(evidence);
  // Puts scores on the scale of log p, whether a ranker or the blend orders the items.
  const scale = (input.forNew ?? input.scoring).ranker === null ? tau : 1;
  const scoreItems: ScoreItems = (history, items, out) => {
    if (history.length > 0) scorer.scoreItems(history, items, { moment: 'discovering' }, out);
    for (let n = 0; n < out.length; n++) out[n] = history.length > 0 ? scale * out[n] : logPopularity[items[n]];
  };
  const judgesOf = (some: readonly Question[]) => {
    const judges = gatherJudges(memory, source, some);
    return { ...judges, rows: judges.users };
  };
  // If few questions took no part in fitting, others are used too.
  const unused = judgesOf(questions.slice(0, Math.max(input.unusedQuestions, ENOUGH_UNUSED)));
  const shortQuestions = askShortHistories(unused, itemCount, input.seed, scoreItems);
  const dislikes = await gatherDislikes(input.events, new Set(questions.map(({ user }) => user)));
  const { table, seed } = input;
  const scoring = { table, dislikes, scorer, scoreItems, tau, historyCap: input.rules.historyCap, seed };
  const weight = fitDislikes(scoring, questions, judgesOf(dislikes.user.length > 0 ? questions : []));
  memory.release(mark);
  return { calibration: { tau, coldShare, usage }, dislikes: weight, shortQuestions };
}

function fitTau(asked: UsageQuestions): number {
  const fitter = new CalibrationFitter();
  const step = Math.max(1, Math.floor(asked.questions.length / TAU_QUESTIONS));
  for (let n = 0; n < asked.questions.length; n += step) {
    const came = asked.ask(n);
    fitter.add(asked.z, came);
  }
  return fitter.tau();
}

/** Returns null if there are too few questions, or no value came often enough. */
async function beginEvidence({ questions, table, z, known }: UsageQuestions, items: ItemBlocks) {
  const affordable = Math.floor(MAPPED_SCORES / Math.max(1, z.length));
  const count = Math.min(questions.length, Math.max(MIN_MAPPED, Math.min(MAX_MAPPED, affordable)));
  if (count < LEAST_MAPPED) return null;
  const targetCounts = new Uint32Array(z.length);
  for (const { targets } of questions.slice(0, count)) {
    for (const item of targets) if (known[item] === 1) targetCounts[item]++;
  }
  return UsageEvidence.begin(items, table.itemIds, targetCounts, count);
}

function fitMaps(asked: UsageQuestions, evidence: UsageEvidence, tau: number, popularity: Float32Array) {
  const { z } = asked;
  const masses = new Float64Array(z.length);
  for (let n = 0; n < evidence.questions; n++) {
    const targets = asked.ask(n);
    let top = Number.NEGATIVE_INFINITY;
    for (const score of z) if (score > top) top = score;
    for (let item = 0; item < z.length; item++) {
      masses[item] = Number.isNaN(z[item]) ? 0 : Math.exp(tau * (z[item] - top));
    }
    evidence.add(masses, targets);
  }
  return fitUsageMaps(evidence.finish(popularity));
}

/** Uses the experts in place: copying all of them would cost more than these questions. */
function scorerOf(memory: KernelMemory, { table, rules, experts, scoring, forNew }: CalibrateInput): Scorer {
  const { historyCap } = rules;
  const lanes = lanesOnMemory(
    {
      experts: experts.map(({ sparse }) => ({ kind: sparse ? 'item-to-item' : 'popularity' })),
      blend: scoring.blend,
      moments: { arriving: scoring, ...(forNew && { discovering: forNew }) },
    },
    {
      sparse: sparseLanes(memory, experts, Math.max(1, Math.min(historyCap, table.itemCount))),
      popularity: popularityOf(experts),
    },
  );
  return scorerOver(memory, lanes, { warmItemCount: table.itemCount, historyCap });
}
