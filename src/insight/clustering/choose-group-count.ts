// How many groups the users have. On a sample, for each count tried: k-means, then the mean silhouette (Rousseeuw, 1987), which
// is highest where groups are dense inside and apart from each other. First a coarse grid, then the counts around its best.
import { type Assign, type Groups, lloyd, type Points, plainAssign, seedCentroids } from './k-means.ts';
import { SeededRandom } from './seeded-random.ts';

export interface GroupCountChoice {
  readonly k: number;
  /** mean silhouette of the chosen count on the sample, −1 to 1 */
  readonly silhouette: number;
  /** every count tried, ascending */
  readonly tried: readonly { k: number; silhouette: number }[];
}

export interface ChooseOptions {
  readonly seed: number;
  readonly maxGroups?: number;
  /** the assignment step over the sample; default: the plain one */
  readonly assign?: Assign;
  readonly onProgress?: (fraction: number) => void;
}

const COARSE = [2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50];
/** The largest number of groups that is tried. */
export const MAX_GROUPS = 50;
const RESTARTS = 3;

/** The sample should have one to two thousand points: the work grows with its square. */
export async function chooseGroupCount(sample: Points, options: ChooseOptions): Promise<GroupCountChoice> {
  // A group of the sample needs some points to be more than noise.
  const most = Math.min(options.maxGroups ?? MAX_GROUPS, Math.floor(sample.count / 8), distinctRows(sample, 64));
  if (most < 2) return { k: 1, silhouette: 0, tried: [] };
  const distances = pairDistances(sample);
  const silhouettes = new Map<number, number>();
  const attempt = async (k: number) => {
    if (k < 2 || k > most || silhouettes.has(k)) return;
    const groups = await fitSample(sample, k, options.seed, RESTARTS, options.assign);
    silhouettes.set(k, meanSilhouette(distances, groups.labels, k));
  };
  const best = () => [...silhouettes].reduce((a, b) => (b[1] > a[1] ? b : a))[0];

  const coarse = COARSE.filter((k) => k <= most);
  for (const [index, k] of coarse.entries()) {
    await attempt(k);
    options.onProgress?.((0.75 * (index + 1)) / coarse.length);
  }
  const centre = coarse.indexOf(best());
  const low = coarse[Math.max(0, centre - 1)];
  const high = coarse[Math.min(coarse.length - 1, centre + 1)];
  const stride = Math.max(1, Math.round((high - low) / 8));
  for (let k = low; k <= high; k += stride) await attempt(k);
  const around = best();
  for (const k of [around - 1, around + 1]) await attempt(k);
  options.onProgress?.(1);

  const tried = [...silhouettes].map(([k, silhouette]) => ({ k, silhouette })).sort((a, b) => a.k - b.k);
  const k = best();
  return { k, silhouette: silhouettes.get(k)!, tried };
}

/** The best of several seedings. */
export async function fitSample(
  points: Points,
  k: number,
  seed: number,
  restarts: number,
  assign: Assign = plainAssign(points),
): Promise<Groups> {
  let best: Groups | null = null;
  for (let restart = 0; restart < restarts; restart++) {
    const random = new SeededRandom(seed + 1_000_003 * k + 7919 * restart);
    const groups = await lloyd(points, seedCentroids(points, k, random), k, assign, {
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
  swaps: number,
  seed: number,
  assign: Assign = plainAssign(points),
): Promise<Groups> {
  const random = new SeededRandom(seed ^ 0x5bd1e995);
  let best = groups;
  for (let swap = 0; swap < swaps && groups.k > 1; swap++) {
    const centroids = Float32Array.from(best.centroids);
    const from = random.below(points.count) * points.dimensions;
    centroids.set(points.values.subarray(from, from + points.dimensions), random.below(groups.k) * points.dimensions);
    const settled = await lloyd(points, centroids, groups.k, assign, { maxIterations: 3, tolerance: 0 });
    if (settled.inertia < best.inertia) best = settled;
  }
  return lloyd(points, best.centroids, groups.k, assign, { maxIterations: 30, tolerance: 1e-3 });
}

function distinctRows(points: Points, enough: number): number {
  const seen = new Set<string>();
  for (let index = 0; index < points.count && seen.size < enough; index++)
    seen.add(points.values.subarray(index * points.dimensions, (index + 1) * points.dimensions).join());
  return seen.size;
}

function pairDistances(points: Points): Float32Array {
  const { count, dimensions, values } = points;
  const distances = new Float32Array(count * count);
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < a; b++) {
      let square = 0;
      for (let d = 0; d < dimensions; d++) {
        const difference = values[a * dimensions + d] - values[b * dimensions + d];
        square += difference * difference;
      }
      distances[a * count + b] = distances[b * count + a] = Math.sqrt(square);
    }
  }
  return distances;
}

/** Mean over points of (b − a) / max(a, b): a the mean distance to its own group, b to the nearest other one. */
export function meanSilhouette(distances: Float32Array, labels: Uint32Array, k: number): number {
  const count = labels.length;
  const sizes = new Float64Array(k);
  for (const label of labels) sizes[label]++;
  const sums = new Float64Array(k);
  let total = 0;
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
    if (larger > 0 && Number.isFinite(outside)) total += (outside - inside) / larger;
  }
  return total / count;
}
