// Taste as vectors: what a model's item vectors say of a user and of two items.
import type { G1Model } from '../artifact/g1-model.ts';
import type { ScoringHistory } from '../history/user-signal.ts';

type Vectors = G1Model['vectors'];

/** Writes a vector of length 1; zeros for an empty history. */
export function writeUserVector({ dimensions, values }: Vectors, history: ScoringHistory, out: Float32Array): void {
  out.fill(0, 0, dimensions);
  for (let n = 0; n < history.length; n++) {
    const start = history.items[n] * dimensions;
    for (let d = 0; d < dimensions; d++) out[d] += history.weights[n] * values[start + d];
  }
  let squares = 0;
  for (let d = 0; d < dimensions; d++) squares += out[d] * out[d];
  if (squares > 0) for (let d = 0; d < dimensions; d++) out[d] /= Math.sqrt(squares);
}

/** The cosine between the vectors of two warm items. */
export function vectorLikeness({ dimensions, values }: Vectors, warm: number, other: number): number {
  let product = 0;
  let squares = 0;
  let otherSquares = 0;
  for (let d = 0; d < dimensions; d++) {
    const a = values[warm * dimensions + d];
    const b = values[other * dimensions + d];
    product += a * b;
    squares += a * a;
    otherSquares += b * b;
  }
  return squares > 0 && otherSquares > 0 ? product / Math.sqrt(squares * otherSquares) : 0;
}
