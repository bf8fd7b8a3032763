// The group of each user of a piece: the one with the nearest center. A piece that is made when the groups have been found leaves the
// groups of its users in a file; of one that has left points, they are looked up where pieces are joined.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KernelPool } from '../../kernels/kernel-pool.ts';
import type { PieceFacts } from '../../pieces/one-piece.ts';
import type { Piece } from '../../pieces/piece.ts';
import { type UserCounts, usersIn } from '../../pieces/piece-users.ts';
import { kernelAssign } from './kernel-assign.ts';
import { POINTS_FILE, storedPoints } from './point-files.ts';
import { NO_HISTORY } from './write-clusters.ts';

const LABELS_FILE = 'user-groups';
/** Users who are looked up at a time. */
const BLOCK_POINTS = 32_768;

/** What is known of a piece besides its files. */
export interface ClusteringFacts extends PieceFacts {
  readonly users: UserCounts;
  /** number of users with a taste vector */
  readonly points: number;
}

/** The centers of the groups. */
export type GroupCenters = readonly { readonly centroid: readonly number[] }[];

/** The number of the group of each user, or NO_HISTORY. */
export async function groupsOfUsers(
  piece: Piece<ClusteringFacts>,
  groups: GroupCenters,
  signal?: AbortSignal,
): Promise<Int32Array> {
  if (!piece.facts.files.includes(LABELS_FILE)) return nearestGroups(piece, groups, signal);
  const labels = new Int32Array(usersIn(piece.facts.users));
  new Uint8Array(labels.buffer).set(await readFile(await piece.file(LABELS_FILE)));
  return labels;
}

/** Replaces the points in the folder of a piece with the groups of its users. */
export async function putIntoGroups(
  folder: string,
  facts: ClusteringFacts,
  groups: GroupCenters,
  signal?: AbortSignal,
): Promise<ClusteringFacts> {
  const piece = { facts, file: async (name: string) => join(folder, name) };
  const labels = await nearestGroups(piece, groups, signal);
  await writeFile(join(folder, LABELS_FILE), labels, { flag: 'wx', mode: 0o600 });
  return { ...facts, files: [...facts.files.filter((name) => name !== POINTS_FILE), LABELS_FILE] };
}

async function nearestGroups(
  piece: Piece<ClusteringFacts>,
  groups: GroupCenters,
  signal?: AbortSignal,
): Promise<Int32Array> {
  const labels = new Int32Array(usersIn(piece.facts.users)).fill(NO_HISTORY);
  if (groups.length === 0) return labels;
  const centroids = Float32Array.from(groups.flatMap(({ centroid }) => centroid));
  const dimensions = groups[0].centroid.length;
  // Uses one thread: starting others takes longer than assigning a block.
  const pool = new KernelPool(1, signal && { signal });
  try {
    const rows = Math.min(BLOCK_POINTS, piece.facts.points);
    const stored = storedPoints(piece, { dimensions, values: pool.memory.f32(rows * dimensions) });
    for await (const { points, users } of stored.blocks()) {
      const mark = pool.memory.mark();
      const nearest = new Uint32Array(points.count);
      await kernelAssign(pool, points, groups.length)(centroids, groups.length, nearest);
      pool.memory.release(mark);
      for (const [point, group] of nearest.entries()) labels[users[point]] = group;
    }
    return labels;
  } finally {
    await pool.close();
  }
}
