// Rows out of a space of few dimensions: value_ij = (basis_i · basis_j) over the first
// `factors` of them · rowScale_i · columnScale_j for the columns a source
// row names, the `slot` largest are kept.
import { keepLargest } from './keep-largest';
import { dot } from './vector';

/** scratch: sourceSlot f32 + slot u32 */
export function projectRows(
  sourceCounts: usize, sourceColumns: usize, sourceSlot: u32, basis: usize, width: u32, factors: u32,
  rowScales: usize, columnScales: usize, slot: u32,
  outCounts: usize, outColumns: usize, outValues: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const values = scratch;
  const picked = values + (<usize>sourceSlot << 2);
  const bytes = <usize>width << 2;
  for (let i = from; i < to; i++) {
    const base = <usize>i * <usize>sourceSlot;
    const own = basis + <usize>i * bytes;
    const count = load<u32>(sourceCounts + (<usize>i << 2));
    for (let t: u32 = 0; t < count; t++) {
      const j = <usize>load<u32>(sourceColumns + ((base + t) << 2));
      store<f32>(values + (<usize>t << 2), dot(own, basis + j * bytes, factors) * load<f32>(columnScales + (j << 2)));
    }
    const scale = load<f32>(rowScales + (<usize>i << 2));
    keepLargest(
      i, values, sourceColumns + (base << 2), count, scale, slot, outCounts, outColumns, outValues, picked,
    );
  }
}
