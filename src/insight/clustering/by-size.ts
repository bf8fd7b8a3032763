// Groups in the order of their size: the largest is 0, empty ones vanish.

export interface OrderedGroups {
  /** for each group in the new order, its number before */
  readonly order: readonly number[];
  /** sizes of the groups, largest first */
  readonly sizes: readonly number[];
}

/** Renames the labels in place; those below 0 stay. */
export function orderBySize(labels: Int32Array, sizes: ArrayLike<number>): OrderedGroups {
  const order = Array.from(sizes, (_, group) => group)
    .filter((group) => sizes[group] > 0)
    .sort((a, b) => sizes[b] - sizes[a] || a - b);
  const renamed = new Int32Array(sizes.length);
  for (const [place, group] of order.entries()) renamed[group] = place;
  for (let n = 0; n < labels.length; n++) if (labels[n] >= 0) labels[n] = renamed[labels[n]];
  return { order, sizes: order.map((group) => sizes[group]) };
}
