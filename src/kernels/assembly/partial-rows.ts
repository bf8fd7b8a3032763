// Rows that are summed block by block: what one block of users leaves of a row's sums is where the next block continues. A row's place
// in the lists is offsets[row]; there is room for as many columns as it can ever have. T is the type of a sum.

/** Puts the sums of the blocks before back in their places; returns how many items are touched. Without lists there are none. */
// @ts-ignore: decorator
@inline
export function restoreSums<T>(
  row: u32, offsets: usize, counts: usize, columns: usize, kept: usize, sums: usize, touched: usize,
): u32 {
  if (counts == 0) return 0;
  const base = <usize>load<u32>(offsets + (<usize>row << 2));
  const count = load<u32>(counts + (<usize>row << 2));
  for (let t: u32 = 0; t < count; t++) {
    const j = load<u32>(columns + ((base + t) << 2));
    store<u32>(touched + (<usize>t << 2), j);
    store<T>(sums + <usize>j * sizeof<T>(), load<T>(kept + (base + t) * sizeof<T>()));
  }
  return count;
}

/** Keeps the sums for the next block. */
// @ts-ignore: decorator
@inline
export function keepSums<T>(
  row: u32, offsets: usize, counts: usize, columns: usize, kept: usize, sums: usize, touched: usize, count: u32,
): void {
  const base = <usize>load<u32>(offsets + (<usize>row << 2));
  store<u32>(counts + (<usize>row << 2), count);
  for (let t: u32 = 0; t < count; t++) {
    const j = load<u32>(touched + (<usize>t << 2));
    store<u32>(columns + ((base + t) << 2), j);
    store<T>(kept + (base + t) * sizeof<T>(), load<T>(sums + <usize>j * sizeof<T>()));
  }
}
