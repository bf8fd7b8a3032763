// Chooses what a model is made of, on held-out newest events: cheap experts first, each family's settings by its own NDCG,
// then the blend of the best of all families. What the parameters fix is not searched.
import type { EventTable } from '../dataset/event-table.ts';
import type { Interactions } from '../dataset/interactions.ts';
import type { ValidationKind } from '../dataset/split.ts';
import { type AlgorithmParameters, TRANSITION_VARIANTS } from '../domain/algorithm-parameters.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { type JudgeUsers, searchBlend } from '../models/blend.ts';
import type { BlendTransform } from '../models/g1-model.ts';
import { defaultNeighbours } from '../models/local-ridge.ts';
import { timeSpan } from '../models/popularity.ts';
import { meanNdcg } from './evaluate.ts';
import { DAY_MS, type ExpertForge, type ExpertSpec, expertName, type Forged } from './expert-forge.ts';
import type { TrainingClock } from './training-clock.ts';

export interface TuneInput {
  readonly table: EventTable;
  readonly x: Interactions;
  readonly judges: JudgeUsers;
  readonly parameters: AlgorithmParameters;
  readonly ordered: boolean;
  readonly recommendSeen: boolean;
  readonly validation: ValidationKind;
  /** NDCG is taken at this length */
  readonly cutoff: number;
}

export interface Tuned {
  readonly specs: readonly ExpertSpec[];
  readonly weights: readonly number[];
  readonly transform: BlendTransform;
  readonly ndcg: number;
  /** NDCG of every expert tried, by itself */
  readonly tried: readonly { name: string; spec: ExpertSpec; ndcg: number }[];
}

export const TUNING_CUTOFF = 20;
const LOW_RANK_FACTORS = 64;
const TIE_BREAK = 0.02;
const WORTHY = 0.6;
const START_WEIGHTS: Readonly<Record<ExpertSpec['family'], number>> = {
  ...{ local_ridge: 1, walk: 1, transitions: 1, low_rank: 0.5, repeat: 1, popularity: 0 },
};
const FEW_ENTRIES = 150_000;
const MIN_FEW = 500;
const MANY_JUDGES = 1000;
/** Beyond, one ridge strength is tried: several would not fit in memory beside each other. */
const MANY_ITEMS = 200_000;

export function gammasOf(parameters: AlgorithmParameters): [number, number] {
  return [parameters.local_ridge?.gamma ?? 0.5, parameters.walk?.gamma ?? 1];
}

/** Answers the choice, and its experts as fitted for the search: they stand on the forge's memory. */
export async function tune(
  pool: KernelPool,
  forge: ExpertForge,
  input: TuneInput,
  clock: TrainingClock,
): Promise<{ tuned: Tuned; forged: Forged[] }> {
  const { parameters, judges, ordered, recommendSeen, cutoff } = input;
  const few = fewJudges(judges);
  const { memory } = pool;
  const tried: { name: string; spec: ExpertSpec; ndcg: number }[] = [];
  const alone = async (spec: ExpertSpec): Promise<number> => {
    const forged = await forge.forge(spec);
    const mark = memory.mark();
    const { block } = forge.block([forged], [1], 0, recommendSeen);
    const ndcg = await meanNdcg(pool, block, few, cutoff, !recommendSeen);
    memory.release(mark);
    tried.push({ name: expertName(spec), spec, ndcg });
    clock.tried({ ...spec, ndcg });
    return ndcg;
  };
  /** The best `keep` of the specs, best first. */
  const bestOf = async (specs: readonly ExpertSpec[], keep: number): Promise<ExpertSpec[]> => {
    const scored: { spec: ExpertSpec; ndcg: number }[] = [];
    for (const spec of specs) {
      if (scored.length > 0 && clock.isLate()) break;
      scored.push({ spec, ndcg: await alone(spec) });
    }
    // Equal ones keep the order they were tried in.
    return scored
      .sort((a, b) => b.ndcg - a.ndcg)
      .slice(0, keep)
      .map(({ spec }) => spec);
  };
  const wants = (family: NonNullable<AlgorithmParameters['experts']>[number]) =>
    parameters.experts === undefined || parameters.experts.includes(family);

  const chosen: ExpertSpec[] = [];
  clock.begin('tune', 0.1, 'Trying popularity');
  const popularity = (await bestOf(popularitySpecs(input), 1))[0];
  if (recommendSeen)
    chosen.push(
      ...(await bestOf(
        [0.4, 0.8, 1.5].map((rho) => ({ family: 'repeat', rho })),
        2,
      )),
    );
  if (wants('walk')) {
    clock.tell(0.15, 'Trying walks');
    chosen.push(...(await bestWalks(parameters, rhosOf(input.validation), bestOf)));
  }
  if (ordered && wants('transitions')) {
    clock.tell(0.25, 'Trying transitions');
    const variants = parameters.transitions?.variants ?? TRANSITION_VARIANTS;
    const specs = variants.map((variant): ExpertSpec => ({ family: 'transitions', variant }));
    chosen.push(...(await bestOf(specs, specs.length)));
  }
  if (wants('local_ridge') && !clock.isLate()) {
    clock.tell(0.3, 'Trying local ridges');
    chosen.push(...(await bestRidges(input, forge, bestOf)));
  }
  if (wants('low_rank') && !clock.isLate()) {
    clock.tell(0.45, 'Trying low rank');
    const wanted = parameters.low_rank?.factors ?? Math.min(LOW_RANK_FACTORS, input.x.itemCount);
    const factors = Math.max(4, Math.ceil(wanted / 4) * 4);
    chosen.push(
      ...(await bestOf(
        (ordered ? [0, 0.4] : [0]).map((rho) => ({ family: 'low_rank', factors, rho })),
        1,
      )),
    );
  }
  chosen.push(popularity);

  clock.begin('blend', 0.5, `Blending ${chosen.length} experts`);
  const forged: Forged[] = [];
  for (const spec of chosen) forged.push(await forge.forge(spec));
  const { block, order } = forge.block(forged, [], 0, recommendSeen);
  const blend = await searchBlend(
    pool,
    block,
    judges,
    cutoff,
    startOf(order, tried),
    mayCountAgainst(input.validation, judges),
    () => clock.isLate(),
  );
  const kept = withBroadExpert(
    order.map((expert, n) => ({ expert, weight: blend.weights[n] })),
    chosen,
  );
  // Popularity stays, whatever its weight: users without history are served from it.
  const used = kept.filter(({ expert, weight }) => weight !== 0 || expert.spec.family === 'popularity');
  const tuned = {
    specs: used.map(({ expert }) => expert.spec),
    weights: used.map(({ weight }) => weight),
    transform: blend.transform,
    ndcg: blend.ndcg,
    tried,
  };
  return { tuned, forged: used.map(({ expert }) => expert) };
}

/**
 * Negative weights help to tell the next item from those around it. With few judges, or where a fifth of the history is held
 * out, they fit what is peculiar to the judges, until items that nothing speaks for outrank those that something does.
 */
function mayCountAgainst(validation: ValidationKind, judges: JudgeUsers): boolean {
  return validation === 'last_item' && judges.count >= MANY_JUDGES;
}

/** The best expert of each family side by side; popularity has to earn its place. */
function startOf(order: readonly Forged[], tried: readonly { spec: ExpertSpec; ndcg: number }[]): number[] {
  const ndcgOf = (spec: ExpertSpec) => tried.find((trial) => trial.spec === spec)?.ndcg ?? 0;
  const best = Math.max(...order.map(({ spec }) => ndcgOf(spec)));
  const leaders = new Map<string, Forged>();
  for (const expert of order) {
    const leader = leaders.get(expert.spec.family);
    if (leader === undefined || ndcgOf(expert.spec) > ndcgOf(leader.spec)) leaders.set(expert.spec.family, expert);
  }
  const weights = order.map((expert) => {
    const leads = expert.spec.family !== 'popularity' && leaders.get(expert.spec.family) === expert;
    // A family far behind the best starts outside.
    return leads && ndcgOf(expert.spec) > WORTHY * best ? START_WEIGHTS[expert.spec.family] : 0;
  });
  return weights.some((weight) => weight > 0) ? weights : order.map(() => 1);
}

/**
 * A blend of the last few items alone leaves most items unranked. When the search ended there, the best walk joins with a
 * weight that only orders what the others leave equal.
 */
function withBroadExpert(
  lanes: { expert: Forged; weight: number }[],
  chosen: readonly ExpertSpec[],
): { expert: Forged; weight: number }[] {
  const isBroad = (spec: ExpertSpec) => spec.family === 'walk' || spec.family === 'local_ridge';
  if (lanes.some(({ expert, weight }) => isBroad(expert.spec) && weight > 0)) return lanes;
  const walk = chosen.find((spec) => spec.family === 'walk');
  const largest = Math.max(...lanes.map(({ weight }) => Math.abs(weight)));
  return lanes.map((lane) => (lane.expert.spec === walk ? { ...lane, weight: TIE_BREAK * largest } : lane));
}

/** Settings of one expert differ by more than the blend's last steps: fewer users judge them, by the length of histories. */
function fewJudges(judges: JudgeUsers): JudgeUsers {
  let count = judges.count;
  while (count > MIN_FEW && judges.offsets[count] > FEW_ENTRIES) count--;
  return { ...judges, count };
}

/**
 * How fast history items may lose weight. The newest fifth of a user is nearer to its last items than what is asked later:
 * a steep ρ wins there and loses on the test (measured), so it is tried only where the next item is what counts.
 */
function rhosOf(validation: ValidationKind): readonly number[] {
  return validation === 'last_item' ? [0.4, 0.8] : validation === 'last_fifth' ? [0.4] : [0];
}

type BestOf = (specs: readonly ExpertSpec[], keep: number) => Promise<ExpertSpec[]>;

function popularitySpecs(input: TuneInput): ExpertSpec[] {
  const fixed = input.parameters.popularity?.half_life_days;
  if (fixed !== undefined) return [{ family: 'popularity', half_life_days: fixed }];
  const spanDays = timeSpan(input.table) / DAY_MS;
  const halfLives = input.ordered && spanDays > 0.01 ? [null, spanDays / 2, spanDays / 10, spanDays / 50] : [null];
  return halfLives.map((days) => ({
    family: 'popularity',
    half_life_days: days === null ? null : Math.max(0.01, days),
  }));
}

async function bestWalks(
  parameters: AlgorithmParameters,
  openRhos: readonly number[],
  bestOf: BestOf,
): Promise<ExpertSpec[]> {
  const fixed = parameters.walk ?? {};
  const [ridgeGamma, walkGamma] = gammasOf(parameters);
  const gammas = fixed.gamma === undefined && ridgeGamma !== walkGamma ? [walkGamma, ridgeGamma] : [walkGamma];
  const rhos = fixed.rho !== undefined ? [fixed.rho] : openRhos;
  const betas = fixed.beta !== undefined ? [fixed.beta] : [1, 0.5];
  const deltas = fixed.delta !== undefined ? [fixed.delta] : [0, 0.25, 0.5];
  const specs: ExpertSpec[] = [];
  for (const gamma of gammas) {
    for (const beta of betas) {
      for (const delta of deltas) specs.push({ family: 'walk', gamma, beta, delta, rho: rhos[0] });
    }
  }
  const best = await bestOf(specs, 3);
  if (rhos.length === 1) return best;
  return bestOf(
    best.flatMap((spec) => (spec.family === 'walk' ? rhos.map((rho) => ({ ...spec, rho })) : [])),
    4,
  );
}

async function bestRidges(input: TuneInput, forge: ExpertForge, bestOf: BestOf): Promise<ExpertSpec[]> {
  const fixed = input.parameters.local_ridge ?? {};
  const neighbours = Math.min(fixed.neighbours ?? defaultNeighbours(input.x.itemCount), Math.max(1, input.x.itemCount));
  const lambdas = fixed.lambda !== undefined ? [fixed.lambda] : input.x.itemCount > MANY_ITEMS ? [5] : [1, 5, 15];
  const rhos = fixed.rho !== undefined ? [fixed.rho] : rhosOf(input.validation);
  const gamma = gammasOf(input.parameters)[0];
  await forge.prepareRidges(neighbours, lambdas);
  const specs = lambdas.flatMap((lambda) =>
    rhos.map((rho): ExpertSpec => ({ family: 'local_ridge', neighbours, lambda, gamma, rho })),
  );
  return bestOf(specs, 2);
}
