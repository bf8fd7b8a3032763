// The blend search works on columns: places are the candidates of all validation users, one user after the other, each user
// padded to a multiple of four. A lane's column holds f(share) of every place, z their weighted sum.
import { logOf } from './score';

/** Columns out of what `collectCandidates` made: out[lane · total + place] = f(share); padding gets 0. */
export function shareColumns(
  counts: usize, shares: usize, slot: u32, lanes: u32, usedLanes: u32, c: f32, placeOffsets: usize, total: u32, out: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const inverseC = f32x4.splat(c > 0 ? <f32>1 / c : 0);
  const scale = c > 0 ? f32x4.splat(<f32>1 / f32x4.extract_lane(logOf(f32x4.splat(1), inverseC), 0)) : f32x4.splat(1);
  for (let u = from; u < to; u++) {
    const count = load<u32>(counts + (<usize>u << 2));
    const start = load<u32>(placeOffsets + (<usize>u << 2));
    const end = load<u32>(placeOffsets + (<usize>(u + 1) << 2));
    const source = shares + ((<usize>u * <usize>slot * <usize>lanes) << 2);
    for (let e: u32 = 0; e < usedLanes; e++) {
      const column = out + ((<usize>e * <usize>total + <usize>start) << 2);
      for (let n: u32 = 0; n < end - start; n++) {
        const share: f32 = n < count ? load<f32>(source + ((<usize>n * <usize>lanes + <usize>e) << 2)) : 0;
        store<f32>(column + (<usize>n << 2), share);
      }
      if (c == 0) continue;
      for (let n: usize = 0; n < <usize>(end - start) << 2; n += 16) {
        v128.store(column + n, f32x4.mul(scale, logOf(v128.load(column + n), inverseC)));
      }
    }
  }
}

/**
 * NDCG of each user under z + step · column, for several steps: out[u · stepCount + s]. A relevant place's rank is the number
 * of places above it plus half of its ties. scratch: one f32 a place of the longest user.
 */
export function trySteps(
  column: usize, z: usize, placeOffsets: usize, relevantOffsets: usize, relevant: usize, inverseIdeal: usize,
  discounts: usize, cutoff: u32, steps: usize, stepCount: u32, out: usize,
  from: u32, to: u32, scratch: usize,
): void {
  for (let u = from; u < to; u++) {
    const start = load<u32>(placeOffsets + (<usize>u << 2));
    const bytes = <usize>(load<u32>(placeOffsets + (<usize>(u + 1) << 2)) - start) << 2;
    const zs = z + (<usize>start << 2);
    const column0 = column + (<usize>start << 2);
    const firstRelevant = load<u32>(relevantOffsets + (<usize>u << 2));
    const lastRelevant = load<u32>(relevantOffsets + (<usize>(u + 1) << 2));
    for (let s: u32 = 0; s < stepCount; s++) {
      let gain: f32 = 0;
      if (firstRelevant < lastRelevant) {
        const step = v128.load32_splat(steps + (<usize>s << 2));
        for (let n: usize = 0; n < bytes; n += 16) {
          v128.store(scratch + n, f32x4.relaxed_madd(step, v128.load(column0 + n), v128.load(zs + n)));
        }
        for (let r = firstRelevant; r < lastRelevant; r++) {
          const own = v128.load32_splat(scratch + (<usize>(load<u32>(relevant + (<usize>r << 2)) - start) << 2));
          let above = i32x4.splat(0);
          let equal = i32x4.splat(0);
          for (let n: usize = 0; n < bytes; n += 16) {
            const others = v128.load(scratch + n);
            above = i32x4.sub(above, f32x4.gt(others, own));
            equal = i32x4.sub(equal, f32x4.eq(others, own));
          }
          const rank = laneSum(above) + ((laneSum(equal) - 1) >> 1);
          if (rank < <i32>cutoff) gain += load<f32>(discounts + (<usize>rank << 2));
        }
      }
      store<f32>(out + ((<usize>u * <usize>stepCount + <usize>s) << 2), gain * load<f32>(inverseIdeal + (<usize>u << 2)));
    }
  }
}

// @ts-ignore: decorator
@inline
function laneSum(v: v128): i32 {
  return (
    i32x4.extract_lane(v, 0) + i32x4.extract_lane(v, 1) + i32x4.extract_lane(v, 2) + i32x4.extract_lane(v, 3)
  );
}

/** z += step · column over the places [from, to), both multiples of four. */
export function applyStep(column: usize, z: usize, step: f32, from: u32, to: u32, scratch: usize): void {
  const spread = f32x4.splat(step);
  for (let n = <usize>from << 2; n < <usize>to << 2; n += 16) {
    v128.store(z + n, f32x4.relaxed_madd(spread, v128.load(column + n), v128.load(z + n)));
  }
}
