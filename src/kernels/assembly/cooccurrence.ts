// Rows of the gram G = Xᵀ diag(s_u) X for two user scalings at once: row i is gathered from the users of item i, so that rows
// are independent of each other. A row keeps its `slot` largest entries (by the first scaling), without the diagonal. Sums are in
// fixed point (fixed-point.ts): a pair adds (s_u w_i) · w_j, cut to units of 2^−24, and one unit more, so that it is never nothing.
import { fixedWeight, scaledWeight, sortItems, sumAsFloat } from './fixed-point';
import { keepSums, restoreSums } from './partial-rows';
import { selectTop } from './select';

/**
 * The matrix may be a block of the users with the entries of some items: rows are those of the items from `firstItem` on, and what is
 * kept between blocks is in partial… (pointers of 0: there is one block). entryUsers: the user of each of `entries`.
 * scratch: 2·items u64 (sums, zero on entry and on return) + items / 64 + 1 u64 (bits, zero as well) + items + 1 u32 (touched)
 * + items f32 (values) + slot u32.
 */
export function cooccurrenceRows(
  userOffsets: usize, items: usize, weights: usize,
  itemOffsets: usize, entries: usize, entryUsers: usize,
  userScales: usize,
  firstItem: u32, partialOffsets: usize, partialCounts: usize, partialColumns: usize, partialSums: usize, isLastBlock: u32,
  itemCount: u32, slot: u32,
  outCounts: usize, outColumns: usize, outFirst: usize, outSecond: usize, outDiagonals: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const sums = scratch;
  const bits = sums + (<usize>itemCount << 4);
  const touched = bits + (<usize>((itemCount >> 6) + 1) << 3);
  const values = touched + (<usize>(itemCount + 1) << 2);
  const picked = values + (<usize>itemCount << 2);
  const units = f32x4.splat(65536);
  const one = i64x2.splat(1);
  for (let row = from; row < to; row++) {
    const i = firstItem + row;
    let touchedCount = restoreSums<v128>(row, partialOffsets, partialCounts, partialColumns, partialSums, sums, touched);
    const end = load<u32>(itemOffsets + (<usize>(row + 1) << 2));
    for (let c = load<u32>(itemOffsets + (<usize>row << 2)); c < end; c++) {
      const entry = load<u32>(entries + (<usize>c << 2));
      const user = load<u32>(entryUsers + (<usize>c << 2));
      const own = fixedWeight(load<f32>(weights + (<usize>entry << 2)));
      const scales = userScales + (<usize>user << 3);
      let scale = i32x4.splat(scaledWeight(own, load<u32>(scales)));
      scale = i32x4.replace_lane(scale, 1, scaledWeight(own, load<u32>(scales, 4)));
      const stop = load<u32>(userOffsets + (<usize>(user + 1) << 2));
      for (let k = load<u32>(userOffsets + (<usize>user << 2)); k < stop; k++) {
        const j = load<u32>(items + (<usize>k << 2));
        const at = sums + (<usize>j << 4);
        const sum = v128.load(at);
        // Whether an item is new cannot be foretold: it is written in any case, and only the count decides whether it stays.
        // When all are there already it is written behind them.
        store<u32>(touched + (<usize>touchedCount << 2), j);
        touchedCount += <u32>(i64x2.extract_lane(sum, 0) == 0);
        // Weights are below 2^24 units: every way of rounding down to 32 bits is the same.
        const other = i32x4.relaxed_trunc_f32x4_s(f32x4.mul(v128.load32_splat(weights + (<usize>k << 2)), units));
        const pair = i64x2.shr_u(i64x2.extmul_low_i32x4_u(scale, other), 16);
        v128.store(at, i64x2.add(sum, i64x2.add(pair, one)));
      }
    }
    if (!isLastBlock) {
      keepSums<v128>(row, partialOffsets, partialCounts, partialColumns, partialSums, sums, touched, touchedCount);
      clearSums(sums, touched, touchedCount);
      continue;
    }
    const ownSum = sums + (<usize>i << 4);
    const diagonal = outDiagonals + (<usize>i << 3);
    store<f32>(diagonal, sumAsFloat(load<u64>(ownSum)));
    store<f32>(diagonal, sumAsFloat(load<u64>(ownSum, 8)), 4);
    v128.store(ownSum, i64x2.splat(0));
    sortItems(touched, touchedCount, bits, itemCount);
    for (let t: u32 = 0; t < touchedCount; t++) {
      const j = load<u32>(touched + (<usize>t << 2));
      store<f32>(values + (<usize>t << 2), sumAsFloat(load<u64>(sums + (<usize>j << 4))));
    }
    const count = selectTop(values, touchedCount, slot, picked);
    const base = <usize>i * <usize>slot;
    for (let n: u32 = 0; n < count; n++) {
      const t = <usize>load<u32>(picked + (<usize>n << 2)) << 2;
      const j = load<u32>(touched + t);
      const out = (base + n) << 2;
      store<u32>(outColumns + out, j);
      store<f32>(outFirst + out, load<f32>(values + t));
      store<f32>(outSecond + out, sumAsFloat(load<u64>(sums + (<usize>j << 4), 8)));
    }
    store<u32>(outCounts + (<usize>i << 2), count);
    clearSums(sums, touched, touchedCount);
  }
}

// @ts-ignore: decorator
@inline
function clearSums(sums: usize, touched: usize, count: u32): void {
  for (let t: u32 = 0; t < count; t++) {
    v128.store(sums + (<usize>load<u32>(touched + (<usize>t << 2)) << 4), i64x2.splat(0));
  }
}
