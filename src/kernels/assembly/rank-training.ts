// What a ranker is trained on and by: the features of each question's candidates, and how likely its weights make what users turned to.
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
 * How unlikely the targets of each question are among its candidates, and the gradient of that. Question u has counts[u] candidates
 * from row u·slot on: `width` features each, and the `itemWidth` facts of their item (both multiples of four). Of its candidates
 * those with a label above 0 are targets; these labels are equal, and say how much the question counts. weights: width, then
 * itemWidth. outGradient has as many for each chunk of `chunkRows` questions, the sum of theirs.
 *
 * A candidate with score z is a target with chance σ(z + a), where `a` makes the chances of a question add up to its targets. With
 * one target that is close to a softmax. With several it differs: nobody turns to one item twice, so no chance is above 1.
 * scratch: one f32 for each candidate of the longest question.
 */
export function choiceGradient(
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
    const count = load<u32>(counts + (<usize>u << 2));
    const questionLabels = labels + (<usize>first << 2);
    let targets: u32 = 0;
    let label: f32 = 0;
    for (let n: u32 = 0; n < count; n++) {
      const own = load<f32>(questionLabels + (<usize>n << 2));
      if (own > 0) targets++;
      label = max(label, own);
    }
    store<f32>(outLoss + (<usize>u << 2), 0);
    // Where all are targets, or none is, nothing was chosen.
    if (targets == 0 || targets == count) continue;
    for (let n: u32 = 0; n < count; n++) {
      const row = <usize>(first + n);
      const fact = facts + <usize>load<u32>(items + (row << 2)) * factBytes;
      const z = dot(features + row * rowBytes, weights, width) + dot(fact, weights + rowBytes, itemWidth);
      store<f32>(scratch + (<usize>n << 2), z);
    }
    const shift = shiftOf(scratch, count, <f32>targets);
    let loss: f32 = 0;
    for (let n: u32 = 0; n < count; n++) {
      const x = load<f32>(scratch + (<usize>n << 2)) + shift;
      const isTarget = load<f32>(questionLabels + (<usize>n << 2)) > 0;
      const power = NativeMathf.exp(-abs(x));
      loss += NativeMathf.log(1 + power) + max<f32>(x, 0) - (isTarget ? x : 0);
      const difference = label * ((x > 0 ? 1 : power) / (1 + power) - (isTarget ? 1 : 0));
      if (abs(difference) < 1e-7) continue;
      const row = <usize>(first + n);
      addScaled(gradient, features + row * rowBytes, rowBytes, difference);
      const fact = facts + <usize>load<u32>(items + (row << 2)) * factBytes;
      addScaled(gradient + rowBytes, fact, factBytes, difference);
    }
    store<f32>(outLoss + (<usize>u << 2), label * loss);
  }
}

const SHIFTS = 30;
const NEAR_ENOUGH: f32 = 1e-4;

/** Where the chances of all scores add up to `targets`: Newton's method, in steps of at most 2. */
function shiftOf(scores: usize, count: u32, targets: f32): f32 {
  let largest: f32 = -f32.MAX_VALUE;
  for (let n: u32 = 0; n < count; n++) largest = max(largest, load<f32>(scores + (<usize>n << 2)));
  let mass: f32 = 0;
  for (let n: u32 = 0; n < count; n++) mass += NativeMathf.exp(load<f32>(scores + (<usize>n << 2)) - largest);
  // Right where all chances are small, and never too large.
  let shift = NativeMathf.log(targets / mass) - largest;
  for (let turn = 0; turn < SHIFTS; turn++) {
    let sum: f32 = 0;
    let slope: f32 = 1e-6;
    for (let n: u32 = 0; n < count; n++) {
      const chance: f32 = 1 / (1 + NativeMathf.exp(-shift - load<f32>(scores + (<usize>n << 2))));
      sum += chance;
      slope += chance * (1 - chance);
    }
    const missing = targets - sum;
    if (abs(missing) < NEAR_ENOUGH * targets) break;
    shift += max<f32>(-2, min<f32>(2, missing / slope));
  }
  return shift;
}

// @ts-ignore: decorator
@inline
function addScaled(to: usize, row: usize, bytes: usize, scale: f32): void {
  const factor = f32x4.splat(scale);
  for (let k: usize = 0; k < bytes; k += 16) {
    v128.store(to + k, f32x4.relaxed_madd(factor, v128.load(row + k), v128.load(to + k)));
  }
}
