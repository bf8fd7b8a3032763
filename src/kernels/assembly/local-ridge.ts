// Local ridge regression. For each item j: N = the K items with the largest rhs_ij · pick_i among row j of `rhs`; solve
// (G[N,N] + λ I) w = rhs[N] by Cholesky. G is symmetric, given as rows of its largest entries; an entry that is in one of
// its two rows counts for both. Several λ share one look-up of G[N,N].
import { selectTop } from './select';
import { dot } from './vector';

/**
 * Lower Cholesky factor in place (rows `stride` floats apart). The reciprocal of each pivot replaces the diagonal. A pivot
 * below `floor` is raised to it, so that no NaN comes out of a matrix that is not quite positive.
 * Two rows are solved against four earlier rows at a time: six loads for eight multiply-adds.
 */
function choleskyInPlace(a: usize, n: u32, stride: u32, floor: f32): void {
  const rowBytes = <usize>stride << 2;
  for (let r: u32 = 0; r < n; r += 2) {
    const row = a + <usize>r * rowBytes;
    let c: u32 = 0;
    if (r + 1 < n) for (; c + 4 <= r; c += 4) solveTwo(a, row, row + rowBytes, c, rowBytes);
    finishRow(a, r, c, rowBytes, floor);
    if (r + 1 < n) finishRow(a, r + 1, c, rowBytes, floor);
  }
}

/** What is left of row r from column c on, and its pivot. */
function finishRow(a: usize, r: u32, c: u32, rowBytes: usize, floor: f32): void {
  const row = a + <usize>r * rowBytes;
  for (; c + 4 <= r; c += 4) solveTwo(a, row, row, c, rowBytes);
  for (; c < r; c++) {
    const other = a + <usize>c * rowBytes;
    const at = row + (<usize>c << 2);
    store<f32>(at, (load<f32>(at) - dot(row, other, c)) * load<f32>(other + (<usize>c << 2)));
  }
  const diagonal = row + (<usize>r << 2);
  const pivot = load<f32>(diagonal) - dot(row, row, r);
  store<f32>(diagonal, <f32>1 / sqrt(pivot > floor ? pivot : floor));
}

/** Columns c … c + 3 of two rows; the two may be one. */
function solveTwo(a: usize, first: usize, second: usize, c: u32, rowBytes: usize): void {
  const r0 = a + <usize>c * rowBytes;
  const r1 = r0 + rowBytes;
  const r2 = r1 + rowBytes;
  const r3 = r2 + rowBytes;
  let s0 = f32x4.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  let t0 = s0;
  let t1 = s0;
  let t2 = s0;
  let t3 = s0;
  const bytes = <usize>c << 2;
  for (let k: usize = 0; k < bytes; k += 16) {
    const x = v128.load(first + k);
    const y = v128.load(second + k);
    let v = v128.load(r0 + k);
    s0 = f32x4.relaxed_madd(x, v, s0);
    t0 = f32x4.relaxed_madd(y, v, t0);
    v = v128.load(r1 + k);
    s1 = f32x4.relaxed_madd(x, v, s1);
    t1 = f32x4.relaxed_madd(y, v, t1);
    v = v128.load(r2 + k);
    s2 = f32x4.relaxed_madd(x, v, s2);
    t2 = f32x4.relaxed_madd(y, v, t2);
    v = v128.load(r3 + k);
    s3 = f32x4.relaxed_madd(x, v, s3);
    t3 = f32x4.relaxed_madd(y, v, t3);
  }
  // Both are read before either is written, as they may be one row.
  const left = f32x4.sub(v128.load(first + bytes), fourSums(s0, s1, s2, s3));
  const right = f32x4.sub(v128.load(second + bytes), fourSums(t0, t1, t2, t3));
  solveFour(first + bytes, left, r0 + bytes, rowBytes);
  solveFour(second + bytes, right, r0 + bytes, rowBytes);
}

/** The sums of the lanes of four vectors, side by side; each as horizontalSum adds. */
// @ts-ignore: decorator
@inline
function fourSums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 1, 4, 5), v128.shuffle<f32>(a, b, 2, 3, 6, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 1, 4, 5), v128.shuffle<f32>(c, d, 2, 3, 6, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 2, 4, 6), v128.shuffle<f32>(ab, cd, 1, 3, 5, 7));
}

/** out ← rest · T⁻ᵀ, T the triangle of four rows whose diagonal holds reciprocals. */
// @ts-ignore: decorator
@inline
function solveFour(out: usize, rest: v128, triangle: usize, rowBytes: usize): void {
  const t1 = triangle + rowBytes;
  const t2 = t1 + rowBytes;
  const t3 = t2 + rowBytes;
  const x0 = f32x4.extract_lane(rest, 0) * load<f32>(triangle);
  const x1 = (f32x4.extract_lane(rest, 1) - x0 * load<f32>(t1)) * load<f32>(t1, 4);
  const x2 = (f32x4.extract_lane(rest, 2) - x0 * load<f32>(t2) - x1 * load<f32>(t2, 4)) * load<f32>(t2, 8);
  const x3 =
    (f32x4.extract_lane(rest, 3) - x0 * load<f32>(t3) - x1 * load<f32>(t3, 4) - x2 * load<f32>(t3, 8)) * load<f32>(t3, 12);
  store<f32>(out, x0);
  store<f32>(out, x1, 4);
  store<f32>(out, x2, 8);
  store<f32>(out, x3, 12);
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
 * Column j of W goes to outColumns/outValues[λ] at j·K; outCounts[j] says how many, and on entry how many there may be.
 * scratch: items u16 (marks, zero on entry and on return; rounded up to 16 bytes), then the larger slot f32, K u32,
 * 2·K·stride f32, K f32; stride = K rounded up to 4.
 */
export function localRidgeRows(
  gramCounts: usize, gramColumns: usize, gramValues: usize, gramSlot: u32, diagonal: usize, diagonalStride: u32,
  rhsCounts: usize, rhsColumns: usize, rhsValues: usize, rhsSlot: u32, pick: usize,
  itemCount: u32, neighbors: u32, lambdaCount: u32, lambdas: usize,
  outCounts: usize, outColumns: usize, outValues: usize, outValuesStride: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const stride = (neighbors + 3) & ~3;
  const marks = scratch;
  const picks = marks + ((<usize>itemCount * 2 + 15) & ~15);
  const chosen = picks + (<usize>max(rhsSlot, gramSlot) << 2);
  const gram = (chosen + (<usize>neighbors << 2) + 15) & ~15;
  const factor = gram + ((<usize>neighbors * <usize>stride) << 2);
  const solution = factor + ((<usize>neighbors * <usize>stride) << 2);
  for (let j = from; j < to; j++) {
    const rhsBase = <usize>j * <usize>rhsSlot;
    const rhsCount = load<u32>(rhsCounts + (<usize>j << 2));
    for (let t: u32 = 0; t < rhsCount; t++) {
      const at = (rhsBase + t) << 2;
      const i = load<u32>(rhsColumns + at);
      store<f32>(picks + (<usize>t << 2), load<f32>(rhsValues + at) * load<f32>(pick + (<usize>i << 2)));
    }
    const n = selectTop(picks, rhsCount, min(neighbors, load<u32>(outCounts + (<usize>j << 2))), chosen);
    store<u32>(outCounts + (<usize>j << 2), n);
    const outBase = <usize>j * <usize>neighbors;
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
