// A user's taste: the weighted mean of the vectors of the user's items, at length one, as the recommender's userVector has it.
import type { G1Model } from '../../artifact/g1-model.ts';
import type { HistoryBatch } from './history-batch.ts';

/** False when the items' vectors cancel out or say nothing. */
export function writeVector(model: G1Model, batch: HistoryBatch, user: number, out: Float32Array): boolean {
  const { dimensions, values } = model.vectors;
  out.fill(0);
  for (let at = batch.offsets[user]; at < batch.offsets[user + 1]; at++) {
    const start = batch.items[at] * dimensions;
    const weight = batch.weights[at];
    for (let d = 0; d < dimensions; d++) out[d] += weight * values[start + d];
  }
  let squares = 0;
  for (let d = 0; d < dimensions; d++) squares += out[d] * out[d];
  if (!(squares > 1e-24)) return false;
  const scale = 1 / Math.sqrt(squares);
  for (let d = 0; d < dimensions; d++) out[d] *= scale;
  return true;
}
