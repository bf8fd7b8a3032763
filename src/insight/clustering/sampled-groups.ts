// The groups of a project, found among the users of its first piece, with their map and their words, in one file. One worker finds
// them while the others still read users.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sampleIndexes, seededRandom } from '../../base/seeded-random.ts';
import type { ClusteringParameters } from '../../domain/insight-request.ts';
import type { KernelPool } from '../../kernels/kernel-pool.ts';
import { paddedDimensions } from '../../kernels/padded-rows.ts';
import type { Piece, PiecePlace } from '../../pieces/piece.ts';
import { joinUsers } from '../../pieces/piece-users.ts';
import { type InsightRun, type OpenedModel, openModel, withPool } from '../insight-run.ts';
import { featureTable } from './attribute-features.ts';
import { type GroupDescription, groupDescriber } from './describe-groups.ts';
import { type FoundGroups, findGroups } from './find-groups.ts';
import { GroupShares } from './group-shares.ts';
import { layOut } from './layout.ts';
import { samplePoints, storedPoints, type UserPoints } from './point-files.ts';
import { type Points, pickPoints } from './points.ts';

const GROUPS_FILE = 'groups.json';
/** Number of users on which groups are found. */
export const SAMPLE_USERS = 100_000;
/** Users drawn on the map: enough for the eye, few enough for a picture of a megabyte. */
const MAP_USERS = 6000;
/** Most users of a group from which its description is made. */
const DESCRIBED_USERS = 300;
const DESCRIBED_USERS_IN_ALL = 20_000;
const BLOCK_POINTS = 4096;

export interface MapUser {
  readonly user_id: string;
  /** index in `groups` */
  readonly group: number;
  readonly x: number;
  readonly y: number;
}

export interface SampledGroups extends Omit<FoundGroups, 'labels' | 'sizes' | 'centroids'> {
  /** the largest of the sample first */
  readonly groups: readonly (GroupDescription & { readonly centroid: readonly number[] })[];
  readonly map: readonly MapUser[];
}

/** `sample`: a piece with the points of SAMPLE_USERS and more, or of all users. Returns the groups with the names of the files that it leaves. */
export function findSampledGroups(
  run: InsightRun & Pick<PiecePlace, 'folder' | 'opened'>,
  sample: Piece<{ readonly points: number }>,
): Promise<Pick<SampledGroups, 'groups'> & { readonly files: readonly string[] }> {
  const { model_id: modelId, parameters } = run.job.job_data as { model_id: string; parameters: ClusteringParameters };
  return withPool(run, async (pool) => {
    const opened = await openModel(run, modelId);
    const userIds = await joinUsers([sample]);
    const { points, users } = await readSample(opened, pool, sample, parameters.seed);
    const { labels, sizes, centroids, ...found } = await findGroups({
      pool,
      points,
      numClusters: parameters.num_clusters,
      seed: parameters.seed,
      onProgress: (fraction, message) => run.progress({ fraction: 0.4 * fraction, phase: 'groups', message }),
    });
    run.progress({ fraction: 0.4, phase: 'map', message: 'Drawing the map.' });
    const idOf = (point: number) => userIds.at(users[point])!;
    const map = mapOf(points, parameters.seed).map(({ point, x, y }) => ({
      user_id: idOf(point),
      group: labels[point],
      x: Number(x.toFixed(3)),
      y: Number(y.toFixed(3)),
    }));
    const described = await describe(run, { opened, pool, labels, sizes, seed: parameters.seed, idOf });
    const { dimensions } = points;
    const groups = described.map((description, group) => ({
      ...description,
      centroid: Array.from(centroids.subarray(group * dimensions, (group + 1) * dimensions)),
    }));
    await writeFile(join(run.folder, GROUPS_FILE), JSON.stringify({ ...found, groups, map } satisfies SampledGroups));
    return { groups, files: [GROUPS_FILE] };
  });
}

export async function readSampledGroups(piece: Piece<unknown>): Promise<SampledGroups> {
  return JSON.parse(await readFile(await piece.file(GROUPS_FILE), 'utf8')) as SampledGroups;
}

function readSample(
  { model }: OpenedModel,
  { memory }: KernelPool,
  sample: Piece<{ readonly points: number }>,
  seed: number,
): Promise<UserPoints> {
  const dimensions = paddedDimensions(model.vectors.dimensions);
  const values = new Float32Array(BLOCK_POINTS * dimensions);
  const stored = storedPoints(sample, { dimensions, values });
  return samplePoints(stored, { most: SAMPLE_USERS, random: seededRandom(seed + 2), memory });
}

function mapOf(points: Points, seed: number): { point: number; x: number; y: number }[] {
  const rows = sampleIndexes(points.count, MAP_USERS, seededRandom(seed + 1));
  const drawn = pickPoints(points, rows, new Float32Array(rows.length * points.dimensions));
  const { x, y } = layOut(drawn, seed);
  return Array.from(rows, (point, n) => ({ point, x: x[n], y: y[n] }));
}

async function describe(
  run: InsightRun,
  {
    opened,
    pool,
    labels,
    sizes,
    seed,
    idOf,
  }: Pick<FoundGroups, 'labels' | 'sizes'> & {
    opened: OpenedModel;
    pool: KernelPool;
    seed: number;
    idOf: (point: number) => string;
  },
): Promise<GroupDescription[]> {
  if (sizes.length === 0) return [];
  const { catalog, recommender, model, project } = opened;
  const perGroup = Math.max(20, Math.min(DESCRIBED_USERS, Math.floor(DESCRIBED_USERS_IN_ALL / sizes.length)));
  const shares = await GroupShares.create({
    pool,
    model,
    layout: recommender.itemLayout,
    listed: recommender.listed(),
    itemCount: catalog.itemCount,
    samples: sampleMembers(labels, sizes, perGroup, seed).map((points) => points.map(idOf)),
    events: run.store.events,
    eventDatasetId: project.event_dataset_id,
    nowMs: run.runtime.nowMs(),
    signal: run.signal,
  });
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const average = new Float64Array(catalog.itemCount);
  for (const [group, size] of sizes.entries()) {
    const share = await shares.of(group);
    for (let item = 0; item < average.length; item++) average[item] += (share[item] * size) / total;
    const fraction = 0.5 + (0.4 * (group + 1)) / sizes.length;
    run.progress({ fraction, phase: 'describe', message: 'Describing the groups.' });
  }
  const descriptionOf = groupDescriber(catalog, featureTable(catalog), average);
  const described: GroupDescription[] = [];
  for (const group of sizes.keys()) described.push(descriptionOf(await shares.of(group)));
  return described;
}

/** Chooses up to `perGroup` points of each group, evenly spread. */
function sampleMembers(labels: Int32Array, sizes: readonly number[], perGroup: number, seed: number): number[][] {
  const chosen = sizes.map((size, group) => sampleIndexes(size, perGroup, seededRandom(seed + group)));
  const next = sizes.map(() => 0);
  const passed = sizes.map(() => 0);
  const samples: number[][] = sizes.map(() => []);
  for (const [point, group] of labels.entries()) {
    if (chosen[group][next[group]] === passed[group]++) {
      samples[group].push(point);
      next[group]++;
    }
  }
  return samples;
}
