// What a search has found, measured on held-out users beside popularity, and its scores calibrated on the same users.

import type { G1Model } from '../artifact/g1-model.ts';
import { HeldOutDrawer } from '../artifact/held-out-draws.ts';
import type { EventTable } from '../dataset/event-table.ts';
import type { InteractionRules } from '../dataset/interactions.ts';
import { hash32 } from '../dataset/random.ts';
import type { Model, ModelMetrics } from '../domain/model.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import type { JudgeUsers } from '../scoring/blend.ts';
import { CalibrationFitter } from '../scoring/calibration.ts';
import { createScorer } from '../scoring/scorer.ts';
import { measure, rankForJudges } from './evaluate.ts';
import { type ExpertForge, type Forged, toModelExpert } from './expert-forge.ts';
import type { Tuned } from './tune.ts';

const REPORT_CUTOFF = 10;
const CALIBRATION_USERS = 400;
/** Scores that are looked at to draw from them, and users they are of: a few seconds at most. */
const DRAWN_SCORES = 40_000_000;
const MIN_DRAWN_USERS = 400;
const MAX_DRAWN_USERS = 1500;

export async function measureTuned(
  pool: KernelPool,
  forge: ExpertForge,
  forged: readonly Forged[],
  tuned: Tuned,
  judges: JudgeUsers,
  users: number,
  recommendSeen: boolean,
  itemCount: number,
): Promise<NonNullable<Model['metrics']>> {
  const logConstant = tuned.transform.kind === 'log' ? tuned.transform.c : 0;
  const figures = async (experts: readonly Forged[], weights: readonly number[]): Promise<ModelMetrics> => {
    const mark = pool.memory.mark();
    const { block } = forge.block(experts, weights, logConstant, recommendSeen);
    const lists = await rankForJudges(pool, block, judges, REPORT_CUTOFF, !recommendSeen);
    const { metrics } = measure(lists, judges, [REPORT_CUTOFF], null, 0);
    pool.memory.release(mark);
    return {
      recall: metrics[`recall@${REPORT_CUTOFF}`],
      ndcg: metrics[`ndcg@${REPORT_CUTOFF}`],
      mrr: metrics[`mrr@${REPORT_CUTOFF}`],
      coverage: metrics[`coverage@${REPORT_CUTOFF}`] / Math.max(1, itemCount),
    };
  };
  const model = await figures(forged, tuned.weights);
  const popularity = await figures(
    forged.filter((expert) => expert.popularity),
    [1],
  );
  return { model, popularity, cutoff: REPORT_CUTOFF, users };
}

/**
 * The τ (scoring/calibration.ts) of these experts, blended as tuned, and what it expects (artifact/held-out-draws.ts) of users that
 * τ was not fitted on, where there are enough of them.
 */
export function calibrate(
  table: EventTable,
  rules: InteractionRules,
  forged: readonly Forged[],
  tuned: Tuned,
  judges: JudgeUsers,
  recommendSeen: boolean,
  seed: number,
): G1Model['calibration'] {
  const model = scoringModel(table, rules, forged, tuned, recommendSeen);
  const scorer = createScorer(model);
  const z = new Float32Array(model.warmItemCount);
  const seenBy = new Int32Array(model.warmItemCount).fill(-1);
  let judge = -1;
  const score = (user: number): Uint32Array => {
    judge = user;
    const from = judges.offsets[user];
    const to = judges.offsets[user + 1];
    const history = {
      length: to - from,
      items: judges.items.subarray(from, to),
      weights: judges.weights.subarray(from, to),
      seen: judges.seen.subarray(from, to),
    };
    scorer.scoreAll(history, z);
    if (!model.repeats.recommendSeen) {
      for (let l = 0; l < history.length; l++) if (history.seen[l] === 1) seenBy[history.items[l]] = user;
    }
    return judges.targets.subarray(judges.targetOffsets[user], judges.targetOffsets[user + 1]);
  };
  const excluded = (item: number) => seenBy[item] === judge;
  const step = Math.max(1, Math.floor(judges.count / CALIBRATION_USERS));
  const fitter = new CalibrationFitter();
  for (let user = 0; user < judges.count; user += step) fitter.add(z, score(user), excluded);
  const tau = fitter.tau();
  const drawer = new HeldOutDrawer();
  const affordable = Math.floor(DRAWN_SCORES / Math.max(1, model.warmItemCount));
  const most = Math.max(MIN_DRAWN_USERS, Math.min(MAX_DRAWN_USERS, affordable));
  const others = Array.from({ length: judges.count }, (_, user) => user).filter(
    (user) => step === 1 || user % step > 0,
  );
  const stride = Math.max(1, Math.ceil(others.length / most));
  for (let n = 0; n < others.length; n += stride) {
    const chance = (set: number) => hash32(seed + set, others[n]) / 2 ** 32;
    drawer.add(z, tau, score(others[n]), excluded, [chance(0), chance(1)]);
  }
  return { tau, heldOut: drawer.finish() };
}

/** Enough of a model to score with. */
function scoringModel(
  table: EventTable,
  rules: InteractionRules,
  forged: readonly Forged[],
  tuned: Tuned,
  recommendSeen: boolean,
): G1Model {
  return {
    itemIds: table.itemIds,
    warmItemCount: table.itemCount,
    targetEventType: '',
    typeWeights: {},
    historyCap: rules.historyCap,
    experts: forged.map((expert) => toModelExpert(expert, table.itemCount)),
    blend: { weights: tuned.weights, transform: tuned.transform },
    repeats: { rate: 0, recommendSeen },
    vectors: { dimensions: 0, values: new Float32Array(0) },
    calibration: { tau: 1 },
    coldUsers: null,
    metrics: null,
    settings: {},
    seed: 0,
  };
}
