// A clustering job: pieces turn their users into points; all points become groups, groups get words, a map and files.

import type { ClusteringParameters } from '../domain/insight-request.ts';
import { JobFailure } from '../domain/job.ts';
import { plural } from '../domain/plural.ts';
import { sampleIndexes, seededRandom } from '../domain/seeded-random.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { assignUsers } from './clustering/assign-users.ts';
import { featureTable } from './clustering/attribute-features.ts';
import { describeGroups, type GroupDescription } from './clustering/describe-groups.ts';
import { findGroups, SAMPLE_USERS } from './clustering/find-groups.ts';
import { groupShares } from './clustering/group-shares.ts';
import { type Layout, layOut } from './clustering/layout.ts';
import { joinedPoints, POINTS_FILE, samplePoints, type UserPoints, writeUserPoints } from './clustering/point-files.ts';
import { paddedDimensions, pickPoints } from './clustering/points.ts';
import { clusteringMessage, clusteringWriters, GROUP_TOO_SMALL, NO_HISTORY } from './clustering/write-clusters.ts';
import {
  type InsightResult,
  type InsightRun,
  type OpenedModel,
  openModel,
  type PieceRun,
  resultHead,
  scanUsers,
  withEvents,
  withPool,
} from './insight-run.ts';
import { asOnePiece } from './pieces/one-piece.ts';
import type { Piece } from './pieces/piece.ts';
import { joinedNumbers, joinUsers, PIECE_USER_FILES, type UserCounts, writePieceUsers } from './pieces/piece-users.ts';
import { publishResult } from './results/publish-result.ts';
import { linkSecret } from './results/result-link.ts';
import type { UserIds } from './usage/usage-block.ts';
import { TasteVectors } from './users/taste-vectors.ts';

/** Users drawn on the map: enough for the eye, few enough for a picture of a megabyte. */
const MAP_USERS = 6000;
/** Users of a group that its description is made from. */
const DESCRIBED_USERS = 300;
const DESCRIBED_USERS_IN_ALL = 20_000;
const BATCH_USERS = 4096;
/** Users who are put into groups at a time. */
const BLOCK_POINTS = 32_768;

/** What a piece knows besides its files. */
export interface ClusteringFacts {
  readonly users: UserCounts;
  /** users with a taste */
  readonly points: number;
  readonly files: readonly string[];
}

/** of the whole job */
export const CLUSTERING_WORK = 0.4;

export function runClustering(run: InsightRun): Promise<InsightResult> {
  return asOnePiece(run, { work: readPoints, join: joinPoints, workShare: CLUSTERING_WORK });
}

/** Users of the piece as points. */
export function readPoints(run: PieceRun): Promise<ClusteringFacts> {
  const { model_id: modelId } = run.job.job_data as { model_id: string };
  return withEvents(run, modelId, async (opened, events) => {
    const { model, recommender } = opened;
    const scan = await scanUsers(run, opened, events);
    const entries = Math.max(2 * recommender.historyLimit, BATCH_USERS * 128);
    const onUsers = (users: number) => {
      const fraction = 0.1 + 0.9 * Math.min(1, users / Math.max(1, run.range.users));
      run.progress({ fraction, phase: 'users', message: `${plural(users, 'user')} read.` });
    };
    const tastes = new TasteVectors(model, { users: BATCH_USERS, entries });
    const points = await writeUserPoints({ scan, tastes, folder: run.folder, onUsers });
    for await (const _ of scan.others()) run.signal.throwIfAborted();
    await writePieceUsers(run.folder, scan.counts, (user) => scan.directory.at(user)!);
    return { users: scan.counts, points, files: [...PIECE_USER_FILES, POINTS_FILE] };
  });
}

/** Groups and their files, from the points of all pieces. */
export function joinPoints(run: InsightRun, pieces: readonly Piece<ClusteringFacts>[]): Promise<InsightResult> {
  const data = run.job.job_data as { model_id: string; parameters: ClusteringParameters };
  return withPool(run, async (pool) =>
    clusterUsers(run, { opened: await openModel(run, data.model_id), pool, pieces }),
  );
}

interface ClusteringTools {
  readonly opened: OpenedModel;
  readonly pool: KernelPool;
  readonly pieces: readonly Piece<ClusteringFacts>[];
}

async function clusterUsers(run: InsightRun, tools: ClusteringTools): Promise<InsightResult> {
  const { parameters } = run.job.job_data as { parameters: ClusteringParameters };
  const { found, map, labels, sizes } = await groupUsers(run, tools, parameters);
  const userIds = await joinUsers(tools.pieces);
  const groups = await describe(run, tools, { userIds, labels, sizes, seed: parameters.seed });
  run.progress({ fraction: 0.87, phase: 'write', message: 'Writing the result.' });
  const result = {
    head: resultHead(
      run,
      tools.opened.modelId,
      labels.length,
      labels.reduce((n, label) => n + (label === NO_HISTORY ? 1 : 0), 0),
    ),
    parameters,
    groups,
    labels,
    userIds,
    silhouette: found.silhouette,
    tried: found.tried,
    map,
  };
  const published = await publishResult({
    blobs: run.blobs,
    secret: await linkSecret(run.store.accounts),
    scratchDir: run.scratchDir,
    resultId: run.attemptId,
    writers: clusteringWriters(result),
    nowMs: run.runtime.nowMs(),
    erasures: run.erasures,
  });
  return { ...published, message: clusteringMessage(result) };
}

async function groupUsers(
  run: InsightRun,
  { opened, pool, pieces }: ClusteringTools,
  { num_clusters: numClusters, min_user_num: minUsers, seed }: ClusteringParameters,
) {
  const users = pieces.reduce((sum, { facts }) => sum + facts.users[0] + facts.users[1] + facts.users[2], 0);
  if (users === 0) {
    throw new JobFailure('NO_USERS', 'The project has no users: neither the user dataset nor the events name any.');
  }
  const mark = pool.memory.mark();
  const dimensions = paddedDimensions(opened.model.vectors.dimensions);
  const numberOf = joinedNumbers(pieces.map(({ facts }) => facts.users));
  const values = pool.memory.f32(BLOCK_POINTS * dimensions);
  const stored = joinedPoints(pieces, numberOf, { dimensions, values });
  const sampled = { most: SAMPLE_USERS, random: seededRandom(seed + 2), memory: pool.memory };
  const sample = await samplePoints(stored, sampled);
  const found = await findGroups({
    pool,
    points: sample.points,
    ...{ users: stored.count, numClusters, seed },
    onProgress: (fraction, message) => run.progress({ fraction: 0.4 * fraction, phase: 'groups', message }),
  });
  run.progress({ fraction: 0.4, phase: 'map', message: 'Drawing the map.' });
  const map = mapOf(sample, seed);
  run.progress({ fraction: 0.5, phase: 'groups', message: 'Looking up the group of each user.' });
  const { labels, sizes } = await assignUsers({ pool, stored, groups: found, users, noPoint: NO_HISTORY });
  for (const [user, group] of labels.entries()) if (sizes[group] < minUsers) labels[user] = GROUP_TOO_SMALL;
  pool.memory.release(mark);
  return { found, map, labels, sizes: sizes.filter((size) => size >= minUsers) };
}

function mapOf({ points, users }: UserPoints, seed: number): { users: Uint32Array; layout: Layout } {
  const rows = sampleIndexes(points.count, MAP_USERS, seededRandom(seed + 1));
  const sample = pickPoints(points, rows, new Float32Array(rows.length * points.dimensions));
  return { users: Uint32Array.from(rows, (row) => users[row]), layout: layOut(sample, seed) };
}

async function describe(
  run: InsightRun,
  { opened, pool }: ClusteringTools,
  { userIds, labels, sizes, seed }: { userIds: UserIds; labels: Int32Array; sizes: readonly number[]; seed: number },
): Promise<(GroupDescription & { size: number })[]> {
  if (sizes.length === 0) return [];
  const { catalog, recommender, model, project } = opened;
  const perGroup = Math.max(20, Math.min(DESCRIBED_USERS, Math.floor(DESCRIBED_USERS_IN_ALL / sizes.length)));
  const shares = await groupShares({
    pool,
    model,
    layout: recommender.itemLayout,
    listed: recommender.listed(),
    itemCount: catalog.itemCount,
    samples: sampleMembers(labels, sizes, perGroup, seed).map((users) => users.map((user) => userIds.at(user)!)),
    events: run.store.events,
    eventDatasetId: project.event_dataset_id,
    signal: run.signal,
    onProgress: (fraction) =>
      run.progress({ fraction: 0.58 + 0.25 * fraction, phase: 'describe', message: 'Describing the groups.' }),
  });
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const average = new Float64Array(catalog.itemCount);
  for (const [group, share] of shares.entries())
    for (let item = 0; item < average.length; item++) average[item] += (share[item] * sizes[group]) / total;
  return describeGroups(catalog, featureTable(catalog), shares, average).map((description, group) => ({
    ...description,
    size: sizes[group],
  }));
}

/** Up to `perGroup` users of each group, evenly spread. */
function sampleMembers(labels: Int32Array, sizes: readonly number[], perGroup: number, seed: number): number[][] {
  const chosen = sizes.map((size, group) => sampleIndexes(size, perGroup, seededRandom(seed + group)));
  const next = sizes.map(() => 0);
  const passed = sizes.map(() => 0);
  const samples: number[][] = sizes.map(() => []);
  for (const [user, group] of labels.entries()) {
    if (group < 0) continue;
    if (chosen[group][next[group]] === passed[group]++) {
      samples[group].push(user);
      next[group]++;
    }
  }
  return samples;
}
