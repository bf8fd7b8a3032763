// Rows of a windowed transition matrix: every occurrence of item i at place p of a sequence adds forward[lag] to the item at
// p + lag and backward[lag] to the item at p − lag. Row i is divided by (row sum)^power, scaled by column, and keeps its
// `slot` largest entries. The diagonal (an item following itself) is left out.
import { selectTop } from './select';

/** scratch: items f32 (sums, zero on entry and on return) + items u32 (touched) + items f32 (values) + slot u32. */
export function transitionRows(
  userOffsets: usize, items: usize, weights: usize,
  itemOffsets: usize, entries: usize, entryUsers: usize, userScales: usize,
  maxLag: u32, forward: usize, backward: usize, power: f32, columnScales: usize,
  itemCount: u32, slot: u32,
  outCounts: usize, outColumns: usize, outValues: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const sums = scratch;
  const touched = sums + (<usize>itemCount << 2);
  const values = touched + (<usize>itemCount << 2);
  const picked = values + (<usize>itemCount << 2);
  for (let i = from; i < to; i++) {
    let touchedCount: u32 = 0;
    const end = load<u32>(itemOffsets + (<usize>(i + 1) << 2));
    for (let c = load<u32>(itemOffsets + (<usize>i << 2)); c < end; c++) {
      const entry = load<u32>(entries + (<usize>c << 2));
      const user = load<u32>(entryUsers + (<usize>entry << 2));
      const first = load<u32>(userOffsets + (<usize>user << 2));
      const last = load<u32>(userOffsets + (<usize>(user + 1) << 2));
      const own = load<f32>(weights + (<usize>entry << 2)) * load<f32>(userScales + (<usize>user << 2));
      const ahead = min(maxLag, last - 1 - entry);
      for (let lag: u32 = 1; lag <= ahead; lag++) {
        const omega = load<f32>(forward + (<usize>lag << 2));
        if (omega == 0) continue;
        const j = load<u32>(items + (<usize>(entry + lag) << 2));
        const at = sums + (<usize>j << 2);
        const sum = load<f32>(at);
        // As in cooccurrence.ts: written in any case, kept by the count.
        store<u32>(touched + (<usize>touchedCount << 2), j);
        touchedCount += <u32>(sum == 0);
        store<f32>(at, sum + omega * own * load<f32>(weights + (<usize>(entry + lag) << 2)));
      }
      const behind = min(maxLag, entry - first);
      for (let lag: u32 = 1; lag <= behind; lag++) {
        const omega = load<f32>(backward + (<usize>lag << 2));
        if (omega == 0) continue;
        const j = load<u32>(items + (<usize>(entry - lag) << 2));
        const at = sums + (<usize>j << 2);
        const sum = load<f32>(at);
        store<u32>(touched + (<usize>touchedCount << 2), j);
        touchedCount += <u32>(sum == 0);
        store<f32>(at, sum + omega * own * load<f32>(weights + (<usize>(entry - lag) << 2)));
      }
    }
    store<f32>(sums + (<usize>i << 2), 0);
    let rowSum: f32 = 0;
    for (let t: u32 = 0; t < touchedCount; t++) {
      const j = load<u32>(touched + (<usize>t << 2));
      const sum = load<f32>(sums + (<usize>j << 2));
      rowSum += sum;
      store<f32>(values + (<usize>t << 2), sum * load<f32>(columnScales + (<usize>j << 2)));
    }
    const scale: f32 = rowSum > 0 ? (power == 0 ? 1 : <f32>Math.pow(rowSum, -power)) : 0;
    const count = selectTop(values, touchedCount, slot, picked);
    const base = <usize>i * <usize>slot;
    for (let n: u32 = 0; n < count; n++) {
      const t = load<u32>(picked + (<usize>n << 2));
      const out = (base + n) << 2;
      store<u32>(outColumns + out, load<u32>(touched + (<usize>t << 2)));
      store<f32>(outValues + out, scale * load<f32>(values + (<usize>t << 2)));
    }
    store<u32>(outCounts + (<usize>i << 2), count);
    for (let t: u32 = 0; t < touchedCount; t++) {
      store<f32>(sums + (<usize>load<u32>(touched + (<usize>t << 2)) << 2), 0);
    }
  }
}
