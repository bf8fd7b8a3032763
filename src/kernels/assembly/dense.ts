// Products with tall dense matrices (rows × width, width a multiple of four), for low-rank factors.

/** out[r] = rowScale[r] · Σ over entries k of row r: weight[k] · inScale[index[k]] · dense[index[k]]. */
export function rowsTimesDense(
  offsets: usize, indices: usize, weights: usize, rowScales: usize, inScales: usize, dense: usize, width: u32, out: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const bytes = <usize>width << 2;
  for (let r = from; r < to; r++) {
    const row = out + <usize>r * bytes;
    memory.fill(row, 0, bytes);
    const end = load<u32>(offsets + (<usize>(r + 1) << 2));
    let k = load<u32>(offsets + (<usize>r << 2));
    for (; k + 4 <= end; k += 4) {
      const at = <usize>k << 2;
      const i0 = <usize>load<u32>(indices + at);
      const i1 = <usize>load<u32>(indices + at, 4);
      const i2 = <usize>load<u32>(indices + at, 8);
      const i3 = <usize>load<u32>(indices + at, 12);
      addFourScaled(
        row, bytes,
        dense + i0 * bytes, load<f32>(weights + at) * load<f32>(inScales + (i0 << 2)),
        dense + i1 * bytes, load<f32>(weights + at, 4) * load<f32>(inScales + (i1 << 2)),
        dense + i2 * bytes, load<f32>(weights + at, 8) * load<f32>(inScales + (i2 << 2)),
        dense + i3 * bytes, load<f32>(weights + at, 12) * load<f32>(inScales + (i3 << 2)),
      );
    }
    for (; k < end; k++) {
      const index = <usize>load<u32>(indices + (<usize>k << 2));
      addScaled(row, dense + index * bytes, bytes, load<f32>(weights + (<usize>k << 2)) * load<f32>(inScales + (index << 2)));
    }
    scaleRow(row, bytes, load<f32>(rowScales + (<usize>r << 2)));
  }
}

/**
 * The same for the transposed matrix: row r's entries are places entries[k] with weight[place], dense row users[k]. Blocks of users
 * add to `out` in their order: the first begins it, the last scales it.
 */
export function columnsTimesDense(
  offsets: usize, entries: usize, users: usize, weights: usize, rowScales: usize, inScales: usize, dense: usize, width: u32,
  out: usize, isFirst: u32, isLast: u32, from: u32, to: u32, scratch: usize,
): void {
  const bytes = <usize>width << 2;
  for (let r = from; r < to; r++) {
    const row = out + <usize>r * bytes;
    if (isFirst) memory.fill(row, 0, bytes);
    const end = load<u32>(offsets + (<usize>(r + 1) << 2));
    let k = load<u32>(offsets + (<usize>r << 2));
    for (; k + 4 <= end; k += 4) {
      const at = entries + (<usize>k << 2);
      const p0 = <usize>load<u32>(at) << 2;
      const p1 = <usize>load<u32>(at, 4) << 2;
      const p2 = <usize>load<u32>(at, 8) << 2;
      const p3 = <usize>load<u32>(at, 12) << 2;
      const own = users + (<usize>k << 2);
      const i0 = <usize>load<u32>(own);
      const i1 = <usize>load<u32>(own, 4);
      const i2 = <usize>load<u32>(own, 8);
      const i3 = <usize>load<u32>(own, 12);
      addFourScaled(
        row, bytes,
        dense + i0 * bytes, load<f32>(weights + p0) * load<f32>(inScales + (i0 << 2)),
        dense + i1 * bytes, load<f32>(weights + p1) * load<f32>(inScales + (i1 << 2)),
        dense + i2 * bytes, load<f32>(weights + p2) * load<f32>(inScales + (i2 << 2)),
        dense + i3 * bytes, load<f32>(weights + p3) * load<f32>(inScales + (i3 << 2)),
      );
    }
    for (; k < end; k++) {
      const place = <usize>load<u32>(entries + (<usize>k << 2));
      const index = <usize>load<u32>(users + (<usize>k << 2));
      addScaled(row, dense + index * bytes, bytes, load<f32>(weights + (place << 2)) * load<f32>(inScales + (index << 2)));
    }
    if (isLast) scaleRow(row, bytes, load<f32>(rowScales + (<usize>r << 2)));
  }
}

// @ts-ignore: decorator
@inline
function addScaled(row: usize, other: usize, bytes: usize, factor: f32): void {
  const spread = f32x4.splat(factor);
  for (let k: usize = 0; k < bytes; k += 16) {
    v128.store(row + k, f32x4.relaxed_madd(spread, v128.load(other + k), v128.load(row + k)));
  }
}

/** Four at once, in their order: the row is loaded and stored once, and four others are fetched side by side. */
// @ts-ignore: decorator
@inline
function addFourScaled(
  row: usize, bytes: usize, r0: usize, f0: f32, r1: usize, f1: f32, r2: usize, f2: f32, r3: usize, f3: f32,
): void {
  const s0 = f32x4.splat(f0);
  const s1 = f32x4.splat(f1);
  const s2 = f32x4.splat(f2);
  const s3 = f32x4.splat(f3);
  for (let k: usize = 0; k < bytes; k += 16) {
    let sum = f32x4.relaxed_madd(s0, v128.load(r0 + k), v128.load(row + k));
    sum = f32x4.relaxed_madd(s1, v128.load(r1 + k), sum);
    sum = f32x4.relaxed_madd(s2, v128.load(r2 + k), sum);
    v128.store(row + k, f32x4.relaxed_madd(s3, v128.load(r3 + k), sum));
  }
}

// @ts-ignore: decorator
@inline
function scaleRow(row: usize, bytes: usize, factor: f32): void {
  const spread = f32x4.splat(factor);
  for (let k: usize = 0; k < bytes; k += 16) v128.store(row + k, f32x4.mul(spread, v128.load(row + k)));
}

/**
 * Partial AᵀA of the rows [from, to): goes to place from / chunkRows of out, each place width × width. Only what is on or
 * right of the diagonal is made: the other half mirrors it. Four rows and two of their values are taken at once, so that a
 * sum is loaded and stored once for eight products.
 */
export function gramOfTall(
  tall: usize, width: u32, chunkRows: u32, out: usize, from: u32, to: u32, scratch: usize,
): void {
  const bytes = <usize>width << 2;
  const gram = out + <usize>(from / chunkRows) * <usize>width * bytes;
  memory.fill(gram, 0, <usize>width * bytes);
  let r = from;
  for (; r + 4 <= to; r += 4) {
    const r0 = tall + <usize>r * bytes;
    for (let a: usize = 0; a < bytes; a += 8) {
      addFour(gram + a * <usize>width, r0, bytes, a, bytes);
    }
  }
  for (; r < to; r++) {
    const row = tall + <usize>r * bytes;
    for (let a: usize = 0; a < bytes; a += 4) addScaled(gram + a * <usize>width, row, bytes, load<f32>(row + a));
  }
}

/** sums[0] += Σ_n row_n[a] · row_n and sums[1] += Σ_n row_n[a + 1] · row_n over four rows, from the block of a on. */
// @ts-ignore: decorator
@inline
function addFour(sums: usize, rows: usize, stride: usize, a: usize, bytes: usize): void {
  const rows1 = rows + stride;
  const rows2 = rows1 + stride;
  const rows3 = rows2 + stride;
  const a0 = v128.load32_splat(rows + a);
  const a1 = v128.load32_splat(rows1 + a);
  const a2 = v128.load32_splat(rows2 + a);
  const a3 = v128.load32_splat(rows3 + a);
  const b0 = v128.load32_splat(rows + a, 4);
  const b1 = v128.load32_splat(rows1 + a, 4);
  const b2 = v128.load32_splat(rows2 + a, 4);
  const b3 = v128.load32_splat(rows3 + a, 4);
  for (let k = a & ~15; k < bytes; k += 16) {
    const v0 = v128.load(rows + k);
    const v1 = v128.load(rows1 + k);
    const v2 = v128.load(rows2 + k);
    const v3 = v128.load(rows3 + k);
    const at = sums + k;
    const below = at + bytes;
    v128.store(at, f32x4.relaxed_madd(a0, v0, f32x4.relaxed_madd(a1, v1,
      f32x4.relaxed_madd(a2, v2, f32x4.relaxed_madd(a3, v3, v128.load(at))))));
    v128.store(below, f32x4.relaxed_madd(b0, v0, f32x4.relaxed_madd(b1, v1,
      f32x4.relaxed_madd(b2, v2, f32x4.relaxed_madd(b3, v3, v128.load(below))))));
  }
}

/** out[r] = tall[r] · upper, upper width × width with nothing left of its diagonal. Four rows at once, as above. */
export function tallTimesUpper(
  tall: usize, width: u32, upper: usize, out: usize, from: u32, to: u32, scratch: usize,
): void {
  const bytes = <usize>width << 2;
  memory.fill(out + <usize>from * bytes, 0, <usize>(to - from) * bytes);
  let r = from;
  for (; r + 4 <= to; r += 4) {
    const rows = tall + <usize>r * bytes;
    const sums = out + <usize>r * bytes;
    for (let a: usize = 0; a < bytes; a += 4) {
      const a0 = v128.load32_splat(rows + a);
      const a1 = v128.load32_splat(rows + bytes + a);
      const a2 = v128.load32_splat(rows + 2 * bytes + a);
      const a3 = v128.load32_splat(rows + 3 * bytes + a);
      const source = upper + a * <usize>width;
      for (let k = a & ~15; k < bytes; k += 16) {
        const v = v128.load(source + k);
        const at = sums + k;
        v128.store(at, f32x4.relaxed_madd(a0, v, v128.load(at)));
        v128.store(at + bytes, f32x4.relaxed_madd(a1, v, v128.load(at + bytes)));
        v128.store(at + 2 * bytes, f32x4.relaxed_madd(a2, v, v128.load(at + 2 * bytes)));
        v128.store(at + 3 * bytes, f32x4.relaxed_madd(a3, v, v128.load(at + 3 * bytes)));
      }
    }
  }
  for (; r < to; r++) {
    const row = tall + <usize>r * bytes;
    const sums = out + <usize>r * bytes;
    for (let a: usize = 0; a < bytes; a += 4) addScaled(sums, upper + a * <usize>width, bytes, load<f32>(row + a));
  }
}
