// The group of every user: the nearest center, block after block of users, and groups in the order of their size.
import type { KernelPool } from '../../kernels/kernel-pool.ts';
import { type OrderedGroups, orderBySize } from './by-size.ts';
import { kernelAssign } from './kernel-assign.ts';
import type { StoredPoints } from './point-files.ts';

export interface AssignedUsers extends OrderedGroups {
  /** group of each user, 0 is the largest; `noPoint` for those without a point */
  readonly labels: Int32Array;
}

export interface AssignInput {
  readonly pool: KernelPool;
  /** blocks are on the memory of the pool */
  readonly stored: StoredPoints;
  readonly groups: { readonly k: number; readonly centroids: Float32Array };
  /** of all users, also those without a point */
  readonly users: number;
  /** below 0 */
  readonly noPoint: number;
}

export async function assignUsers(input: AssignInput): Promise<AssignedUsers> {
  const { pool, stored, groups } = input;
  const labels = new Int32Array(input.users).fill(input.noPoint);
  const sizes = new Float64Array(groups.k);
  if (groups.k === 0) return { labels, order: [], sizes: [] };
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
  return { labels, ...orderBySize(labels, sizes) };
}
