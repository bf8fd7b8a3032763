// Rows of the gram G = Xᵀ diag(s_u) X for two user scalings at once: row i is gathered from the users of item i, so that rows
// are independent of each other. A row keeps its `slot` largest entries (by the first scaling), without the diagonal.
import { selectTop } from './select';

/**
 * scratch: 2·items f32 (sums, zero on entry and on return) + items u32 (touched) + items f32 (values) + slot u32.
 */
export function cooccurrenceRows(
  userOffsets: usize, items: usize, weights: usize,
  itemOffsets: usize, entries: usize, entryUsers: usize,
  userScales: usize,
  itemCount: u32, slot: u32,
  outCounts: usize, outColumns: usize, outFirst: usize, outSecond: usize, outDiagonals: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const sums = scratch;
  const touched = sums + (<usize>itemCount << 3);
  const values = touched + (<usize>itemCount << 2);
  const picked = values + (<usize>itemCount << 2);
  for (let i = from; i < to; i++) {
    let touchedCount: u32 = 0;
    const end = load<u32>(itemOffsets + (<usize>(i + 1) << 2));
    for (let c = load<u32>(itemOffsets + (<usize>i << 2)); c < end; c++) {
      const entry = load<u32>(entries + (<usize>c << 2));
      const user = load<u32>(entryUsers + (<usize>entry << 2));
      const own = f32x4.splat(load<f32>(weights + (<usize>entry << 2)));
      const scale = f32x4.mul(v128.load64_zero(userScales + (<usize>user << 3)), own);
      const stop = load<u32>(userOffsets + (<usize>(user + 1) << 2));
      for (let k = load<u32>(userOffsets + (<usize>user << 2)); k < stop; k++) {
        const j = load<u32>(items + (<usize>k << 2));
        const at = sums + (<usize>j << 3);
        const sum = v128.load64_zero(at);
        // Whether an item is new cannot be foretold: it is written in any case, and only the count decides whether it stays.
        // When all are there already it is written where the values will be.
        store<u32>(touched + (<usize>touchedCount << 2), j);
        touchedCount += <u32>(i64x2.extract_lane(sum, 0) == 0);
        v128.store64_lane(at, f32x4.relaxed_madd(scale, v128.load32_splat(weights + (<usize>k << 2)), sum), 0);
      }
    }
    const ownSum = sums + (<usize>i << 3);
    store<u64>(outDiagonals + (<usize>i << 3), load<u64>(ownSum));
    store<u64>(ownSum, 0);
    for (let t: u32 = 0; t < touchedCount; t++) {
      const j = load<u32>(touched + (<usize>t << 2));
      store<f32>(values + (<usize>t << 2), load<f32>(sums + (<usize>j << 3)));
    }
    const count = selectTop(values, touchedCount, slot, picked);
    const base = <usize>i * <usize>slot;
    for (let n: u32 = 0; n < count; n++) {
      const j = load<u32>(touched + (<usize>load<u32>(picked + (<usize>n << 2)) << 2));
      const out = (base + n) << 2;
      store<u32>(outColumns + out, j);
      store<f32>(outFirst + out, load<f32>(sums + (<usize>j << 3)));
      store<f32>(outSecond + out, load<f32>(sums + (<usize>j << 3), 4));
    }
    store<u32>(outCounts + (<usize>i << 2), count);
    for (let t: u32 = 0; t < touchedCount; t++) {
      store<u64>(sums + (<usize>load<u32>(touched + (<usize>t << 2)) << 3), 0);
    }
  }
}
