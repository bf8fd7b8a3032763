// Points: users by their taste, as rows of an array.

export interface Points {
  readonly count: number;
  readonly dimensions: number;
  /** count × dimensions, row-major */
  readonly values: Float32Array;
}

/** The rows of the given points, copied. */
export function pickPoints(points: Points, rows: Uint32Array, values: Float32Array): Points {
  const { dimensions } = points;
  for (const [n, row] of rows.entries())
    values.set(points.values.subarray(row * dimensions, (row + 1) * dimensions), n * dimensions);
  return { count: rows.length, dimensions, values };
}

/** The rows of the given points on an array of padded dimensions, which is zero where nothing is written. */
export function padPoints({ count, dimensions, values }: Points, into: Float32Array): void {
  const padded = paddedDimensions(dimensions);
  if (dimensions === padded) into.set(values.subarray(0, count * dimensions));
  else {
    for (let row = 0; row < count; row++)
      into.set(values.subarray(row * dimensions, (row + 1) * dimensions), row * padded);
  }
}

/** Dimensions of points for kernels: rows are padded with zeros to a multiple of four. */
export function paddedDimensions(dimensions: number): number {
  return Math.ceil(dimensions / 4) * 4;
}
