// What a ranker is trained on and by: the features of each question's candidates, and the gradient of the cross-entropy.
import { askFor } from './question';
import { featureWidth, rankFeatures } from './rank';
import { clearScores, questionOf, sumUp } from './score';
import { candidatesOf, topItems } from './top-items';
import { dot } from './vector';

/**
 * Users [from, to) of a users block: the blend's best `candidates` go to place u · candidates of outItems, their features to the
 * same place of outFeatures, unless that is 0.
 */
export function gatherFeatures(
  model: usize, ranker: usize, users: usize, search: usize, outCounts: usize, outItems: usize, outScores: usize, outFeatures: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const rowBytes = featureWidth(model) << 2;
  const question = questionOf(scratch);
  const candidates = candidatesOf(search);
  for (let u = from; u < to; u++) {
    askFor(users, u, question);
    const count = sumUp(model, question, scratch);
    const place = <usize>u * <usize>candidates;
    const items = outItems + (place << 2);
    const found = topItems(model, question, count, candidates, search, items, outScores + (place << 2), scratch);
    if (outFeatures != 0) {
      rankFeatures(model, ranker, question, found, items, outFeatures + place * rowBytes, scratch);
    }
    store<u32>(outCounts + (<usize>u << 2), found);
    clearScores(model, count, scratch);
  }
}

/**
 * Cross-entropy of the softmax over each question's candidates and its gradient. Question u has counts[u] candidates from row
 * u·slot on: `width` features each, and the `itemWidth` facts of their item (both multiples of four).
 * labels sum up to at most 1 a question. weights: width, then itemWidth. outGradient has as many for each chunk of `chunkRows`
 * questions, the sum of theirs.
 * scratch: one f32 for each candidate of the longest question.
 */
export function softmaxGradient(
  counts: usize, slot: u32, features: usize, width: u32, items: usize, facts: usize, itemWidth: u32, labels: usize, weights: usize,
  chunkRows: u32, outLoss: usize, outGradient: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const rowBytes = <usize>width << 2;
  const factBytes = <usize>itemWidth << 2;
  const gradient = outGradient + <usize>(from / chunkRows) * (rowBytes + factBytes);
  memory.fill(gradient, 0, rowBytes + factBytes);
  for (let u = from; u < to; u++) {
    const first = u * slot;
    const end = first + load<u32>(counts + (<usize>u << 2));
    let largest: f32 = -f32.MAX_VALUE;
    let labelled: f32 = 0;
    for (let n = first; n < end; n++) {
      const fact = facts + <usize>load<u32>(items + (<usize>n << 2)) * factBytes;
      const z = dot(features + <usize>n * rowBytes, weights, width) + dot(fact, weights + rowBytes, itemWidth);
      store<f32>(scratch + (<usize>(n - first) << 2), z);
      largest = max(largest, z);
      labelled += load<f32>(labels + (<usize>n << 2));
    }
    let mass: f32 = 0;
    for (let n: u32 = 0; n < end - first; n++) {
      const at = scratch + (<usize>n << 2);
      const power = NativeMathf.exp(load<f32>(at) - largest);
      mass += power;
      store<f32>(at, power);
    }
    let loss: f32 = 0;
    for (let n = first; n < end; n++) {
      const share = load<f32>(scratch + (<usize>(n - first) << 2)) / mass;
      const label = load<f32>(labels + (<usize>n << 2));
      if (label > 0) loss -= label * NativeMathf.log(max<f32>(share, 1e-30));
      const difference = share * labelled - label;
      if (abs(difference) < 1e-7) continue;
      addScaled(gradient, features + <usize>n * rowBytes, rowBytes, difference);
      const fact = facts + <usize>load<u32>(items + (<usize>n << 2)) * factBytes;
      addScaled(gradient + rowBytes, fact, factBytes, difference);
    }
    store<f32>(outLoss + (<usize>u << 2), loss);
  }
}

// @ts-ignore: decorator
@inline
function addScaled(to: usize, row: usize, bytes: usize, scale: f32): void {
  const factor = f32x4.splat(scale);
  for (let k: usize = 0; k < bytes; k += 16) {
    v128.store(to + k, f32x4.relaxed_madd(factor, v128.load(row + k), v128.load(to + k)));
  }
}
