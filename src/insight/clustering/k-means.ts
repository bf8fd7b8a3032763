// k-means on rows of a typed array: careful seeding (greedy k-means++), then Lloyd's steps until the groups no longer change.
// The same points and seed give the same groups whatever the number of threads: sums are kept per fixed block of rows and
// added in the order of blocks. The assignment step is handed in, so that threads and SIMD kernels serve the same loop.
import type { Random } from '../../base/seeded-random.ts';
import { Distances } from './distances.ts';
import type { Points } from './points.ts';

export interface Groups {
  readonly k: number;
  /** one row of `dimensions` numbers per group */
  readonly centroids: Float32Array;
  /** the group of each point */
  readonly labels: Uint32Array;
  readonly sizes: Float64Array;
  /** sum of squared distances to the centroids */
  readonly inertia: number;
  readonly iterations: number;
}

/** The result of assigning every point to its nearest centroid. */
export interface Assignment {
  /** k × dimensions sums of the points of each group */
  readonly sums: Float64Array;
  readonly sizes: Float64Array;
  readonly inertia: number;
  /** number of points that changed their group */
  readonly moved: number;
  /** squared distance of each point to its centroid */
  readonly distances: Float32Array;
}

/** Writes the nearest centroid of each point to labels (ties: the smaller group) and returns the sums. */
export type Assign = (centroids: Float32Array, k: number, labels: Uint32Array) => Assignment | Promise<Assignment>;

export interface KMeansOptions {
  readonly maxIterations?: number;
  /** stop when fewer than this share of the points move */
  readonly tolerance?: number;
  readonly onIteration?: (iteration: number, moved: number) => void;
}

/** Rows of a block: at most 64 blocks, so that the sums per block stay small compared with the points. */
export function blockRows(count: number): number {
  return Math.max(256, Math.ceil(count / 64 / 256) * 256);
}

/** Lloyd's steps from the given centroids (k × dimensions). */
export async function lloyd(
  points: Points,
  initial: Float32Array,
  assign: Assign,
  options: KMeansOptions = {},
): Promise<Groups> {
  const { maxIterations = 60, tolerance = 1e-4 } = options;
  const k = initial.length / points.dimensions;
  const centroids = Float32Array.from(initial);
  const labels = new Uint32Array(points.count).fill(0xffffffff);
  let iterations = 0;
  for (;;) {
    const assignment = await assign(centroids, k, labels);
    iterations++;
    options.onIteration?.(iterations, assignment.moved);
    const settled = assignment.moved <= points.count * tolerance || iterations >= maxIterations;
    const refilled = settled ? false : moveCentroids(points, centroids, k, assignment);
    if (settled && !refilled)
      return { k, centroids, labels, sizes: assignment.sizes, inertia: assignment.inertia, iterations };
  }
}

/** Sets each centroid to the mean of its points; an empty group takes the point farthest from its centroid. */
function moveCentroids(points: Points, centroids: Float32Array, k: number, assignment: Assignment): boolean {
  const { dimensions, values } = points;
  let refilled = false;
  const taken = new Set<number>();
  for (let group = 0; group < k; group++) {
    const size = assignment.sizes[group];
    if (size > 0) {
      for (let d = 0; d < dimensions; d++)
        centroids[group * dimensions + d] = assignment.sums[group * dimensions + d] / size;
      continue;
    }
    let farthest = -1;
    for (let index = 0; index < points.count; index++) {
      if (taken.has(index)) continue;
      if (farthest < 0 || assignment.distances[index] > assignment.distances[farthest]) farthest = index;
    }
    if (farthest < 0 || assignment.distances[farthest] === 0) continue;
    taken.add(farthest);
    refilled = true;
    centroids.set(values.subarray(farthest * dimensions, (farthest + 1) * dimensions), group * dimensions);
  }
  return refilled;
}

/** The plain assignment: the reference for the kernel, also used for small data. */
export function plainAssign(points: Points): Assign {
  const distances = new Float32Array(points.count);
  return (centroids, k, labels) => {
    const total = emptyAssignment(k, points.dimensions, distances);
    const rows = blockRows(points.count);
    const sums = new Float64Array(k * points.dimensions);
    for (let from = 0; from < points.count; from += rows) {
      sums.fill(0);
      const block = { from, to: Math.min(points.count, from + rows) };
      addPart(total, sums, assignRows(points, block, { centroids, k }, { labels, sums, distances }));
    }
    return total;
  };
}

type MutableAssignment = { -readonly [key in keyof Assignment]: Assignment[key] };

export function emptyAssignment(k: number, dimensions: number, distances: Float32Array): MutableAssignment {
  return { sums: new Float64Array(k * dimensions), sizes: new Float64Array(k), inertia: 0, moved: 0, distances };
}

export function addPart(
  total: MutableAssignment,
  sums: Float64Array,
  part: { sizes: Float64Array; inertia: number; moved: number },
): void {
  for (let cell = 0; cell < sums.length; cell++) total.sums[cell] += sums[cell];
  for (let group = 0; group < part.sizes.length; group++) total.sizes[group] += part.sizes[group];
  total.inertia += part.inertia;
  total.moved += part.moved;
}

function assignRows(
  { dimensions, values }: Points,
  { from, to }: { from: number; to: number },
  { centroids, k }: Pick<Groups, 'centroids' | 'k'>,
  { labels, sums, distances }: { labels: Uint32Array; sums: Float64Array; distances: Float32Array },
): { sizes: Float64Array; inertia: number; moved: number } {
  const sizes = new Float64Array(k);
  let inertia = 0;
  let moved = 0;
  for (let index = from; index < to; index++) {
    const row = index * dimensions;
    let nearest = 0;
    let best = Number.POSITIVE_INFINITY;
    for (let group = 0; group < k; group++) {
      const center = group * dimensions;
      let distance = 0;
      for (let d = 0; d < dimensions; d++) {
        const difference = values[row + d] - centroids[center + d];
        distance += difference * difference;
      }
      if (distance < best) {
        best = distance;
        nearest = group;
      }
    }
    if (labels[index] !== nearest) {
      labels[index] = nearest;
      moved++;
    }
    distances[index] = best;
    inertia += best;
    sizes[nearest]++;
    for (let d = 0; d < dimensions; d++) sums[nearest * dimensions + d] += values[row + d];
  }
  return { sizes, inertia, moved };
}

/**
 * Greedy k-means++: each next centroid is drawn with probability by squared distance to those chosen; of a few draws the one
 * that lowers the sum most is kept. May return fewer than k distinct places when the points have no more.
 */
export function seedCentroids(
  points: Points,
  k: number,
  random: Random,
  distances = new Distances(points),
): Float32Array {
  const { count, dimensions, values } = points;
  const centroids = new Float32Array(k * dimensions);
  const nearest = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const trials = 2 + Math.floor(Math.log(k));
  const candidate = new Float64Array(count);
  const bestCandidate = new Float64Array(count);
  const place = (group: number, index: number) =>
    centroids.set(values.subarray(index * dimensions, (index + 1) * dimensions), group * dimensions);
  const first = random.below(count);
  place(0, first);
  let total = lowerTo(distances.from(first), nearest, nearest);
  for (let group = 1; group < k; group++) {
    let bestTotal = Number.POSITIVE_INFINITY;
    let bestIndex = -1;
    for (let trial = 0; trial < trials && total > 0; trial++) {
      const index = drawByWeight(nearest, total, random);
      const lowered = lowerTo(distances.from(index), nearest, candidate);
      if (lowered < bestTotal) {
        bestTotal = lowered;
        bestIndex = index;
        bestCandidate.set(candidate);
      }
    }
    if (bestIndex < 0) {
      place(group, random.below(count));
      continue;
    }
    place(group, bestIndex);
    nearest.set(bestCandidate);
    total = bestTotal;
  }
  return centroids;
}

/** out = min(known, distance); returns the sum. */
function lowerTo(distances: Float32Array, known: Float64Array, out: Float64Array): number {
  let total = 0;
  for (let index = 0; index < out.length; index++) {
    out[index] = Math.min(distances[index], known[index]);
    total += out[index];
  }
  return total;
}

function drawByWeight(weights: Float64Array, total: number, random: Random): number {
  let rest = random.next() * total;
  for (let index = 0; index < weights.length; index++) {
    rest -= weights[index];
    if (rest < 0) return index;
  }
  for (let index = weights.length - 1; index > 0; index--) if (weights[index] > 0) return index;
  return 0;
}
