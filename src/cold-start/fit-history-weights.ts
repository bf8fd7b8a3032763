// How much attributes should count beside a history, learned from choices: what a user with a history of n items turned to,
// among items that chance picked. For each n the choices are fitted by
//
//   p(chosen) ∝ exp(τ score + λ lift)
//
// and λ / τ is the weight of a lift beside the scores, which are on the scale of log p. Items picked by chance in place of all items leave τ and λ
// unbiased. A lift that explains the choices no better than chance would gets no weight, and weights never rise with n.
import type { HistoryWeights } from '../artifact/g1-model.ts';

/** Lengths of histories that are learned from. */
export const HISTORY_LENGTHS = [1, 2, 5, 10, 20] as const;

/** What users with histories of one length chose. */
export interface Choices {
  readonly length: number;
  /** items to choose from; the first is the one that was chosen */
  readonly options: number;
  /** options of choice c: [c · options, (c + 1) · options) */
  readonly scores: Float32Array;
  readonly lifts: Float32Array;
}

/** Fewer choices teach nothing. */
const MIN_CHOICES = 50;
/** Log-likelihood that chance alone rarely gains. */
const MIN_GAIN = 2;
/** Scores that tell nothing leave the lift alone: it cannot weigh more than this. */
const MAX_WEIGHT = 10;
const MAX_TURNS = 30;
const TOLERANCE = 1e-7;

/** null when attributes add nothing to any history. */
export function fitHistoryWeights(choices: readonly Choices[]): HistoryWeights | null {
  const known = choices
    .filter(({ options, scores }) => scores.length / options >= MIN_CHOICES)
    .sort((a, b) => a.length - b.length);
  const sizes = known.map(({ options, scores }) => scores.length / options);
  const weights = falling(known.map(weightOf), sizes);
  if (!weights.some((weight) => weight > 0)) return null;
  return { counts: known.map(({ length }) => length), weights };
}

function weightOf(choices: Choices): number {
  const without = maximize(choices, false);
  const { tau, lambda, likelihood } = maximize(choices, true);
  if (likelihood - without.likelihood < MIN_GAIN || !(lambda > 0)) return 0;
  return tau > 0 ? Math.min(MAX_WEIGHT, lambda / tau) : MAX_WEIGHT;
}

interface Fit {
  readonly tau: number;
  readonly lambda: number;
  readonly likelihood: number;
}

/** Newton's method: the log-likelihood is concave. A step that does not gain is halved. */
function maximize(choices: Choices, withLifts: boolean): Fit {
  let at = slopesAt(choices, 1, 0);
  let [tau, lambda] = [1, 0];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const step = newtonStep(at, withLifts);
    let size = 1;
    let next = slopesAt(choices, tau + step.tau, lambda + step.lambda);
    while (!(next.likelihood >= at.likelihood) && size > TOLERANCE) {
      size /= 2;
      next = slopesAt(choices, tau + size * step.tau, lambda + size * step.lambda);
    }
    if (!(next.likelihood - at.likelihood > TOLERANCE)) break;
    [tau, lambda, at] = [tau + size * step.tau, lambda + size * step.lambda, next];
  }
  return { tau, lambda, likelihood: at.likelihood };
}

/** The log-likelihood, its gradient, and the negative of its second derivatives. */
interface Slopes {
  likelihood: number;
  tau: number;
  lambda: number;
  tauTau: number;
  tauLambda: number;
  lambdaLambda: number;
}

function slopesAt({ options, scores, lifts }: Choices, tau: number, lambda: number): Slopes {
  const sums: Slopes = { likelihood: 0, tau: 0, lambda: 0, tauTau: 0, tauLambda: 0, lambdaLambda: 0 };
  for (let from = 0; from < scores.length; from += options) {
    let highest = Number.NEGATIVE_INFINITY;
    for (let at = from; at < from + options; at++) highest = Math.max(highest, tau * scores[at] + lambda * lifts[at]);
    const mean = { mass: 0, score: 0, lift: 0, scoreScore: 0, scoreLift: 0, liftLift: 0 };
    for (let at = from; at < from + options; at++) {
      const mass = Math.exp(tau * scores[at] + lambda * lifts[at] - highest);
      mean.mass += mass;
      mean.score += mass * scores[at];
      mean.lift += mass * lifts[at];
      mean.scoreScore += mass * scores[at] * scores[at];
      mean.scoreLift += mass * scores[at] * lifts[at];
      mean.liftLift += mass * lifts[at] * lifts[at];
    }
    const score = mean.score / mean.mass;
    const lift = mean.lift / mean.mass;
    sums.likelihood += tau * scores[from] + lambda * lifts[from] - highest - Math.log(mean.mass);
    sums.tau += scores[from] - score;
    sums.lambda += lifts[from] - lift;
    sums.tauTau += mean.scoreScore / mean.mass - score * score;
    sums.tauLambda += mean.scoreLift / mean.mass - score * lift;
    sums.lambdaLambda += mean.liftLift / mean.mass - lift * lift;
  }
  return sums;
}

function newtonStep(at: Slopes, withLifts: boolean): { tau: number; lambda: number } {
  // Where all options are alike there is no curvature: a little of it keeps the step finite.
  const tauTau = at.tauTau + 1e-6;
  const lambdaLambda = at.lambdaLambda + 1e-6;
  if (!withLifts) return { tau: at.tau / tauTau, lambda: 0 };
  const determinant = tauTau * lambdaLambda - at.tauLambda * at.tauLambda;
  return {
    tau: (lambdaLambda * at.tau - at.tauLambda * at.lambda) / determinant,
    lambda: (tauTau * at.lambda - at.tauLambda * at.tau) / determinant,
  };
}

/** The nearest weights that never rise: neighbors that do are averaged, by their sizes. */
function falling(weights: readonly number[], sizes: readonly number[]): number[] {
  const blocks: { weight: number; size: number; count: number }[] = [];
  for (const [n, weight] of weights.entries()) {
    blocks.push({ weight, size: sizes[n], count: 1 });
    for (let last = blocks.length - 1; last > 0 && blocks[last].weight > blocks[last - 1].weight; last--) {
      const [a, b] = blocks.splice(last - 1, 2);
      const size = a.size + b.size;
      blocks.push({ weight: (a.weight * a.size + b.weight * b.size) / size, size, count: a.count + b.count });
    }
  }
  return blocks.flatMap(({ weight, count }) => new Array<number>(count).fill(weight));
}
