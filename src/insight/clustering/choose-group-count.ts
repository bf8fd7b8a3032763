// How many groups the users have. A sample is cut in two halves; for each count tried, the groups found in one half are laid
// over the other, and judged there by the mean silhouette (Rousseeuw, 1987), which is highest where groups are dense inside and
// apart from each other. On users that the groups were not made from, it falls when groups only follow chance, where it would
// go on rising on the same users. Of counts that are as good, up to one standard error of the
// difference, the smallest is taken.
import { seededRandom } from '../../base/seeded-random.ts';
import { Distances } from './distances.ts';
import { type Assign, type Groups, lloyd, plainAssign, seedCentroids } from './k-means.ts';
import type { Points } from './points.ts';

export interface GroupCountChoice {
  readonly k: number;
  /** mean silhouette of the chosen count, −1 to 1 */
  readonly silhouette: number;
  /** every count tried, ascending */
  readonly tried: readonly { k: number; silhouette: number }[];
}

export interface ChooseOptions {
  readonly seed: number;
  /** number of users that the sample represents; default: its own */
  readonly users?: number;
  /** the assignment step over points; default: the plain one */
  readonly assignOf?: (points: Points) => Assign;
  readonly onProgress?: (fraction: number) => void;
}

const COARSE = [2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50];
/** The largest number of groups that is tried. */
export const MAX_GROUPS = 50;
/** More groups than a person reads are chosen only if they are clear. */
const READABLE_GROUPS = 20;
const CLEAR_SILHOUETTE = 0.25;
/** Fewer points in a group of one half may be noise. */
const MIN_POINTS = 8;
const RESTARTS = 3;

/** The halves should have about a thousand points each: the work grows with their squares. */
export async function chooseGroupCount(
  halves: readonly [Points, Points],
  options: ChooseOptions,
): Promise<GroupCountChoice> {
  const [a, b] = halves;
  const distinct = Math.min(distinctRows(a, MAX_GROUPS), distinctRows(b, MAX_GROUPS));
  const most = Math.min(MAX_GROUPS, Math.floor(Math.min(a.count, b.count) / MIN_POINTS), distinct);
  if (most < 2) return { k: 1, silhouette: 0, tried: [] };
  const judges = [new Judge(a, b, options), new Judge(b, a, options)];
  const found = new Map<number, { k: number; silhouette: number; points: readonly number[] }>();
  const attempt = async (k: number) => {
    if (k < 2 || k > most || found.has(k)) return;
    const points = [...(await judges[0].silhouettes(k)), ...(await judges[1].silhouettes(k))];
    found.set(k, { k, silhouette: meanOf(points).mean, points });
  };
  const best = (limit: number) => [...found.values()].filter(({ k }) => k <= limit).reduce(higher);

  const coarse = COARSE.filter((k) => k <= most);
  for (const [index, k] of coarse.entries()) {
    await attempt(k);
    options.onProgress?.((0.75 * (index + 1)) / coarse.length);
  }
  const few = Math.floor(Math.sqrt((options.users ?? a.count + b.count) / 2));
  const limit = best(most).silhouette >= CLEAR_SILHOUETTE ? most : Math.max(2, Math.min(most, READABLE_GROUPS, few));
  const center = coarse.indexOf(best(limit).k);
  const low = coarse[Math.max(0, center - 1)];
  const high = Math.min(limit, coarse[Math.min(coarse.length - 1, center + 1)]);
  const stride = Math.max(1, Math.round((high - low) / 8));
  for (let k = low; k <= high; k += stride) await attempt(k);
  const around = best(limit).k;
  for (const k of [around - 1, Math.min(limit, around + 1)]) await attempt(k);
  options.onProgress?.(1);

  const tried = [...found.values()].sort((one, other) => one.k - other.k);
  const top = best(limit);
  const chosen = tried.find(({ points }) => {
    const { mean, error } = meanOf(points.map((silhouette, n) => top.points[n] - silhouette));
    return mean <= error;
  })!;
  return {
    k: chosen.k,
    silhouette: chosen.silhouette,
    tried: tried.map((choice) => ({ k: choice.k, silhouette: choice.silhouette })),
  };
}

function higher<T extends { silhouette: number }>(one: T, other: T): T {
  return other.silhouette > one.silhouette ? other : one;
}

/** The mean and its standard error. */
function meanOf(values: readonly number[]): { mean: number; error: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, error: Math.sqrt(variance / values.length) };
}

/** Finds groups in one half and judges them on the other. */
class Judge {
  readonly #points: Points;
  readonly #assign: Assign;
  readonly #others: Points;
  readonly #assignOthers: Assign;
  readonly #distances: Float32Array;
  readonly #seed: number;

  constructor(points: Points, others: Points, { seed, assignOf = plainAssign }: ChooseOptions) {
    this.#points = points;
    this.#assign = assignOf(points);
    this.#others = others;
    this.#assignOthers = assignOf(others);
    this.#distances = pairDistances(others);
    this.#seed = seed;
  }

  async silhouettes(k: number): Promise<Float64Array> {
    const { centroids } = await fitSample(this.#points, k, { seed: this.#seed, tries: RESTARTS, assign: this.#assign });
    const labels = new Uint32Array(this.#others.count);
    await this.#assignOthers(centroids, k, labels);
    return silhouettes(this.#distances, labels, k);
  }
}

export interface SearchOptions {
  readonly seed: number;
  /** number of seedings or swaps */
  readonly tries: number;
  /** default: the plain assignment */
  readonly assign?: Assign;
}

/** The best of several seedings. */
export async function fitSample(
  points: Points,
  k: number,
  { seed, tries, assign = plainAssign(points) }: SearchOptions,
): Promise<Groups> {
  const distances = new Distances(points);
  let best: Groups | null = null;
  for (let restart = 0; restart < tries; restart++) {
    const random = seededRandom(seed + 1_000_003 * k + 7919 * restart);
    const groups = await lloyd(points, seedCentroids(points, k, random, distances), assign, {
      maxIterations: 30,
      tolerance: 1e-3,
    });
    if (best === null || groups.inertia < best.inertia) best = groups;
  }
  return best!;
}

/**
 * Frees k-means from a poor start: a random centroid jumps to a random point, a few steps settle it, and the jump stays if the
 * groups became tighter (random swap clustering, Fränti, 2018).
 */
export async function improveBySwaps(
  points: Points,
  groups: Groups,
  { seed, tries, assign = plainAssign(points) }: SearchOptions,
): Promise<Groups> {
  const random = seededRandom(seed ^ 0x5bd1e995);
  let best = groups;
  for (let swap = 0; swap < tries && groups.k > 1; swap++) {
    const centroids = Float32Array.from(best.centroids);
    const from = random.below(points.count) * points.dimensions;
    centroids.set(points.values.subarray(from, from + points.dimensions), random.below(groups.k) * points.dimensions);
    const settled = await lloyd(points, centroids, assign, { maxIterations: 3, tolerance: 0 });
    if (settled.inertia < best.inertia) best = settled;
  }
  return lloyd(points, best.centroids, assign, { maxIterations: 30, tolerance: 1e-3 });
}

function distinctRows(points: Points, enough: number): number {
  const seen = new Set<string>();
  for (let index = 0; index < points.count && seen.size < enough; index++)
    seen.add(points.values.subarray(index * points.dimensions, (index + 1) * points.dimensions).join());
  return seen.size;
}

function pairDistances(points: Points): Float32Array {
  const { count } = points;
  const squares = new Distances(points);
  const distances = new Float32Array(count * count);
  for (let a = 0; a < count; a++) {
    const near = squares.from(a);
    for (let b = 0; b < count; b++) distances[a * count + b] = Math.sqrt(near[b]);
  }
  return distances;
}

/** For each point (b − a) / max(a, b), with a the mean distance to its own group and b to the nearest other group. */
function silhouettes(distances: Float32Array, labels: Uint32Array, k: number): Float64Array {
  const count = labels.length;
  const sizes = new Float64Array(k);
  for (const label of labels) sizes[label]++;
  const sums = new Float64Array(k);
  const found = new Float64Array(count);
  for (let point = 0; point < count; point++) {
    sums.fill(0);
    for (let other = 0; other < count; other++) sums[labels[other]] += distances[point * count + other];
    const own = labels[point];
    if (sizes[own] <= 1) continue;
    const inside = sums[own] / (sizes[own] - 1);
    let outside = Number.POSITIVE_INFINITY;
    for (let group = 0; group < k; group++)
      if (group !== own && sizes[group] > 0) outside = Math.min(outside, sums[group] / sizes[group]);
    const larger = Math.max(inside, outside);
    if (larger > 0 && Number.isFinite(outside)) found[point] = (outside - inside) / larger;
  }
  return found;
}
