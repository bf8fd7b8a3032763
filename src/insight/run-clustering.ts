// A clustering job: users become points, points become groups, groups get words, a map and files.

import type { ClusteringParameters } from '../domain/insight-request.ts';
import { JobFailure } from '../domain/job.ts';
import { sampleIndexes, seededRandom } from '../domain/seeded-random.ts';
import { featureTable } from './clustering/attribute-features.ts';
import { describeGroups, type GroupDescription } from './clustering/describe-groups.ts';
import { findGroups } from './clustering/find-groups.ts';
import { groupShares } from './clustering/group-shares.ts';
import { paddedDimensions } from './clustering/kernel-assign.ts';
import { type Layout, layOut } from './clustering/layout.ts';
import { pickPoints, readUserPoints, type UserPoints } from './clustering/user-vectors.ts';
import { clusteringMessage, clusteringWriters, GROUP_TOO_SMALL, NO_HISTORY } from './clustering/write-clusters.ts';
import {
  type InsightResult,
  type InsightRun,
  type InsightTools,
  resultHead,
  scanUsers,
  withTools,
} from './insight-run.ts';
import { publishResult } from './results/publish-result.ts';
import { linkSecret } from './results/result-link.ts';
import { HistoryBatch } from './users/history-batch.ts';
import type { UserScan } from './users/scan-users.ts';

/** Users drawn on the map: enough for the eye, few enough for a picture of a megabyte. */
const MAP_USERS = 6000;
/** Users of a group that its description is made from. */
const DESCRIBED_USERS = 300;
const DESCRIBED_USERS_IN_ALL = 20_000;
const BATCH_USERS = 4096;

export async function runClustering(run: InsightRun): Promise<InsightResult> {
  const { model_id: modelId, parameters } = run.job.job_data as { model_id: string; parameters: ClusteringParameters };
  return withTools(run, modelId, (tools) => clusterUsers(run, tools, parameters));
}

async function clusterUsers(
  run: InsightRun,
  tools: InsightTools,
  parameters: ClusteringParameters,
): Promise<InsightResult> {
  const { opened } = tools;
  const { scan, found, map, labels } = await groupUsers(run, tools, parameters);
  const groupCount = found.sizes.filter((size) => size >= parameters.min_user_num).length;
  const sizes = found.sizes.slice(0, groupCount);
  const groups = await describe(run, tools, { scan, labels, sizes, seed: parameters.seed });
  run.progress({ fraction: 0.92, phase: 'write', message: 'Writing the result.' });
  const result = {
    head: resultHead(
      run,
      opened.modelId,
      labels.length,
      labels.reduce((n, label) => n + (label === NO_HISTORY ? 1 : 0), 0),
    ),
    parameters,
    groups,
    labels,
    userIds: scan.directory,
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
    nowMs: Date.now(),
    erasures: run.erasures,
  });
  return { ...published, message: clusteringMessage(result) };
}

async function groupUsers(run: InsightRun, { opened, events, pool }: InsightTools, parameters: ClusteringParameters) {
  const { model, recommender } = opened;
  const scan = await scanUsers(run, opened, events);
  const mark = pool.memory.mark();
  const values = pool.memory.f32(scan.knownUsers * paddedDimensions(model.vectors.dimensions));
  const entries = Math.max(2 * recommender.historyLimit, BATCH_USERS * 128);
  const onUsers = (users: number) =>
    run.progress({
      fraction: 0.05 + 0.35 * Math.min(1, users / Math.max(1, scan.knownUsers)),
      phase: 'users',
      message: `${users} users read.`,
    });
  const read = await readUserPoints(scan, [new HistoryBatch(BATCH_USERS, entries)], model, { values, onUsers });
  for await (const _ of scan.others()) run.signal.throwIfAborted();
  if (scan.directory.length === 0) {
    throw new JobFailure('NO_USERS', 'The project has no users: neither the user dataset nor the events name any.');
  }
  const found = await findGroups({
    pool,
    points: read.points,
    numClusters: parameters.num_clusters,
    seed: parameters.seed,
    onProgress: (fraction, message) => run.progress({ fraction: 0.4 + 0.3 * fraction, phase: 'groups', message }),
  });
  const labels = new Int32Array(scan.directory.length).fill(NO_HISTORY);
  for (const [point, user] of read.users.entries()) {
    const group = found.labels[point];
    labels[user] = found.sizes[group] >= parameters.min_user_num ? group : GROUP_TOO_SMALL;
  }
  run.progress({ fraction: 0.7, phase: 'map', message: 'Drawing the map.' });
  const map = mapOf(read, parameters.seed);
  pool.memory.release(mark);
  return { scan, found, map, labels };
}

function mapOf({ points, users }: UserPoints, seed: number): { users: Uint32Array; layout: Layout } {
  const rows = sampleIndexes(points.count, MAP_USERS, seededRandom(seed + 1));
  const sample = pickPoints(points, rows, new Float32Array(rows.length * points.dimensions));
  return { users: Uint32Array.from(rows, (row) => users[row]), layout: layOut(sample, seed) };
}

async function describe(
  run: InsightRun,
  { opened, pool }: InsightTools,
  { scan, labels, sizes, seed }: { scan: UserScan; labels: Int32Array; sizes: readonly number[]; seed: number },
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
    samples: sampleMembers(labels, sizes, perGroup, seed).map((users) => users.map((user) => scan.directory.at(user)!)),
    events: run.store.events,
    eventDatasetId: project.event_dataset_id,
    signal: run.signal,
    onProgress: (fraction) =>
      run.progress({ fraction: 0.75 + 0.15 * fraction, phase: 'describe', message: 'Describing the groups.' }),
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
