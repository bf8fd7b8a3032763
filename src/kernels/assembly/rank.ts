// The ranker: a linear score over features of a candidate, on top of the sums of `scoreHistory`. Candidates are the best items
// of the blend. Training gathers the same features with the same code, so both sides see the same candidates.
//
// Features of a candidate, f32 (width = 3 · lanes + 24; s is a lane's score as a share of its largest):
//   ln(1 + s/c) of every lane for c = .003, then .03, then .3
//   and in fours, for up to four experts: ln(1 + n), ln(1 + mx/.03), ln(1 + mx/.3), ln(1 + l0/.03), ln(1 + l0/.3)
//   the four `own` numbers of its place in the history, 0 for an item that is not in it
//   n: history items that lead to it, mx: the largest single contribution, l0: that of the newest item, both as shares
// The ranker block (u32 words): 0 → weights f32[width]  1 → bias f32[items]  2 experts with the last five  3 … 6 their lanes
import { itemsOf, lengthOf, ownOf } from './question';
import {
  expertOf, firstSlot, inversesOf, marksOfItems, placeAfter, queryOf, reachedOf, scoresOf, slotsOf, sumsOf, withinOf,
} from './score';
import { bestOf, candidatesOf, limitOf, setOfBest } from './top-items';
import { dot, logOf, word } from './vector';

const SMALL_C: f32 = 1000 / 3;
const MIDDLE_C: f32 = 100 / 3;
const LARGE_C: f32 = 10 / 3;
/** Floats after those of the lanes. */
const DEEP: usize = 24;
/** Where the own numbers begin among those, in bytes. */
const OWN: usize = 80;

// @ts-ignore: decorator
@inline
export function featureWidth(model: usize): usize {
  return 3 * <usize>word(model, 1) + DEEP;
}

/**
 * Writes the features of the candidates, which are distinct, one row after the other. Overwrites the scores and the reached items
 * of `scoreHistory`.
 */
export function rankFeatures(
  model: usize, ranker: usize, question: usize, candidates: u32, candidateItems: usize, features: usize, scratch: usize,
): void {
  const rowBytes = featureWidth(model) << 2;
  const deep = features + 12 * <usize>word(model, 1);
  memory.fill(features, 0, <usize>candidates * rowBytes);
  for (let c: u32 = 0; c < candidates; c++) {
    const item = <usize>load<u32>(candidateItems + (<usize>c << 2));
    const row = features + <usize>c * rowBytes;
    const place = placeAfter(model, item, scratch);
    // The history's items have the first places.
    if (place != 0 && ownOf(question) != 0 && place <= lengthOf(question)) {
      v128.store(deep + <usize>c * rowBytes, v128.load(ownOf(question) + (<usize>(place - 1) << 4)), OWN);
    }
    writeShares(model, item, place, row, scratch);
  }
  const experts = word(ranker, 2);
  if (experts == 0) return;
  markCandidates(model, candidates, candidateItems, deep, rowBytes, scratch);
  for (let d: u32 = 0; d < experts; d++) {
    const expert = expertOf(model, word(ranker, 3 + <usize>d));
    addContributions(model, expert, question, <usize>d << 4, scratch);
  }
  unmarkCandidates(model, candidates, candidateItems, scratch);
  const scales = deepScales(ranker, scratch);
  const one = f32x4.splat(1);
  const middle = f32x4.splat(MIDDLE_C);
  const large = f32x4.splat(LARGE_C);
  for (let c: u32 = 0; c < candidates; c++) {
    const row = deep + <usize>c * rowBytes;
    const lowTwo = v128.shuffle<f32>(v128.load(row), v128.load(row, 16), 0, 4, 1, 5);
    const highTwo = v128.shuffle<f32>(v128.load(row, 32), v128.load(row, 48), 0, 4, 1, 5);
    const counts = v128.shuffle<f32>(lowTwo, highTwo, 0, 1, 4, 5);
    if (!v128.any_true(counts)) continue;
    const largest = f32x4.mul(v128.shuffle<f32>(lowTwo, highTwo, 2, 3, 6, 7), scales);
    const newest = f32x4.mul(newestOf(row), scales);
    v128.store(row, logOf(counts, one));
    v128.store(row, logOf(largest, middle), 16);
    v128.store(row, logOf(largest, large), 32);
    v128.store(row, logOf(newest, middle), 48);
    v128.store(row, logOf(newest, large), 64);
  }
}

/** The logarithms of every lane's share, for each constant. */
function writeShares(model: usize, item: usize, place: u32, row: usize, scratch: usize): void {
  const bytes = <usize>word(model, 1) << 2;
  const experts = word(model, 2);
  for (let e: u32 = 0; place != 0 && e < experts; e++) {
    const sum = load<f32>(sumsOf(model, e, scratch) + (<usize>(place - 1) << 2));
    const share = sum * load<f32>(inversesOf(scratch) + (<usize>e << 2));
    // Chosen without a branch, which would often be wrong.
    store<f32>(row + (<usize>e << 2), select<f32>(share, 0, share > 0));
  }
  const popularityLane = <usize>word(model, 4);
  if (popularityLane != 0xffffffff) {
    store<f32>(row + (popularityLane << 2), load<f32>(<usize>word(model, 5) + (item << 2)));
  }
  const small = f32x4.splat(SMALL_C);
  const middle = f32x4.splat(MIDDLE_C);
  const large = f32x4.splat(LARGE_C);
  for (let k: usize = 0; k < bytes; k += 16) {
    const share = v128.load(row + k);
    // Most experts say nothing of most candidates.
    if (!v128.any_true(share)) continue;
    v128.store(row + k, logOf(share, small));
    v128.store(row + bytes + k, logOf(share, middle));
    v128.store(row + 2 * bytes + k, logOf(share, large));
  }
}

/** What makes shares of single contributions: 1 / the largest sum of each expert that has them. */
function deepScales(ranker: usize, scratch: usize): v128 {
  let scales = f32x4.splat(0);
  const experts = word(ranker, 2);
  for (let d: u32 = 0; d < experts; d++) {
    const scale = load<f32>(inversesOf(scratch) + (<usize>word(ranker, 3 + <usize>d) << 2));
    scales = d == 0 ? f32x4.replace_lane(scales, 0, scale)
      : d == 1 ? f32x4.replace_lane(scales, 1, scale)
      : d == 2 ? f32x4.replace_lane(scales, 2, scale)
      : f32x4.replace_lane(scales, 3, scale);
  }
  return scales;
}

/** What a candidate's mark says: how far a list of hits grows with it. */
const HIT: u8 = 4;

/** Marks the reached candidates; where the score of each was, the place of its features is kept. */
function markCandidates(
  model: usize, candidates: u32, candidateItems: usize, deep: usize, rowBytes: usize, scratch: usize,
): void {
  const marks = marksOfItems(model, scratch);
  const rows = scoresOf(model, scratch);
  for (let c: u32 = 0; c < candidates; c++) {
    const item = <usize>load<u32>(candidateItems + (<usize>c << 2));
    const place = placeAfter(model, item, scratch);
    if (place == 0) continue;
    store<u8>(marks + item, HIT);
    store<u32>(rows + (<usize>(place - 1) << 2), <u32>(deep + <usize>c * rowBytes));
  }
}

function unmarkCandidates(model: usize, candidates: u32, candidateItems: usize, scratch: usize): void {
  const marks = marksOfItems(model, scratch);
  for (let at: usize = 0; at < <usize>candidates << 2; at += 4) store<u8>(marks + <usize>load<u32>(candidateItems + at), 0);
}

/** Of the four experts: the third number that `addContributions` has written for each. */
// @ts-ignore: decorator
@inline
function newestOf(row: usize): v128 {
  const low = v128.shuffle<f32>(v128.load(row), v128.load(row, 16), 2, 6, 2, 6);
  const high = v128.shuffle<f32>(v128.load(row, 32), v128.load(row, 48), 2, 6, 2, 6);
  return v128.shuffle<f32>(low, high, 0, 1, 4, 5);
}

/**
 * Of one expert, for every candidate, four floats: how many contributions there are, the largest, and that of the newest item, 0
 * where there is none. `place`: where they are in a candidate's features.
 */
function addContributions(model: usize, expert: usize, question: usize, place: usize, scratch: usize): void {
  const slots = slotsOf(model, scratch);
  const rowOfSlot = scoresOf(model, scratch) - <usize>firstSlot(scratch);
  const marks = marksOfItems(model, scratch);
  const hits = reachedOf(model, scratch);
  const starts = <usize>word(expert, 0);
  const ends = <usize>word(expert, 1);
  const columns = <usize>word(expert, 2);
  const toValue = <usize>word(expert, 3) - columns;
  const within = withinOf(expert, question);
  for (let l: u32 = 0; l < within; l++) {
    const q = queryOf(expert, question, l);
    if (q == 0) continue;
    const item = <usize>load<u32>(itemsOf(question) + (<usize>l << 2)) << 2;
    const end = columns + (<usize>load<u32>(ends + item) << 2);
    // Whether an entry is a candidate's is a coin toss, which a branch would often get wrong: those are collected first.
    let hitsEnd = hits;
    let at = columns + (<usize>load<u32>(starts + item) << 2);
    for (; at + 12 < end; at += 16) {
      hitsEnd = addHit(at, marks, hitsEnd);
      hitsEnd = addHit(at + 4, marks, hitsEnd);
      hitsEnd = addHit(at + 8, marks, hitsEnd);
      hitsEnd = addHit(at + 12, marks, hitsEnd);
    }
    for (; at < end; at += 4) hitsEnd = addHit(at, marks, hitsEnd);
    const isLargest = l == 0 ? i32x4(0, -1, -1, 0) : i32x4(0, -1, 0, 0);
    const one = f32x4(1, 0, 0, 0);
    for (let hit = hits; hit < hitsEnd; hit += 4) {
      const at = <usize>load<u32>(hit);
      const slot = <usize>load<u32>(slots + (<usize>load<u32>(at) << 2));
      const row = <usize>load<u32>(rowOfSlot + slot) + place;
      const value = f32x4.splat(q * load<f32>(at + toValue));
      const isPositive = f32x4.gt(value, f32x4.splat(0));
      const shown = v128.and(v128.and(value, isLargest), isPositive);
      v128.store(row, f32x4.add(f32x4.pmax(shown, v128.load(row)), v128.and(one, isPositive)));
    }
  }
}

/**
 * Adds an entry to the hits if its item is marked; returns their end. One byte an item says it, so that what is looked up is small
 * enough to stay near.
 */
// @ts-ignore: decorator
@inline
function addHit(entry: usize, marks: usize, hitsEnd: usize): usize {
  store<u32>(hitsEnd, <u32>entry);
  return hitsEnd + <usize>load<u8>(marks + <usize>load<u32>(entry));
}

/** Scores candidates out of their features. */
function rankScores(
  model: usize, ranker: usize, candidates: u32, candidateItems: usize, features: usize, outScores: usize,
): void {
  const width = featureWidth(model);
  const weights = <usize>word(ranker, 0);
  const bias = <usize>word(ranker, 1);
  for (let c: usize = 0; c < <usize>candidates; c++) {
    const item = <usize>load<u32>(candidateItems + (c << 2));
    const sum = dot(features + c * (width << 2), weights, <u32>width);
    store<f32>(outScores + (c << 2), sum + load<f32>(bias + (item << 2)));
  }
}

/**
 * The best `limit` by the ranker of the blend's best `candidates`. work: candidates u32, candidates f32, then their features.
 */
export function bestRanked(
  model: usize, ranker: usize, question: usize, count: u32, search: usize, outItems: usize, outScores: usize, work: usize,
  scratch: usize,
): u32 {
  const candidates = candidatesOf(search);
  const items = work;
  const scores = items + (<usize>candidates << 2);
  const features = (scores + (<usize>candidates << 2) + 15) & ~15;
  const found = setOfBest(model, question, count, candidates, search, items, scores, scratch);
  rankFeatures(model, ranker, question, found, items, features, scratch);
  rankScores(model, ranker, found, items, features, scores);
  return bestOf(items, scores, found, limitOf(search), outItems, outScores);
}

/** The scores of given items, as the ranker of a history that was just scored sees them. work: as many features. */
export function rankGiven(
  model: usize, ranker: usize, question: usize, given: u32, givenItems: usize, outScores: usize, work: usize, scratch: usize,
): void {
  rankFeatures(model, ranker, question, given, givenItems, work, scratch);
  rankScores(model, ranker, given, givenItems, work, outScores);
}
