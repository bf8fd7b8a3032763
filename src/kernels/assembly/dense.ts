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
    for (let k = load<u32>(offsets + (<usize>r << 2)); k < end; k++) {
      const index = <usize>load<u32>(indices + (<usize>k << 2));
      addScaled(row, dense + index * bytes, bytes, load<f32>(weights + (<usize>k << 2)) * load<f32>(inScales + (index << 2)));
    }
    scaleRow(row, bytes, load<f32>(rowScales + (<usize>r << 2)));
  }
}

/** The same for the transposed matrix: row r's entries are places entries[k] with weight[place], dense row users[place]. */
export function columnsTimesDense(
  offsets: usize, entries: usize, users: usize, weights: usize, rowScales: usize, inScales: usize, dense: usize, width: u32,
  out: usize, from: u32, to: u32, scratch: usize,
): void {
  const bytes = <usize>width << 2;
  for (let r = from; r < to; r++) {
    const row = out + <usize>r * bytes;
    memory.fill(row, 0, bytes);
    const end = load<u32>(offsets + (<usize>(r + 1) << 2));
    for (let k = load<u32>(offsets + (<usize>r << 2)); k < end; k++) {
      const place = <usize>load<u32>(entries + (<usize>k << 2));
      const index = <usize>load<u32>(users + (place << 2));
      addScaled(row, dense + index * bytes, bytes, load<f32>(weights + (place << 2)) * load<f32>(inScales + (index << 2)));
    }
    scaleRow(row, bytes, load<f32>(rowScales + (<usize>r << 2)));
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

// @ts-ignore: decorator
@inline
function scaleRow(row: usize, bytes: usize, factor: f32): void {
  const spread = f32x4.splat(factor);
  for (let k: usize = 0; k < bytes; k += 16) v128.store(row + k, f32x4.mul(spread, v128.load(row + k)));
}

/**
 * Partial AᵀA of the rows [from, to): goes to place from / chunkRows of out, each place width × width. Only what stands on or
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
