// The tastes of many users: for each, the weighted mean of the vectors of the user's items, at length one.
import { horizontalSum } from './vector';

/** Shorter vectors say nothing: the items of the user cancel out. */
const LEAST_SQUARES: f32 = 1e-24;

/**
 * vectors: items × dims, dims a multiple of four; user n has the entries [offsets[n], offsets[n + 1]) of items and weights;
 * out: users × dims; said[n] is 1 where the row says something, 0 elsewhere.
 */
export function tasteVectors(
  vectors: usize, dims: u32, offsets: usize, items: usize, weights: usize, out: usize, said: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const bytes = <usize>dims << 2;
  for (let user = from; user < to; user++) {
    const row = out + <usize>user * bytes;
    memory.fill(row, 0, bytes);
    const end = <usize>load<u32>(offsets + (<usize>user << 2), 4);
    for (let at = <usize>load<u32>(offsets + (<usize>user << 2)); at < end; at++) {
      const vector = vectors + <usize>load<u32>(items + (at << 2)) * bytes;
      const weight = v128.load_splat<f32>(weights + (at << 2));
      for (let d: usize = 0; d < bytes; d += 16) {
        v128.store(row + d, f32x4.add(v128.load(row + d), f32x4.mul(weight, v128.load(vector + d))));
      }
    }
    let squares = f32x4.splat(0);
    for (let d: usize = 0; d < bytes; d += 16) {
      const four = v128.load(row + d);
      squares = f32x4.add(squares, f32x4.mul(four, four));
    }
    const sum = horizontalSum(squares);
    const says = sum > LEAST_SQUARES;
    store<u8>(said + user, says ? 1 : 0);
    if (!says) continue;
    const scale = f32x4.splat(1 / sqrt<f32>(sum));
    for (let d: usize = 0; d < bytes; d += 16) v128.store(row + d, f32x4.mul(v128.load(row + d), scale));
  }
}
