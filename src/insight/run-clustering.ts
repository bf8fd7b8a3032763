// A clustering job. Pieces turn their users into points, and the first finds groups among its users, a sample of all. When pieces are
// joined, each user gets the nearest group.
import type { ClusteringParameters } from '../domain/insight-request.ts';
import { JobFailure } from '../domain/job.ts';
import { plural } from '../domain/plural.ts';
import { type AssignedUsers, assignUsers } from './clustering/assign-users.ts';
import { joinedPoints, POINTS_FILE, writeUserPoints } from './clustering/point-files.ts';
import { findSampledGroups, readSampledGroups, SAMPLE_USERS, type SampledGroups } from './clustering/sampled-groups.ts';
import { clusteringMessage, clusteringWriters, GROUP_TOO_SMALL, NO_HISTORY } from './clustering/write-clusters.ts';
import {
  type InsightResult,
  type InsightRun,
  openTastes,
  type PieceRun,
  resultHead,
  scanUsers,
  withEvents,
  withPool,
} from './insight-run.ts';
import { asOnePiece, type PieceFacts, type PieceSteps } from './pieces/one-piece.ts';
import type { Piece } from './pieces/piece.ts';
import { joinedNumbers, joinUsers, PIECE_USER_FILES, type UserCounts, writePieceUsers } from './pieces/piece-users.ts';
import { publishResult } from './results/publish-result.ts';
import { linkSecret } from './results/result-link.ts';

const BATCH_USERS = 4096;
/** Users who are put into groups at a time. */
const BLOCK_POINTS = 32_768;

/** What a piece knows besides its files. */
export interface ClusteringFacts extends PieceFacts {
  readonly users: UserCounts;
  /** users with a taste */
  readonly points: number;
}

/** `sampleUsers`: among how many groups are found. */
export function clusteringSteps(sampleUsers: number): PieceSteps<InsightRun, ClusteringFacts, InsightResult> {
  return {
    work: readPoints,
    lead: { work: findSampledGroups, users: sampleUsers, share: 0.4 },
    join: joinPoints,
    workShare: 0.4,
  };
}

export function runClustering(run: InsightRun, sampleUsers = SAMPLE_USERS): Promise<InsightResult> {
  return asOnePiece(run, clusteringSteps(sampleUsers));
}

/** Users of the piece as points. */
function readPoints(run: PieceRun): Promise<ClusteringFacts> {
  const { model_id: modelId } = run.job.job_data as { model_id: string };
  return withEvents(run, modelId, async (opened, events) => {
    const scan = await scanUsers(run, opened, events);
    const onUsers = (users: number) => {
      const fraction = 0.1 + 0.9 * Math.min(1, users / Math.max(1, run.range.users));
      run.progress({ fraction, phase: 'users', message: `${plural(users, 'user')} read.` });
    };
    const tastes = await openTastes(run, opened, BATCH_USERS);
    const points = await writeUserPoints({ scan, tastes, folder: run.folder, onUsers });
    for await (const _ of scan.others()) run.signal.throwIfAborted();
    await writePieceUsers(run.folder, scan.counts, (user) => scan.directory.at(user)!);
    return { users: scan.counts, points, files: [...PIECE_USER_FILES, POINTS_FILE] };
  });
}

/** The group of every user, and the files of the result. */
async function joinPoints(run: InsightRun, pieces: readonly Piece<ClusteringFacts>[]): Promise<InsightResult> {
  const { model_id: modelId, parameters } = run.job.job_data as { model_id: string; parameters: ClusteringParameters };
  const { groups, map, silhouette, tried } = await readSampledGroups(pieces[0]);
  run.progress({ fraction: 0, phase: 'join', message: 'Looking up the group of each user.' });
  const { labels, sizes, order } = await groupUsers(run, pieces, groups);
  const large = sizes.filter((size) => size >= parameters.min_user_num);
  for (const [user, group] of labels.entries()) if (group >= large.length) labels[user] = GROUP_TOO_SMALL;
  const placeOf = new Map(order.map((group, place) => [group, place < large.length ? place : GROUP_TOO_SMALL]));
  const noHistory = labels.reduce((n, label) => n + (label === NO_HISTORY ? 1 : 0), 0);
  const userIds = await joinUsers(pieces);
  run.progress({ fraction: 0.5, phase: 'write', message: 'Writing the result.' });
  const result = {
    head: resultHead(run, modelId, labels.length, noHistory),
    ...{ parameters, labels, userIds, silhouette, tried },
    groups: large.map((size, place) => ({ ...groups[order[place]], size })),
    map: map.map(({ group, ...user }) => ({ ...user, label: placeOf.get(group) ?? GROUP_TOO_SMALL })),
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

function groupUsers(
  run: InsightRun,
  pieces: readonly Piece<ClusteringFacts>[],
  groups: SampledGroups['groups'],
): Promise<AssignedUsers> {
  const users = pieces.reduce((sum, { facts }) => sum + facts.users[0] + facts.users[1] + facts.users[2], 0);
  if (users === 0) {
    throw new JobFailure('NO_USERS', 'The project has no users: neither the user dataset nor the events name any.');
  }
  const dimensions = groups[0]?.centroid.length ?? 0;
  const numberOf = joinedNumbers(pieces.map(({ facts }) => facts.users));
  return withPool(run, (pool) => {
    const stored = joinedPoints(pieces, numberOf, { dimensions, values: pool.memory.f32(BLOCK_POINTS * dimensions) });
    const centroids = Float32Array.from(groups.flatMap(({ centroid }) => centroid));
    return assignUsers({ pool, stored, groups: { k: groups.length, centroids }, users, noPoint: NO_HISTORY });
  });
}
