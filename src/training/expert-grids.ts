// The settings that are tried for each family of experts, cheap families first. Settings fixed by parameters are not
// searched.

import { DAY_MS } from '../base/durations.ts';
import type { EventFacts } from '../dataset/event-facts.ts';
import type { HistoryBlocks } from '../dataset/history-blocks.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { isWhole } from '../experts/dense-ridge.ts';
import { defaultNeighbors } from '../experts/local-ridge.ts';
import { spaceWidth } from '../experts/low-rank.ts';
import type { ExpertForge } from './expert-forge.ts';
import type { ExpertSpec } from './expert-spec.ts';
import type { ExpertTrials } from './expert-trials.ts';

/** Facts that decide which experts are worth trying. */
export interface GridInput {
  /** half-lives of popularity in days: the first is used unless another is clearly better */
  readonly halfLives: readonly (number | null)[];
  readonly histories: HistoryBlocks;
  readonly parameters: AlgorithmParameters;
  readonly ordered: boolean;
  /** whether questions ask for the next item, for many items at once, or without any order */
  readonly asked: 'next' | 'many' | 'unordered';
  /** false if held-out events favor other settings than the future does: then defaults are used, see judgesMembers */
  readonly trusted: boolean;
}

/** Above this many items only one ridge strength is tried, because several would not fit in memory together. */
const MANY_ITEMS = 200_000;
const COSTLY_WHOLE = 2000;
/** Transitions that are tried. `1/lag` and `mk.75` add nothing to these. */
const AUTO_VARIANTS = ['mk1', 'mk2-4', 'mk5-10', 'forward', 'window'] as const;
/**
 * The two extremes of damping: popular items are damped at one end only, or at both ends equally. They differ most in what they
 * add.
 */
const DEFAULT_WALKS = [
  { gamma: 1, beta: 0.5, delta: 0.5 },
  { gamma: 1, beta: 1, delta: 0 },
];
const LOW_RANK_FACTORS = [256, 128, 64];
/** In days, from fashions that last a year to news that lasts a day. */
const POPULARITY_HALF_LIVES = [365, 90, 30, 7, 2, 0.5];
const LEAST_HALF_LIFE = 0.01;

export function gammasOf(parameters: AlgorithmParameters): [number, number] {
  return [parameters.local_ridge?.gamma ?? 0.5, parameters.walk?.gamma ?? 1];
}

/**
 * How fast history items may lose weight. What is asked far ahead is less near to the last items than
 * what is held out: a steep ρ wins there and loses on the test (measured), so it is tried only for next items.
 */
function rhosOf({ asked }: GridInput): readonly number[] {
  return asked === 'next' ? [0.4, 0.8] : asked === 'many' ? [0.4] : [0];
}

/**
 * A random fifth favors other families than the future does (bench/engine-notes.md), but of one family it tells rightly who is
 * better: defaults that find clearly less than another are left out. The newest fifth does not even tell that.
 */
function judgesMembers({ trusted, asked }: GridInput): boolean {
  return !trusted && asked === 'unordered';
}

export async function bestPopularity(
  { halfLives }: GridInput,
  forge: ExpertForge,
  trials: ExpertTrials,
): Promise<ExpertSpec> {
  await forge.preparePopularities(halfLives);
  return trials.clearlyBest(
    halfLives.map((days) => ({ family: 'popularity', half_life_days: days })),
    'late',
  );
}

/**
 * Half-lives to try, in days. Popularity fades at its own pace, however long the log is. If times only give an order,
 * they are fractions of the log.
 */
export function popularityHalfLives(
  parameters: AlgorithmParameters,
  facts: EventFacts,
  ordered: boolean,
): (number | null)[] {
  const fixed = parameters.popularity?.half_life_days;
  if (fixed !== undefined) return [fixed];
  const spanDays = (facts.usualNewestTs - facts.usualOldestTs) / DAY_MS;
  if (!ordered || spanDays <= LEAST_HALF_LIFE) return [null];
  if (facts.scale !== 'order') return [null, ...POPULARITY_HALF_LIVES.filter((days) => days < spanDays)];
  return [null, ...[2, 10, 50].map((parts) => Math.max(LEAST_HALF_LIFE, spanDays / parts))];
}

export function bestRepeats(trials: ExpertTrials): Promise<ExpertSpec[]> {
  return trials.bestOf(
    [0, 0.4, 0.8, 1.5].map((rho) => ({ family: 'repeat', rho })),
    2,
  );
}

/**
 * Chooses one walk for each β, because these differ most. With few questions the defaults are used unless one is
 * clearly better.
 */
export async function bestWalks(input: GridInput, trials: ExpertTrials): Promise<ExpertSpec[]> {
  const { parameters } = input;
  const fixed = parameters.walk ?? {};
  if (!input.trusted) {
    const rho = rhosOf(input)[0];
    const specs = DEFAULT_WALKS.map((walk): ExpertSpec => ({ family: 'walk', rho, ...walk, ...fixed }));
    const best = await trials.bestOf(specs, specs.length);
    return judgesMembers(input) ? trials.withoutPoor(best) : best;
  }
  const [ridgeGamma, walkGamma] = gammasOf(parameters);
  const gammas = fixed.gamma === undefined && ridgeGamma !== walkGamma ? [walkGamma, ridgeGamma] : [walkGamma];
  const rhos = fixed.rho !== undefined ? [fixed.rho] : rhosOf(input);
  const betas = fixed.beta !== undefined ? [fixed.beta] : [1, 0.5];
  const deltas = fixed.delta !== undefined ? [fixed.delta] : [0, 0.25, 0.5];
  const best: ExpertSpec[] = [];
  for (const beta of betas) {
    const specs = gammas.flatMap((gamma) =>
      deltas.map((delta): ExpertSpec => ({ family: 'walk', gamma, beta, delta, rho: rhos[0] })),
    );
    best.push(await trials.clearlyBest(specs.sort((a, b) => Number(isDefaultWalk(b)) - Number(isDefaultWalk(a)))));
  }
  if (rhos.length === 1) return trials.ranked(best);
  const steeper = best.flatMap((spec) => rhos.slice(1).map((rho) => ({ ...spec, rho }) as ExpertSpec));
  await trials.bestOf(steeper, 1);
  return trials.ranked([...best, ...steeper]).slice(0, best.length);
}

function isDefaultWalk(spec: ExpertSpec): boolean {
  const isLike = (walk: (typeof DEFAULT_WALKS)[number]) =>
    spec.family === 'walk' && spec.gamma === walk.gamma && spec.beta === walk.beta && spec.delta === walk.delta;
  return DEFAULT_WALKS.some(isLike);
}

export function bestTransitions({ parameters, trusted }: GridInput, trials: ExpertTrials): Promise<ExpertSpec[]> {
  // The next steps do not predict what comes much later, but the wide window does.
  const variants = parameters.transitions?.variants ?? (trusted ? AUTO_VARIANTS : ['window' as const]);
  return trials.bestOf(
    variants.map((variant) => ({ family: 'transitions', variant })),
    variants.length,
  );
}

/**
 * Few strengths for whole ridges: they differ little, and each costs items³ to make and has the longest rows to score.
 */
function ridgeStrengths(itemCount: number, neighbours: number): readonly number[] {
  if (isWhole(itemCount, neighbours)) return itemCount > COSTLY_WHOLE ? [3] : [2, 5];
  return itemCount > MANY_ITEMS ? [5] : [1, 5, 15];
}

export async function bestRidges(input: GridInput, forge: ExpertForge, trials: ExpertTrials): Promise<ExpertSpec[]> {
  const { itemCount } = input.histories;
  const fixed = input.parameters.local_ridge ?? {};
  const neighbours = Math.min(fixed.neighbours ?? defaultNeighbors(itemCount), Math.max(1, itemCount));
  const strengths = ridgeStrengths(itemCount, neighbours);
  const tried = input.trusted || judgesMembers(input) ? strengths : strengths.slice(0, 2);
  const lambdas = fixed.lambda !== undefined ? [fixed.lambda] : tried;
  const rhos = fixed.rho !== undefined ? [fixed.rho] : rhosOf(input);
  const gamma = gammasOf(input.parameters)[0];
  const specs = lambdas.flatMap((lambda) =>
    rhos.map((rho): ExpertSpec => ({ family: 'local_ridge', neighbours, lambda, gamma, rho })),
  );
  await forge.prepareRidges(specs);
  const best = await trials.bestOf(specs, isWhole(itemCount, neighbours) ? 1 : 2);
  return judgesMembers(input) ? trials.withoutPoor(best) : best;
}

export async function bestLowRank(input: GridInput, trials: ExpertTrials): Promise<ExpertSpec[]> {
  const { histories, parameters } = input;
  const widest = spaceWidth(histories.itemCount, histories.userCount);
  const fixed = parameters.low_rank?.factors;
  // The widest first: the narrower ones are its leading directions.
  const tried = input.trusted ? LOW_RANK_FACTORS : LOW_RANK_FACTORS.slice(0, 1);
  const widths = fixed !== undefined ? [fixed] : [...new Set(tried.map((width) => Math.min(width, widest)))];
  const rho = rhosOf(input)[0];
  let best: ExpertSpec[] = [];
  for (const factors of widths) {
    const spec: ExpertSpec = { family: 'low_rank', factors, rho };
    await trials.bestOf([spec], 1);
    const [leader] = trials.ranked([...best, spec]);
    // If fewer directions find less, even fewer do not find more.
    if (leader !== spec) break;
    best = [leader];
  }
  return best;
}
