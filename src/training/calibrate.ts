// τ of the usage distribution (scoring/calibration.ts), fitted on questions of the report, and what it expects of others of them.
import type { G1Model, MomentScoring } from '../artifact/g1-model.ts';
import { HeldOutDrawer } from '../artifact/held-out-draws.ts';
import type { EventTable } from '../dataset/event-table.ts';
import type { InteractionRules } from '../dataset/interactions.ts';
import { hash32 } from '../dataset/random.ts';
import { CalibrationFitter } from '../scoring/calibration.ts';
import { createScorer } from '../scoring/scorer.ts';
import { type Forged, toModelExpert } from './expert-forge.ts';
import type { Judges } from './judges.ts';
import { askShortHistories, type ScoreItems, type ShortQuestions } from './short-questions.ts';

const CALIBRATION_USERS = 400;
/** Scores that are looked at to draw from them, and users they are of: a few seconds at most. */
const DRAWN_SCORES = 40_000_000;
const MIN_DRAWN_USERS = 400;
const MAX_DRAWN_USERS = 1500;

export interface CalibrateInput {
  readonly table: EventTable;
  readonly rules: InteractionRules;
  readonly experts: readonly Forged[];
  /** of the main moment */
  readonly scoring: MomentScoring;
  readonly seed: number;
}

export interface Calibrated {
  readonly calibration: G1Model['calibration'];
  readonly shortQuestions: ShortQuestions;
}

/** Draws are of questions that τ was not fitted on, where there are enough of them. */
export function calibrate(judges: Judges, input: CalibrateInput): Calibrated {
  const { seed } = input;
  const model = scoringModel(input);
  const scorer = createScorer(model);
  const z = new Float32Array(model.warmItemCount);
  const excludedBy = new Int32Array(model.warmItemCount).fill(-1);
  let judge = -1;
  const score = (question: number): Uint32Array => {
    judge = question;
    const from = judges.offsets[question];
    const to = judges.offsets[question + 1];
    const history = {
      length: to - from,
      items: judges.items.subarray(from, to),
      weights: judges.weights.subarray(from, to),
      seen: judges.seen.subarray(from, to),
    };
    scorer.scoreAll(history, z);
    for (let l = 0; l < history.length; l++) if (history.seen[l] === 1) excludedBy[history.items[l]] = question;
    for (let at = judges.excludedOffsets[question]; at < judges.excludedOffsets[question + 1]; at++) {
      excludedBy[judges.excluded[at]] = question;
    }
    return judges.targets.subarray(judges.targetOffsets[question], judges.targetOffsets[question + 1]);
  };
  const excluded = (item: number) => excludedBy[item] === judge;
  const step = Math.max(1, Math.floor(judges.count / CALIBRATION_USERS));
  const fitter = new CalibrationFitter();
  for (let question = 0; question < judges.count; question += step) fitter.add(z, score(question), excluded);
  const tau = fitter.tau();
  const drawer = new HeldOutDrawer();
  const affordable = Math.floor(DRAWN_SCORES / Math.max(1, model.warmItemCount));
  const most = Math.max(MIN_DRAWN_USERS, Math.min(MAX_DRAWN_USERS, affordable));
  const others = Array.from({ length: judges.count }, (_, question) => question).filter(
    (question) => step === 1 || question % step > 0,
  );
  const stride = Math.max(1, Math.ceil(others.length / most));
  for (let n = 0; n < others.length; n += stride) {
    const chance = (set: number) => hash32(seed + set, others[n]) / 2 ** 32;
    drawer.add(z, tau, score(others[n]), excluded, [chance(0), chance(1)]);
  }
  // As log p, whether a ranker orders the items or the blend does.
  const scale = input.scoring.ranker === null ? tau : 1;
  const scoreItems: ScoreItems = (history, items, out) => {
    scorer.scoreItems(history, items, {}, out);
    for (let n = 0; n < out.length; n++) out[n] *= scale;
  };
  const shortQuestions = askShortHistories({ ...judges, rows: judges.users }, model.warmItemCount, seed, scoreItems);
  return { calibration: { tau, heldOut: drawer.finish() }, shortQuestions };
}

/** Enough of a model to score with. */
function scoringModel({ table, rules, experts, scoring }: CalibrateInput): G1Model {
  return {
    itemIds: table.itemIds,
    warmItemCount: table.itemCount,
    targetEventType: '',
    typeWeights: {},
    historyCap: rules.historyCap,
    experts: experts.map((expert) => toModelExpert(expert, table.itemCount)),
    blend: scoring.blend,
    moments: { arriving: scoring, browsing: null, discovering: null },
    repeats: { rate: 0, recommendSeen: false },
    vectors: { dimensions: 0, values: new Float32Array(0) },
    calibration: { tau: 1 },
    coldUsers: null,
    metrics: null,
    settings: {},
    seed: 0,
  };
}
