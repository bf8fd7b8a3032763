// From one point to others.
import { horizontalSum } from './vector';

/** out[r] = |points[r] − points[center]|²; dims is a multiple of four. */
export function squaredDistances(
  points: usize, dims: u32, center: u32, out: usize, from: u32, to: u32, scratch: usize,
): void {
  const bytes = <usize>dims << 2;
  const own = points + <usize>center * bytes;
  for (let r = from; r < to; r++) {
    const row = points + <usize>r * bytes;
    let sum = f32x4.splat(0);
    for (let d: usize = 0; d < bytes; d += 16) {
      const difference = f32x4.sub(v128.load(row + d), v128.load(own + d));
      sum = f32x4.add(sum, f32x4.mul(difference, difference));
    }
    store<f32>(out + (<usize>r << 2), horizontalSum(sum));
  }
}
