// Rows of floats as kernels read them: padded with zeros to a multiple of four.

export interface Rows {
  readonly count: number;
  readonly dimensions: number;
  /** count × dimensions, row-major */
  readonly values: Float32Array;
}

export function paddedDimensions(dimensions: number): number {
  return Math.ceil(dimensions / 4) * 4;
}

/** `into` has padded rows, and zeros where nothing is written. */
export function padRows({ count, dimensions, values }: Rows, into: Float32Array): void {
  const padded = paddedDimensions(dimensions);
  if (dimensions === padded) into.set(values.subarray(0, count * dimensions));
  else {
    for (let row = 0; row < count; row++)
      into.set(values.subarray(row * dimensions, (row + 1) * dimensions), row * padded);
  }
}
