// A clustering job. Pieces turn their users into points, and the first finds groups among its users, a sample of all. Each user then gets
// the nearest group: pieces made later know the groups, users of others get them where pieces are joined.

import { plural } from '../base/plural.ts';
import type { ClusteringParameters } from '../domain/insight-request.ts';
import { JobFailure } from '../domain/job.ts';
import type { PieceSteps } from '../pieces/one-piece.ts';
import type { Piece } from '../pieces/piece.ts';
import { joinedNumbers, joinUsers, PIECE_USER_FILES, usersIn, writePieceUsers } from '../pieces/piece-users.ts';
import { publishResult } from '../results/publish-result.ts';
import { linkSecret } from '../results/result-link.ts';
import { type ClusteringFacts, groupsOfUsers, putIntoGroups } from './clustering/assign-users.ts';
import { type OrderedGroups, orderBySize } from './clustering/by-size.ts';
import { POINTS_FILE, writeUserPoints } from './clustering/point-files.ts';
import { findSampledGroups, readSampledGroups, type SampledGroups } from './clustering/sampled-groups.ts';
import { clusteringMessage, clusteringWriters, GROUP_TOO_SMALL, NO_HISTORY } from './clustering/write-clusters.ts';
import {
  type InsightResult,
  type InsightRun,
  openTastes,
  type PieceRun,
  resultHead,
  scanUsers,
  withEvents,
} from './insight-run.ts';

const BATCH_USERS = 4096;

/** `sampleUsers`: number of users on which groups are found. */
export function clusteringSteps(sampleUsers: number): PieceSteps<InsightRun, ClusteringFacts, InsightResult> {
  return {
    work: readUsers,
    lead: { work: findGroups, users: sampleUsers, share: 0.4 },
    join: joinPoints,
    workShare: 0.4,
  };
}

async function readUsers(run: PieceRun): Promise<ClusteringFacts> {
  const facts = await readPoints(run);
  const { first } = run;
  if (!first) return facts;
  const { groups } = await run.opened.once('groups', () => readSampledGroups(first));
  return putIntoGroups(run.folder, facts, groups, run.signal);
}

async function findGroups(run: PieceRun, piece: Piece<ClusteringFacts>): Promise<ClusteringFacts> {
  const { groups, files } = await findSampledGroups(run, piece);
  const facts = await putIntoGroups(run.folder, piece.facts, groups, run.signal);
  return { ...facts, files: [...facts.files, ...files] };
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
    parameters,
    labels,
    userIds,
    silhouette,
    tried,
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

/** Labels of all users, and how many each group has. */
async function groupUsers(
  { signal }: InsightRun,
  pieces: readonly Piece<ClusteringFacts>[],
  groups: SampledGroups['groups'],
): Promise<OrderedGroups & { labels: Int32Array }> {
  const users = pieces.reduce((sum, { facts }) => sum + usersIn(facts.users), 0);
  if (users === 0) {
    throw new JobFailure('NO_USERS', 'The project has no users: neither the user dataset nor the events name any.');
  }
  const numberOf = joinedNumbers(pieces.map(({ facts }) => facts.users));
  const labels = new Int32Array(users);
  const sizes = new Float64Array(groups.length);
  for (const [number, piece] of pieces.entries()) {
    const found = await groupsOfUsers(piece, groups, signal);
    for (let user = 0; user < found.length; user++) {
      labels[numberOf(number, user)] = found[user];
      if (found[user] >= 0) sizes[found[user]]++;
    }
  }
  return { labels, ...orderBySize(labels, sizes) };
}
