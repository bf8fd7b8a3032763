// How much something should count next to scores, learned from choices: what users turned to, among items that chance picked. The
// choices are fitted by
//
//   p(chosen) ∝ exp(τ score + λ lift)
//
// and λ / τ is the weight of a lift next to the scores, which are on the scale of log p. Items picked by chance in place of all
// items leave τ and λ unbiased.

export interface Choices {
  /** items to choose from; the first is the one that was chosen */
  readonly options: number;
  /** options of choice c: [c · options, (c + 1) · options) */
  readonly scores: Float32Array;
  readonly lifts: Float32Array;
}

export interface ChoiceWeight {
  readonly weight: number;
  /** standard error of the weight */
  readonly error: number;
  /** log-likelihood that the lifts gain */
  readonly gain: number;
}

/** Scores that tell nothing leave the lift alone: it cannot weigh more than this. */
const MAX_WEIGHT = 10;
const MAX_TURNS = 30;
const TOLERANCE = 1e-7;
/** If all options are alike there is no curvature. This minimum keeps steps finite. */
const TINY = 1e-6;

/** The fitted weight may be negative. */
function fitChoiceWeight(choices: Choices): ChoiceWeight {
  const without = maximize(choices, false);
  const { tau, lambda, likelihood, lambdaError } = maximize(choices, true);
  const gain = likelihood - without.likelihood;
  if (!(tau > 0)) return { weight: Math.sign(lambda) * MAX_WEIGHT, error: MAX_WEIGHT, gain };
  const bounded = Math.max(-MAX_WEIGHT, Math.min(MAX_WEIGHT, lambda / tau));
  return { weight: bounded, error: lambdaError / tau, gain };
}

/** The weight assumed before any choice is seen, and its uncertainty. */
export interface Prior {
  readonly mean: number;
  readonly deviation: number;
}

/** The weight by the choices, drawn towards the prior as far as they say little; never below 0. */
export function weightTowards(choices: Choices, { mean, deviation }: Prior): number {
  if (choices.scores.length === 0) return mean;
  const { weight, error } = fitChoiceWeight(choices);
  const [sure, before] = [1 / error ** 2, 1 / deviation ** 2];
  const drawn = Number.isFinite(sure) ? (weight * sure + mean * before) / (sure + before) : mean;
  return Math.max(0, drawn);
}

interface Fit {
  readonly tau: number;
  readonly lambda: number;
  readonly likelihood: number;
  readonly lambdaError: number;
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
  // The variance of λ where τ is free too: an entry of the inverse of the second derivatives.
  const left = at.lambdaLambda - at.tauLambda ** 2 / (at.tauTau + TINY);
  return { tau, lambda, likelihood: at.likelihood, lambdaError: Math.sqrt(1 / Math.max(left, TINY)) };
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
  const tauTau = at.tauTau + TINY;
  const lambdaLambda = at.lambdaLambda + TINY;
  if (!withLifts) return { tau: at.tau / tauTau, lambda: 0 };
  const determinant = tauTau * lambdaLambda - at.tauLambda * at.tauLambda;
  return {
    tau: (lambdaLambda * at.tau - at.tauLambda * at.lambda) / determinant,
    lambda: (tauTau * at.lambda - at.tauLambda * at.tau) / determinant,
  };
}
