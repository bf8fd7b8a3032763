// Rows made from other rows: value_ij = source_ij · rowScale_i · columnScale_j, the `slot` largest are kept. This is how the
// walk's rows come out of the gram's.
import { keepLargest } from './keep-largest';

/** scratch: sourceSlot f32 + slot u32 */
export function scaleSelectRows(
  sourceCounts: usize, sourceColumns: usize, sourceValues: usize, sourceSlot: u32,
  rowScales: usize, columnScales: usize, slot: u32,
  outCounts: usize, outColumns: usize, outValues: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const values = scratch;
  const picked = values + (<usize>sourceSlot << 2);
  for (let i = from; i < to; i++) {
    const base = <usize>i * <usize>sourceSlot;
    const count = load<u32>(sourceCounts + (<usize>i << 2));
    for (let t: u32 = 0; t < count; t++) {
      const at = (base + t) << 2;
      const j = load<u32>(sourceColumns + at);
      store<f32>(values + (<usize>t << 2), load<f32>(sourceValues + at) * load<f32>(columnScales + (<usize>j << 2)));
    }
    const scale = load<f32>(rowScales + (<usize>i << 2));
    keepLargest(
      i, values, sourceColumns + (base << 2), count, scale, slot, outCounts, outColumns, outValues, picked,
    );
  }
}
