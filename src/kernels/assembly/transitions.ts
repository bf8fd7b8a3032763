// Rows of a windowed transition matrix: every occurrence of item i at place p of a sequence adds forward[lag] to the item at
// p + lag and backward[lag] to the item at p − lag. A row is scaled by column and keeps its `slot` largest entries; its sum before
// that is written too. The diagonal (an item following itself) is left out. Sums are in fixed point, as in cooccurrence.ts.
import { fixedWeight, scaledWeight, sortItems, sumAsFloat } from './fixed-point';
import { keepSums, restoreSums } from './partial-rows';
import { selectTop } from './select';

/**
 * Blocks of users and partial… as in cooccurrence.ts.
 * forward and backward: units of 2^−20. scratch: items u64 (sums, zero on entry and on return) + items / 64 + 1 u64 (bits, zero as
 * well) + items + 1 u32 (touched) + items f32 (values) + slot u32.
 */
export function transitionRows(
  userOffsets: usize, items: usize, weights: usize,
  itemOffsets: usize, entries: usize, entryUsers: usize,
  maxLag: u32, forward: usize, backward: usize, columnScales: usize,
  firstItem: u32, partialOffsets: usize, partialCounts: usize, partialColumns: usize, partialSums: usize, isLastBlock: u32,
  itemCount: u32, slot: u32,
  outCounts: usize, outColumns: usize, outValues: usize, outSums: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const sums = scratch;
  const bits = sums + (<usize>itemCount << 3);
  const touched = bits + (<usize>((itemCount >> 6) + 1) << 3);
  const values = touched + (<usize>(itemCount + 1) << 2);
  const picked = values + (<usize>itemCount << 2);
  for (let row = from; row < to; row++) {
    const i = firstItem + row;
    let touchedCount = restoreSums<u64>(row, partialOffsets, partialCounts, partialColumns, partialSums, sums, touched);
    const end = load<u32>(itemOffsets + (<usize>(row + 1) << 2));
    for (let c = load<u32>(itemOffsets + (<usize>row << 2)); c < end; c++) {
      const entry = load<u32>(entries + (<usize>c << 2));
      const user = load<u32>(entryUsers + (<usize>c << 2));
      const first = load<u32>(userOffsets + (<usize>user << 2));
      const last = load<u32>(userOffsets + (<usize>(user + 1) << 2));
      const own = fixedWeight(load<f32>(weights + (<usize>entry << 2)));
      const ahead = min(maxLag, last - 1 - entry);
      for (let lag: u32 = 1; lag <= ahead; lag++) {
        const omega = load<u32>(forward + (<usize>lag << 2));
        if (omega == 0) continue;
        touchedCount = addPair(sums, touched, touchedCount, items, weights, entry + lag, scaledWeight(own, omega));
      }
      const behind = min(maxLag, entry - first);
      for (let lag: u32 = 1; lag <= behind; lag++) {
        const omega = load<u32>(backward + (<usize>lag << 2));
        if (omega == 0) continue;
        touchedCount = addPair(sums, touched, touchedCount, items, weights, entry - lag, scaledWeight(own, omega));
      }
    }
    if (!isLastBlock) {
      keepSums<u64>(row, partialOffsets, partialCounts, partialColumns, partialSums, sums, touched, touchedCount);
      clearSums(sums, touched, touchedCount);
      continue;
    }
    store<u64>(sums + (<usize>i << 3), 0);
    sortItems(touched, touchedCount, bits, itemCount);
    let rowSum: u64 = 0;
    for (let t: u32 = 0; t < touchedCount; t++) {
      const j = load<u32>(touched + (<usize>t << 2));
      const sum = load<u64>(sums + (<usize>j << 3));
      rowSum += sum;
      store<f32>(values + (<usize>t << 2), sumAsFloat(sum) * load<f32>(columnScales + (<usize>j << 2)));
    }
    store<f32>(outSums + (<usize>i << 2), sumAsFloat(rowSum));
    const count = selectTop(values, touchedCount, slot, picked);
    const base = <usize>i * <usize>slot;
    for (let n: u32 = 0; n < count; n++) {
      const t = <usize>load<u32>(picked + (<usize>n << 2)) << 2;
      const out = (base + n) << 2;
      store<u32>(outColumns + out, load<u32>(touched + t));
      store<f32>(outValues + out, load<f32>(values + t));
    }
    store<u32>(outCounts + (<usize>i << 2), count);
    clearSums(sums, touched, touchedCount);
  }
}

// @ts-ignore: decorator
@inline
function clearSums(sums: usize, touched: usize, count: u32): void {
  for (let t: u32 = 0; t < count; t++) store<u64>(sums + (<usize>load<u32>(touched + (<usize>t << 2)) << 3), 0);
}

/** Adds a pair, and the item to those touched; returns how many there are. */
// @ts-ignore: decorator
@inline
function addPair(
  sums: usize, touched: usize, touchedCount: u32, items: usize, weights: usize, other: u32, scaled: u32,
): u32 {
  const j = load<u32>(items + (<usize>other << 2));
  const at = sums + (<usize>j << 3);
  const sum = load<u64>(at);
  // As in cooccurrence.ts: written in any case, kept by the count.
  store<u32>(touched + (<usize>touchedCount << 2), j);
  const weight = fixedWeight(load<f32>(weights + (<usize>other << 2)));
  store<u64>(at, sum + ((<u64>scaled * <u64>weight) >> 16) + 1);
  return touchedCount + <u32>(sum == 0);
}
