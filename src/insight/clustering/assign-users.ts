// The group of every user: the nearest center, block after block of users, and groups in the order of their size.
import type { KernelPool } from '../../kernels/kernel-pool.ts';
import { kernelAssign } from './kernel-assign.ts';
import type { StoredPoints } from './point-files.ts';

export interface AssignedUsers {
  /** group of each user, 0 is the largest; `noPoint` for those without a point */
  readonly labels: Int32Array;
  /** largest first, none is empty */
  readonly sizes: readonly number[];
}

export interface AssignInput {
  readonly pool: KernelPool;
  /** blocks are on the memory of the pool */
  readonly stored: StoredPoints;
  readonly groups: { readonly k: number; readonly centroids: Float32Array };
  /** of all users, also those without a point */
  readonly users: number;
  readonly noPoint: number;
}

export async function assignUsers(input: AssignInput): Promise<AssignedUsers> {
  const { pool, stored, groups } = input;
  const labels = new Int32Array(input.users).fill(input.noPoint);
  const sizes = new Float64Array(groups.k);
  for await (const { points, users } of stored.blocks()) {
    const mark = pool.memory.mark();
    const nearest = new Uint32Array(points.count);
    await kernelAssign(pool, points, groups.k)(groups.centroids, groups.k, nearest);
    pool.memory.release(mark);
    for (const [point, group] of nearest.entries()) {
      labels[users[point]] = group;
      sizes[group]++;
    }
  }
  return bySize(labels, sizes);
}

function bySize(labels: Int32Array, sizes: Float64Array): AssignedUsers {
  const order = [...sizes.keys()].filter((group) => sizes[group] > 0).sort((a, b) => sizes[b] - sizes[a] || a - b);
  const renamed = new Int32Array(sizes.length);
  for (const [place, group] of order.entries()) renamed[group] = place;
  for (let user = 0; user < labels.length; user++) if (labels[user] >= 0) labels[user] = renamed[labels[user]];
  return { labels, sizes: order.map((group) => sizes[group]) };
}
