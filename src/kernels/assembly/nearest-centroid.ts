// k-means' assignment step: the nearest centroid of each point and the sums of each group.
//
// |x − c|² = |x|² − 2 x·c + |c|²: the products of four points with eight centroids are formed at a time, in eight registers.
// Centroids come in panels of eight, interleaved: panel p, dimension d, lane n is centroid 8p + n. Sums are kept per block of
// rows (a chunk of the pool is one block), so that adding them in the order of blocks gives the same on any number of threads.
import { horizontalSum } from './vector';

/**
 * points: rows × dims (dims a multiple of 4); panels, norms: centroids, padded to a multiple of eight with a huge norm;
 * sums: blocks × k × dims f64; sizes: blocks × k; stats: blocks × (sum of squared distances, points that moved) f64.
 */
export function nearestCentroids(
  points: usize, dims: u32, panels: usize, norms: usize, panelCount: u32, k: u32, labels: usize, distances: usize,
  sums: usize, sizes: usize, stats: usize, blockRows: u32,
  from: u32, to: u32, scratch: usize,
): void {
  const block = <usize>(from / blockRows);
  const blockSums = sums + ((block * <usize>k * <usize>dims) << 3);
  const blockSizes = sizes + ((block * <usize>k) << 2);
  memory.fill(blockSums, 0, (<usize>k * <usize>dims) << 3);
  memory.fill(blockSizes, 0, <usize>k << 2);
  const rowBytes = <usize>dims << 2;
  let inertia: f64 = 0;
  let moved: f64 = 0;
  for (let row = from; row < to; row += 4) {
    const rows = min<u32>(4, to - row);
    // At the end of the block the last point replaces the missing ones; what it finds for them is not read.
    const p0 = points + <usize>row * rowBytes;
    const p1 = points + <usize>(row + min<u32>(1, rows - 1)) * rowBytes;
    const p2 = points + <usize>(row + min<u32>(2, rows - 1)) * rowBytes;
    const p3 = points + <usize>(row + min<u32>(3, rows - 1)) * rowBytes;
    let best0 = f32x4.splat(f32.MAX_VALUE);
    let best1 = best0;
    let best2 = best0;
    let best3 = best0;
    let at0 = i32x4.splat(0);
    let at1 = at0;
    let at2 = at0;
    let at3 = at0;
    let index = i32x4(0, 1, 2, 3);
    for (let panel: u32 = 0; panel < panelCount; panel++) {
      let c = panels + <usize>panel * (rowBytes << 3);
      let a0 = f32x4.splat(0);
      let a1 = a0;
      let a2 = a0;
      let a3 = a0;
      let b0 = a0;
      let b1 = a0;
      let b2 = a0;
      let b3 = a0;
      for (let d: usize = 0; d < rowBytes; d += 4) {
        const left = v128.load(c);
        const right = v128.load(c, 16);
        c += 32;
        let x = v128.load_splat<f32>(p0 + d);
        a0 = f32x4.relaxed_madd(x, left, a0);
        b0 = f32x4.relaxed_madd(x, right, b0);
        x = v128.load_splat<f32>(p1 + d);
        a1 = f32x4.relaxed_madd(x, left, a1);
        b1 = f32x4.relaxed_madd(x, right, b1);
        x = v128.load_splat<f32>(p2 + d);
        a2 = f32x4.relaxed_madd(x, left, a2);
        b2 = f32x4.relaxed_madd(x, right, b2);
        x = v128.load_splat<f32>(p3 + d);
        a3 = f32x4.relaxed_madd(x, left, a3);
        b3 = f32x4.relaxed_madd(x, right, b3);
      }
      const minusTwo = f32x4.splat(-2);
      for (let half: u32 = 0; half < 2; half++) {
        const norm = v128.load(norms + ((<usize>panel * 8 + <usize>half * 4) << 2));
        let value = f32x4.relaxed_madd(minusTwo, half == 0 ? a0 : b0, norm);
        let nearer = f32x4.lt(value, best0);
        best0 = v128.bitselect(value, best0, nearer);
        at0 = v128.bitselect(index, at0, nearer);
        value = f32x4.relaxed_madd(minusTwo, half == 0 ? a1 : b1, norm);
        nearer = f32x4.lt(value, best1);
        best1 = v128.bitselect(value, best1, nearer);
        at1 = v128.bitselect(index, at1, nearer);
        value = f32x4.relaxed_madd(minusTwo, half == 0 ? a2 : b2, norm);
        nearer = f32x4.lt(value, best2);
        best2 = v128.bitselect(value, best2, nearer);
        at2 = v128.bitselect(index, at2, nearer);
        value = f32x4.relaxed_madd(minusTwo, half == 0 ? a3 : b3, norm);
        nearer = f32x4.lt(value, best3);
        best3 = v128.bitselect(value, best3, nearer);
        at3 = v128.bitselect(index, at3, nearer);
        index = i32x4.add(index, i32x4.splat(4));
      }
    }
    for (let n: u32 = 0; n < rows; n++) {
      const best = n == 0 ? best0 : n == 1 ? best1 : n == 2 ? best2 : best3;
      const at = n == 0 ? at0 : n == 1 ? at1 : n == 2 ? at2 : at3;
      let value = f32x4.extract_lane(best, 0);
      let group = <u32>i32x4.extract_lane(at, 0);
      for (let lane: u32 = 1; lane < 4; lane++) {
        const other = lane == 1 ? f32x4.extract_lane(best, 1) : lane == 2 ? f32x4.extract_lane(best, 2) : f32x4.extract_lane(best, 3);
        const otherGroup = <u32>(
          lane == 1 ? i32x4.extract_lane(at, 1) : lane == 2 ? i32x4.extract_lane(at, 2) : i32x4.extract_lane(at, 3)
        );
        if (other < value || (other == value && otherGroup < group)) {
          value = other;
          group = otherGroup;
        }
      }
      const point = points + <usize>(row + n) * rowBytes;
      const labelAt = labels + (<usize>(row + n) << 2);
      if (load<u32>(labelAt) != group) {
        store<u32>(labelAt, group);
        moved += 1;
      }
      let square = f32x4.splat(0);
      let sum = blockSums + ((<usize>group * <usize>dims) << 3);
      for (let d: usize = 0; d < rowBytes; d += 16) {
        const x = v128.load(point + d);
        square = f32x4.relaxed_madd(x, x, square);
        v128.store(sum, f64x2.add(v128.load(sum), f64x2.promote_low_f32x4(x)));
        const high = v128.shuffle<u32>(x, x, 2, 3, 2, 3);
        v128.store(sum, f64x2.add(v128.load(sum, 16), f64x2.promote_low_f32x4(high)), 16);
        sum += 32;
      }
      const distance = max<f32>(0, horizontalSum(square) + value);
      store<f32>(distances + (<usize>(row + n) << 2), distance);
      inertia += distance;
      const sizeAt = blockSizes + (<usize>group << 2);
      store<u32>(sizeAt, load<u32>(sizeAt) + 1);
    }
  }
  store<f64>(stats + (block << 4), inertia);
  store<f64>(stats + (block << 4) + 8, moved);
}
