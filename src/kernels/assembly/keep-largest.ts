// The end of every kernel that makes a row out of another: of the values computed for a row's columns the largest are kept.
import { selectTop } from './select';

/** Writes row i of the outputs: the `slot` largest of values[0 … count), scaled, with their columns. */
// @ts-ignore: decorator
@inline
export function keepLargest(
  i: u32, values: usize, columns: usize, count: u32, scale: f32, slot: u32,
  outCounts: usize, outColumns: usize, outValues: usize, picked: usize,
): void {
  const kept = selectTop(values, count, slot, picked);
  const base = <usize>i * <usize>slot;
  for (let n: u32 = 0; n < kept; n++) {
    const t = <usize>load<u32>(picked + (<usize>n << 2)) << 2;
    const out = (base + n) << 2;
    store<u32>(outColumns + out, load<u32>(columns + t));
    store<f32>(outValues + out, scale * load<f32>(values + t));
  }
  store<u32>(outCounts + (<usize>i << 2), kept);
}
