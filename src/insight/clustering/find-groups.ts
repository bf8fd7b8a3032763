// Groups points: chooses the number of groups (unless given) and good first centroids on a sample, runs k-means over
// all points on all threads, and orders the groups by size.
import { type Random, sampleIndexes, seededRandom } from '../../base/seeded-random.ts';
import type { KernelPool } from '../../kernels/kernel-pool.ts';
import { orderBySize } from './by-size.ts';
import { chooseGroupCount, fitSample, improveBySwaps, MAX_GROUPS } from './choose-group-count.ts';
import { lloyd } from './k-means.ts';
import { kernelAssign } from './kernel-assign.ts';
import { type Points, pickPoints } from './points.ts';

const COUNT_SAMPLE = 2000;
const SEED_SAMPLE = 10_000;
const RESTARTS = 4;
const SWAPS = 40;

export interface FoundGroups {
  /** group of each point: 0 is the largest */
  readonly labels: Int32Array;
  readonly sizes: readonly number[];
  /** one row of `dimensions` numbers per group */
  readonly centroids: Float32Array;
  /** null when the number of groups was given */
  readonly silhouette: number | null;
  readonly tried: readonly { k: number; silhouette: number }[];
}

export interface FindGroupsInput {
  readonly pool: KernelPool;
  /** must be in the memory of the pool */
  readonly points: Points;
  readonly numClusters: number | null;
  readonly seed: number;
  readonly onProgress: (fraction: number, message: string) => void;
}

export async function findGroups({
  pool,
  points,
  numClusters,
  seed,
  onProgress,
}: FindGroupsInput): Promise<FoundGroups> {
  if (points.count === 0) {
    return { labels: new Int32Array(0), sizes: [], centroids: new Float32Array(0), silhouette: null, tried: [] };
  }
  const random = seededRandom(seed);
  const mark = pool.memory.mark();
  const choice =
    numClusters === null
      ? await chooseGroupCount(sampleHalves(pool, points, random), {
          seed,
          users: points.count,
          assignOf: (half) => kernelAssign(pool, half, MAX_GROUPS),
          onProgress: (fraction) => onProgress(0.4 * fraction, 'Looking how many groups there are.'),
        })
      : null;
  const k = Math.min(choice?.k ?? numClusters!, points.count);
  pool.memory.release(mark);
  const start = await firstCentroids(pool, points, k, { seed, random });
  pool.memory.release(mark);
  onProgress(0.5, `Grouping users into ${k} groups.`);
  const found = await lloyd(points, start, kernelAssign(pool, points, k), {
    onIteration: (iteration) => onProgress(0.5 + 0.5 * (1 - 0.9 ** iteration), `Grouping users into ${k} groups.`),
  });
  pool.memory.release(mark);
  const labels = Int32Array.from(found.labels);
  const { order, sizes } = orderBySize(labels, found.sizes);
  const centroids = pickPoints(
    { count: k, dimensions: points.dimensions, values: found.centroids },
    Uint32Array.from(order),
    new Float32Array(order.length * points.dimensions),
  ).values;
  return { labels, sizes, centroids, silhouette: choice?.silhouette ?? null, tried: choice?.tried ?? [] };
}

async function firstCentroids(
  pool: KernelPool,
  points: Points,
  k: number,
  { seed, random }: { seed: number; random: Random },
): Promise<Float32Array> {
  const rows = sampleIndexes(points.count, Math.max(SEED_SAMPLE, Math.min(points.count, 20 * k)), random);
  const sample = pickPoints(points, rows, pool.memory.f32(rows.length * points.dimensions));
  const assign = kernelAssign(pool, sample, k);
  const fitted = await fitSample(sample, k, { seed, tries: RESTARTS, assign });
  return (await improveBySwaps(sample, fitted, { seed, tries: SWAPS, assign })).centroids;
}

function sampleHalves(pool: KernelPool, points: Points, random: Random): [Points, Points] {
  const rows = sampleIndexes(points.count, COUNT_SAMPLE, random);
  const half = (first: number) => {
    const own = rows.filter((_, n) => n % 2 === first);
    return pickPoints(points, own, pool.memory.f32(own.length * points.dimensions));
  };
  return [half(0), half(1)];
}
