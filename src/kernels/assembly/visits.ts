// Rows of what goes with what, visit by visit: an item of visit v adds omega[lag] · scale of visit v + lag to every other item of
// visit v + lag, as long as that visit is of the same user. Lag 0 is the same visit. Rows are those of the given items; a row is
// scaled by column and keeps its `slot` largest entries; the item itself is left out.
import { selectTop } from './select';

/** scratch: items f32 (sums, zero on entry and on return) + items u32 (touched) + items f32 (values) + slot u32. */
export function visitRows(
  visitOffsets: usize, items: usize, itemOffsets: usize, entries: usize, entryVisits: usize,
  lastVisits: usize, visitScales: usize, maxLag: u32, omegas: usize, columnScales: usize,
  itemCount: u32, slot: u32, rowItems: usize,
  outCounts: usize, outColumns: usize, outValues: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const sums = scratch;
  const touched = sums + (<usize>itemCount << 2);
  const values = touched + (<usize>itemCount << 2);
  const picked = values + (<usize>itemCount << 2);
  for (let row = from; row < to; row++) {
    const i = load<u32>(rowItems + (<usize>row << 2));
    let touchedCount: u32 = 0;
    const end = load<u32>(itemOffsets + (<usize>(i + 1) << 2));
    for (let c = load<u32>(itemOffsets + (<usize>i << 2)); c < end; c++) {
      const entry = load<u32>(entries + (<usize>c << 2));
      const visit = load<u32>(entryVisits + (<usize>entry << 2));
      const last = min(visit + maxLag, load<u32>(lastVisits + (<usize>visit << 2)));
      for (let other = visit; other <= last; other++) {
        const omega = load<f32>(omegas + (<usize>(other - visit) << 2)) * load<f32>(visitScales + (<usize>other << 2));
        if (omega == 0) continue;
        const stop = load<u32>(visitOffsets + (<usize>(other + 1) << 2));
        for (let k = load<u32>(visitOffsets + (<usize>other << 2)); k < stop; k++) {
          const j = load<u32>(items + (<usize>k << 2));
          const at = sums + (<usize>j << 2);
          const sum = load<f32>(at);
          // As in cooccurrence.ts: written in any case, kept by the count.
          store<u32>(touched + (<usize>touchedCount << 2), j);
          touchedCount += <u32>(sum == 0);
          store<f32>(at, sum + omega);
        }
      }
    }
    store<f32>(sums + (<usize>i << 2), 0);
    for (let t: u32 = 0; t < touchedCount; t++) {
      const j = <usize>load<u32>(touched + (<usize>t << 2)) << 2;
      store<f32>(values + (<usize>t << 2), load<f32>(sums + j) * load<f32>(columnScales + j));
    }
    const count = selectTop(values, touchedCount, slot, picked);
    const base = <usize>row * <usize>slot;
    for (let n: u32 = 0; n < count; n++) {
      const t = load<u32>(picked + (<usize>n << 2));
      const out = (base + n) << 2;
      store<u32>(outColumns + out, load<u32>(touched + (<usize>t << 2)));
      store<f32>(outValues + out, load<f32>(values + (<usize>t << 2)));
    }
    store<u32>(outCounts + (<usize>row << 2), count);
    for (let t: u32 = 0; t < touchedCount; t++) {
      store<f32>(sums + (<usize>load<u32>(touched + (<usize>t << 2)) << 2), 0);
    }
  }
}
