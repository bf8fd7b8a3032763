// Points: users by their taste, as rows of an array.

import type { Rows } from '../../kernels/padded-rows.ts';

export type Points = Rows;

/** The rows of the given points, copied. */
export function pickPoints(points: Points, rows: Uint32Array, values: Float32Array): Points {
  const { dimensions } = points;
  for (const [n, row] of rows.entries())
    values.set(points.values.subarray(row * dimensions, (row + 1) * dimensions), n * dimensions);
  return { count: rows.length, dimensions, values };
}
