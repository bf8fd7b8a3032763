// The n-th smallest of many values without sorting them all: of the times of millions of events one or two are needed.

/** The value that would be at place n if the values were sorted; undefined beyond them. Changes their order. */
export function nthSmallest(values: Float64Array, n: number): number | undefined {
  let from = 0;
  let to = values.length - 1;
  while (from < to) {
    // The middle of three, so that sorted values take no longer than others.
    const pivot = middle(values[from], values[(from + to) >>> 1], values[to]);
    let left = from;
    let right = to;
    while (left <= right) {
      while (values[left] < pivot) left++;
      while (values[right] > pivot) right--;
      if (left > right) break;
      const swapped = values[left];
      values[left++] = values[right];
      values[right--] = swapped;
    }
    if (n <= right) to = right;
    else if (n >= left) from = left;
    else return pivot;
  }
  return values[n];
}

function middle(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
