// k-means' assignment step on all threads (kernels/assembly/nearest-centroid.ts). Says the same as plainAssign, the plain twin.
import type { KernelPool } from '../../kernels/kernel-pool.ts';
import { type Assign, addPart, blockRows, emptyAssignment } from './k-means.ts';
import type { Points } from './points.ts';

const PANEL = 8;
/** A centroid that pads the last panel is farther than any point can be. */
const FAR = 3e38;

/** `points.values` is on the pool's memory, with padded dimensions. Serves up to `maxGroups` groups. */
export function kernelAssign(pool: KernelPool, points: Points, maxGroups: number): Assign {
  const { memory } = pool;
  const { count, dimensions, values } = points;
  if (dimensions % 4 !== 0) throw new Error('points for the kernel have a multiple of four dimensions');
  const rows = blockRows(count);
  const blocks = Math.ceil(count / rows);
  const maxPanels = Math.ceil(maxGroups / PANEL);
  const panels = memory.f32(maxPanels * PANEL * dimensions);
  const norms = memory.f32(maxPanels * PANEL);
  const labels = memory.u32(count);
  const distances = memory.f32(count);
  const f64 = (length: number) => {
    // Allocates first and then takes the buffer: allocating may grow the memory, which replaces its buffer.
    const { buffer, byteOffset } = memory.u8(length * 8);
    return new Float64Array(buffer, byteOffset, length);
  };
  const sums = f64(blocks * maxGroups * dimensions);
  const sizes = memory.u32(blocks * maxGroups);
  const stats = f64(blocks * 2);
  return async (centroids, k, callerLabels) => {
    const panelCount = Math.ceil(k / PANEL);
    norms.fill(FAR);
    panels.fill(0, 0, panelCount * PANEL * dimensions);
    for (let group = 0; group < k; group++) {
      const start = Math.floor(group / PANEL) * dimensions * PANEL + (group % PANEL);
      let norm = 0;
      for (let d = 0; d < dimensions; d++) {
        const value = centroids[group * dimensions + d];
        panels[start + d * PANEL] = value;
        norm += value * value;
      }
      norms[group] = norm;
    }
    labels.set(callerLabels);
    const args = [values, dimensions, panels, norms, panelCount, k, labels, distances, sums, sizes, stats, rows];
    await pool.run('nearestCentroids', args, { rows: count, scratchBytes: 0, chunkRows: rows });
    callerLabels.set(labels);
    const total = emptyAssignment(k, dimensions, distances);
    for (let block = 0; block < blocks; block++) {
      const cells = k * dimensions;
      addPart(total, sums.subarray(block * cells, (block + 1) * cells), {
        sizes: Float64Array.from(sizes.subarray(block * k, (block + 1) * k)),
        inertia: stats[block * 2],
        moved: stats[block * 2 + 1],
      });
    }
    return total;
  };
}
