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

/** Partial AᵀA of the rows [from, to): goes to place from / chunkRows of out, each place width × width. */
export function gramOfTall(
  tall: usize, width: u32, chunkRows: u32, out: usize, from: u32, to: u32, scratch: usize,
): void {
  const bytes = <usize>width << 2;
  const gram = out + <usize>(from / chunkRows) * <usize>width * bytes;
  memory.fill(gram, 0, <usize>width * bytes);
  for (let r = from; r < to; r++) {
    const row = tall + <usize>r * bytes;
    for (let a: usize = 0; a < bytes; a += 4) addScaled(gram + a * <usize>width, row, bytes, load<f32>(row + a));
  }
}

/** out[r] = tall[r] · small, small width × width. */
export function tallTimesSmall(
  tall: usize, width: u32, small: usize, out: usize, from: u32, to: u32, scratch: usize,
): void {
  const bytes = <usize>width << 2;
  for (let r = from; r < to; r++) {
    const row = tall + <usize>r * bytes;
    const to = out + <usize>r * bytes;
    memory.fill(to, 0, bytes);
    for (let a: usize = 0; a < bytes; a += 4) addScaled(to, small + a * <usize>width, bytes, load<f32>(row + a));
  }
}
