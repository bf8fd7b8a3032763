// Local ridge regression. For each item j: N = the K items with the largest rhs_ij · pick_i among row j of `rhs`; solve
// (G[N,N] + λ I) w = rhs[N] by Cholesky. G is symmetric, given as rows of its largest entries; an entry that stands in one of
// its two rows counts for both. Several λ share one look-up of G[N,N].
import { selectTop } from './select';
import { dot, horizontalSum } from './vector';

/**
 * Lower Cholesky factor in place (rows `stride` floats apart). The reciprocal of each pivot replaces the diagonal. A pivot
 * below `floor` is raised to it, so that no NaN comes out of a matrix that is not quite positive.
 * Row r is solved against four earlier rows at a time: five loads for four multiply-adds.
 */
function choleskyInPlace(a: usize, n: u32, stride: u32, floor: f32): void {
  const rowBytes = <usize>stride << 2;
  for (let r: u32 = 0; r < n; r++) {
    const row = a + <usize>r * rowBytes;
    let c: u32 = 0;
    for (; c + 4 <= r; c += 4) {
      const r0 = a + <usize>c * rowBytes;
      const r1 = r0 + rowBytes;
      const r2 = r1 + rowBytes;
      const r3 = r2 + rowBytes;
      let s0 = f32x4.splat(0);
      let s1 = s0;
      let s2 = s0;
      let s3 = s0;
      const bytes = <usize>c << 2;
      for (let k: usize = 0; k < bytes; k += 16) {
        const x = v128.load(row + k);
        s0 = f32x4.relaxed_madd(x, v128.load(r0 + k), s0);
        s1 = f32x4.relaxed_madd(x, v128.load(r1 + k), s1);
        s2 = f32x4.relaxed_madd(x, v128.load(r2 + k), s2);
        s3 = f32x4.relaxed_madd(x, v128.load(r3 + k), s3);
      }
      const at = row + bytes;
      const x0 = (load<f32>(at) - horizontalSum(s0)) * load<f32>(r0 + bytes);
      const x1 = (load<f32>(at, 4) - horizontalSum(s1) - x0 * load<f32>(r1 + bytes)) * load<f32>(r1 + bytes, 4);
      const x2 =
        (load<f32>(at, 8) - horizontalSum(s2) - x0 * load<f32>(r2 + bytes) - x1 * load<f32>(r2 + bytes, 4)) *
        load<f32>(r2 + bytes, 8);
      const x3 =
        (load<f32>(at, 12) - horizontalSum(s3) - x0 * load<f32>(r3 + bytes) - x1 * load<f32>(r3 + bytes, 4) -
          x2 * load<f32>(r3 + bytes, 8)) * load<f32>(r3 + bytes, 12);
      store<f32>(at, x0);
      store<f32>(at, x1, 4);
      store<f32>(at, x2, 8);
      store<f32>(at, x3, 12);
    }
    for (; c < r; c++) {
      const other = a + <usize>c * rowBytes;
      const at = row + (<usize>c << 2);
      store<f32>(at, (load<f32>(at) - dot(row, other, c)) * load<f32>(other + (<usize>c << 2)));
    }
    const diagonal = row + (<usize>r << 2);
    const pivot = load<f32>(diagonal) - dot(row, row, r);
    store<f32>(diagonal, <f32>1 / sqrt(pivot > floor ? pivot : floor));
  }
}

/** x ← (L Lᵀ)⁻¹ x for a factor made by `choleskyInPlace`. */
function solveInPlace(a: usize, n: u32, stride: u32, x: usize): void {
  const rowBytes = <usize>stride << 2;
  for (let r: u32 = 0; r < n; r++) {
    const row = a + <usize>r * rowBytes;
    const at = x + (<usize>r << 2);
    store<f32>(at, (load<f32>(at) - dot(row, x, r)) * load<f32>(row + (<usize>r << 2)));
  }
  for (let r = <i32>n - 1; r >= 0; r--) {
    const row = a + <usize>r * rowBytes;
    const at = x + (<usize>r << 2);
    const value = load<f32>(at) * load<f32>(row + (<usize>r << 2));
    store<f32>(at, value);
    const spread = f32x4.splat(-value);
    const bytes = <usize>r << 2;
    let k: usize = 0;
    for (; k + 16 <= bytes; k += 16) {
      v128.store(x + k, f32x4.relaxed_madd(spread, v128.load(row + k), v128.load(x + k)));
    }
    for (; k < bytes; k += 4) store<f32>(x + k, load<f32>(x + k) - value * load<f32>(row + k));
  }
}

/**
 * Column j of W goes to outColumns/outValues[λ] at j·K; outCounts[j] says how many.
 * scratch: items u16 (marks, zero on entry and on return; rounded up to 16 bytes), then the larger slot f32, K u32,
 * 2·K·stride f32, K f32; stride = K rounded up to 4.
 */
export function localRidgeRows(
  gramCounts: usize, gramColumns: usize, gramValues: usize, gramSlot: u32, diagonal: usize, diagonalStride: u32,
  rhsCounts: usize, rhsColumns: usize, rhsValues: usize, rhsSlot: u32, pick: usize,
  itemCount: u32, neighbours: u32, lambdaCount: u32, lambdas: usize,
  outCounts: usize, outColumns: usize, outValues: usize, outValuesStride: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const stride = (neighbours + 3) & ~3;
  const marks = scratch;
  const picks = marks + ((<usize>itemCount * 2 + 15) & ~15);
  const chosen = picks + (<usize>max(rhsSlot, gramSlot) << 2);
  const gram = (chosen + (<usize>neighbours << 2) + 15) & ~15;
  const factor = gram + ((<usize>neighbours * <usize>stride) << 2);
  const solution = factor + ((<usize>neighbours * <usize>stride) << 2);
  for (let j = from; j < to; j++) {
    const rhsBase = <usize>j * <usize>rhsSlot;
    const rhsCount = load<u32>(rhsCounts + (<usize>j << 2));
    for (let t: u32 = 0; t < rhsCount; t++) {
      const at = (rhsBase + t) << 2;
      const i = load<u32>(rhsColumns + at);
      store<f32>(picks + (<usize>t << 2), load<f32>(rhsValues + at) * load<f32>(pick + (<usize>i << 2)));
    }
    const n = selectTop(picks, rhsCount, neighbours, chosen);
    store<u32>(outCounts + (<usize>j << 2), n);
    const outBase = <usize>j * <usize>neighbours;
    const rowBytes = <usize>stride << 2;
    memory.fill(gram, 0, <usize>n * rowBytes);
    for (let r: u32 = 0; r < n; r++) {
      const i = load<u32>(rhsColumns + ((rhsBase + load<u32>(chosen + (<usize>r << 2))) << 2));
      store<u32>(outColumns + ((outBase + r) << 2), i);
      store<u16>(marks + (<usize>i << 1), <u16>(r + 1));
    }
    for (let r: u32 = 0; r < n; r++) {
      const i = load<u32>(outColumns + ((outBase + r) << 2));
      const base = (<usize>i * <usize>gramSlot) << 2;
      const end = base + (<usize>load<u32>(gramCounts + (<usize>i << 2)) << 2);
      const row = gram + <usize>r * rowBytes;
      const column = gram + (<usize>r << 2);
      // First which entries are wanted: whether one is cannot be foretold, so each is written and only the count decides.
      let wanted = picks;
      for (let at = base; at < end; at += 4) {
        store<u32>(wanted, <u32>at);
        wanted += <usize>(load<u16>(marks + (<usize>load<u32>(gramColumns + at) << 1)) != 0) << 2;
      }
      for (let n = picks; n < wanted; n += 4) {
        const at = <usize>load<u32>(n);
        const place = <usize>load<u16>(marks + (<usize>load<u32>(gramColumns + at) << 1)) - 1;
        const value = load<f32>(gramValues + at);
        store<f32>(row + (place << 2), value);
        store<f32>(column + place * rowBytes, value);
      }
      store<f32>(row + (<usize>r << 2), load<f32>(diagonal + <usize>i * <usize>diagonalStride));
    }
    for (let r: u32 = 0; r < n; r++) {
      store<u16>(marks + (<usize>load<u32>(outColumns + ((outBase + r) << 2)) << 1), 0);
    }
    for (let l: u32 = 0; l < lambdaCount; l++) {
      const lambda = load<f32>(lambdas + (<usize>l << 2));
      memory.copy(factor, gram, <usize>n * rowBytes);
      for (let r: u32 = 0; r < n; r++) {
        const at = factor + <usize>r * rowBytes + (<usize>r << 2);
        store<f32>(at, load<f32>(at) + lambda);
        store<f32>(
          solution + (<usize>r << 2),
          load<f32>(rhsValues + ((rhsBase + load<u32>(chosen + (<usize>r << 2))) << 2)),
        );
      }
      choleskyInPlace(factor, n, stride, lambda * 0.001);
      solveInPlace(factor, n, stride, solution);
      const out = outValues + <usize>l * outValuesStride + (outBase << 2);
      memory.copy(out, solution, <usize>n << 2);
    }
  }
}
