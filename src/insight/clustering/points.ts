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

/** Dimensions of points for kernels: rows are padded with zeros to a multiple of four. */
export function paddedDimensions(dimensions: number): number {
  return Math.ceil(dimensions / 4) * 4;
}
