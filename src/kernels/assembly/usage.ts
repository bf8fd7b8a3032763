// Usage of attribute values by many users: the share of p_j ∝ exp(τ z_j), over the whole catalog, that falls on the items
// with a value. Items without events have a given share of every user together; p_j divides it among them, and the rest among
// the warm items. Exact, without visiting the whole catalog for each user: an item that the history does not reach has its rest
// score, which is the same for every user. So, with e = exp(τ z − shift) the mass of an item,
//     mass(value) = base(value) + Σ over reached items with the value of (e_own − e_rest)
// and the same for the total; base is summed once. Items without events are scored in groups (cold-groups.ts) and have sums of
// their own.
//
// A seen item that gets nothing has no mass of its own from the start: if it had, and were taken off later, little might be left
// of the others, whose masses can be smaller by far.
//
// The usage block (u32 words, f32 where named):
//   0 → warm items, 16 bytes each: its mass at rest f64, where its pairs begin and end u32. At first the mass is 1 where an item
//       is listed; it is 0 where not
//   1 → pairs u32: the pairs of the warm items                   2 pairs
//   3 → base masses f64: total, then one a pair                  4 seen items get nothing
//   5 → the same of items without events
//   7 groups (≥ 1)              8 → group offsets u32[warm + 1]  9 → groups u32 a warm item counts in   10 → its part f32
//   11 → rest z f32[groups]     12 → listed items f32[groups]
//   13 → group pair offsets u32[groups + 1]   14 → pairs u32     15 → items with the pair f32
//   16 → group u32 of a cold item             17 → cold pair offsets u32   18 → cold pairs u32
//   20 τ / log 2 f64             22 −shift / log 2 f64, so that exp stays in range        24 share of items without events f64
// The scratch: that of score.ts, then own masses f64 by place, masses f64[pairs], those of items without events f64[pairs], and
// what cold-groups.ts needs.
import { addGroup, addReachedGroups, addToGroups, forgetGroups, takeOffCold } from './cold-groups';
import { addToPairs, massesOf, massOf } from './masses';
import { askFor } from './question';
import {
  clearScores, hideMarked, hidePlace, placeAfter, questionOf, reachedOf, restScore, roomOf, scoreHistory, scoresOf, scratchEnd,
} from './score';
import { word } from './vector';

/** What must be left of the base masses to tell shares of it. */
const LEAST_SHARE: f64 = 1e-10;

/** The mass of a warm item that is not reached; 0 when it is not listed. */
// @ts-ignore: decorator
@inline
function restMassOf(usage: usize, j: usize): f64 {
  return load<f64>(<usize>word(usage, 0) + (j << 4));
}

/** Adds a mass to the pairs of a warm item. */
// @ts-ignore: decorator
@inline
function addToItem(usage: usize, j: usize, mass: f64, masses: usize): void {
  const item = <usize>word(usage, 0) + (j << 4);
  addToPairs(<usize>word(usage, 1), load<u32>(item, 8), load<u32>(item, 12), mass, masses);
}

/** What is the same for all users: masses at rest, base masses. Group 0 is not in the base. One row, no scratch. */
export function usageBase(model: usize, usage: usize, from: u32, to: u32, scratch: usize): void {
  const items = <usize>word(model, 0);
  const groups = <usize>word(usage, 7);
  const masses = <usize>word(usage, 3) + 8;
  const coldMasses = <usize>word(usage, 5) + 8;
  const groupRests = <usize>word(usage, 11);
  memory.fill(masses, 0, <usize>word(usage, 2) << 3);
  memory.fill(coldMasses, 0, <usize>word(usage, 2) << 3);
  memory.fill(groupRests, 0, groups << 2);
  let total: f64 = 0;
  for (let j: usize = 0; j < items; j++) {
    const z = restScore(model, j);
    const end = <usize>load<u32>(<usize>word(usage, 8) + (j << 2), 4);
    for (let at = <usize>load<u32>(<usize>word(usage, 8) + (j << 2)); at < end; at++) {
      const cell = groupRests + (<usize>load<u32>(<usize>word(usage, 9) + (at << 2)) << 2);
      store<f32>(cell, load<f32>(cell) + z * load<f32>(<usize>word(usage, 10) + (at << 2)));
    }
    if (restMassOf(usage, j) == 0) continue;
    const mass = massOf(usage, z);
    store<f64>(<usize>word(usage, 0) + (j << 4), mass);
    total += mass;
    addToItem(usage, j, mass, masses);
  }
  let coldTotal: f64 = 0;
  for (let group: usize = 1; group < groups; group++) {
    coldTotal += addGroup(usage, group, massOf(usage, load<f32>(groupRests + (group << 2))), coldMasses);
  }
  store<f64>(<usize>word(usage, 3), total);
  store<f64>(<usize>word(usage, 5), coldTotal);
}

/**
 * Users [from, to) of a users block; other seen items at extraOffsets[u] … of extras: warm indices, then (from warm on) cold
 * items. Usages go to out[u · pairs …). A user that has seen all warm items, or all cold ones, gets −1 everywhere: the caller
 * reads it another way.
 */
export function usageUsers(
  model: usize, usage: usize, users: usize, extraOffsets: usize, extras: usize, out: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const question = questionOf(scratch);
  const pairs = <usize>word(usage, 2);
  const own = scratchEnd(model, scratch);
  const masses = own + 2 * roomOf(model);
  const coldMasses = masses + (pairs << 3);
  const groups = coldMasses + (pairs << 3);
  const base = load<f64>(<usize>word(usage, 3));
  const leavesOutSeen = word(usage, 4) != 0;
  for (let user = from; user < to; user++) {
    askFor(users, user, question);
    const count = scoreHistory(model, question, scratch);
    const extra = extras + (<usize>load<u32>(extraOffsets + (<usize>user << 2)) << 2);
    const extraEnd = leavesOutSeen ? extras + (<usize>load<u32>(extraOffsets + (<usize>(user + 1) << 2)) << 2) : extra;
    const floor = lowestScore(model, usage, count, scratch);
    memory.copy(masses, <usize>word(usage, 3) + 8, pairs << 3);
    memory.copy(coldMasses, <usize>word(usage, 5) + 8, pairs << 3);
    let total = base;
    let coldTotal = load<f64>(<usize>word(usage, 5));
    // What a seen item says of cold items it goes on saying.
    addToAllGroups(model, usage, count, groups, scratch);
    hideMarked(model, question, scratch);
    total -= hideExtras(model, usage, extra, extraEnd, masses, scratch);
    total += addReachedItems(model, usage, count, own, masses, scratch);
    coldTotal += addReachedGroups(usage, coldMasses, groups);
    coldTotal += addGroup(usage, 0, massOf(usage, floor), coldMasses);
    const allCold = coldTotal;
    for (let at = extra; at < extraEnd; at += 4) {
      const item = <usize>load<u32>(at);
      if (item < <usize>word(model, 0)) continue;
      coldTotal -= takeOffCold(usage, item - <usize>word(model, 0), floor, coldMasses, groups);
    }
    // Of less, rounding would be felt.
    const enough = total > LEAST_SHARE * base && (allCold == 0 || coldTotal > LEAST_SHARE * allCold);
    const coldShare: f64 = allCold == 0 ? 0 : load<f64>(usage, 96);
    const inverse: f64 = enough ? (1 - coldShare) / total : 0;
    const coldInverse: f64 = allCold == 0 ? 0 : coldShare / coldTotal;
    writeShares(masses, inverse, coldMasses, coldInverse, pairs, out + ((<usize>user * pairs) << 2));
    forgetGroups(usage, groups);
    clearScores(model, count, scratch);
  }
}

/** −1 everywhere when too little is left to tell shares. */
function writeShares(masses: usize, inverse: f64, coldMasses: usize, coldInverse: f64, pairs: usize, out: usize): void {
  for (let p: usize = 0; p < pairs; p++) {
    const share = load<f64>(masses + (p << 3)) * inverse + load<f64>(coldMasses + (p << 3)) * coldInverse;
    store<f32>(out + (p << 2), <f32>(inverse == 0 ? -1 : max<f64>(0, min<f64>(1, share))));
  }
}

/** Puts the reached items' own masses in place of their rest masses; returns what that adds to the total. */
function addReachedItems(model: usize, usage: usize, count: u32, own: usize, masses: usize, scratch: usize): f64 {
  const reached = reachedOf(model, scratch);
  const scores = scoresOf(model, scratch);
  // The score of a hidden item is so low that its mass is nothing.
  for (let t: usize = 0; t < <usize>count << 2; t += 8) {
    v128.store(own + (t << 1), massesOf(usage, f64x2.promote_low_f32x4(v128.load64_zero(scores + t))));
  }
  let sum: f64 = 0;
  for (let t: usize = 0; t < <usize>count << 2; t += 4) {
    const j = <usize>load<u32>(reached + t);
    const rest = restMassOf(usage, j);
    if (rest == 0) continue;
    const change = load<f64>(own + (t << 1)) - rest;
    sum += change;
    addToItem(usage, j, change, masses);
  }
  return sum;
}

function addToAllGroups(model: usize, usage: usize, count: u32, groups: usize, scratch: usize): void {
  if (word(usage, 7) <= 1) return;
  for (let t: usize = 0; t < <usize>count << 2; t += 4) {
    const j = <usize>load<u32>(reachedOf(model, scratch) + t);
    addToGroups(usage, j, load<f32>(scoresOf(model, scratch) + t) - restScore(model, j), groups);
  }
}

/** The lowest z of all warm items, if anything is scored by it: the reached ones, and the least popular of the others. */
function lowestScore(model: usize, usage: usize, count: u32, scratch: usize): f32 {
  if (load<f32>(<usize>word(usage, 12)) == 0) return 0;
  const scores = scoresOf(model, scratch);
  let lowest: f32 = f32.MAX_VALUE;
  for (let t: usize = 0; t < <usize>count << 2; t += 4) lowest = min(lowest, load<f32>(scores + t));
  const order = <usize>word(model, 6);
  for (let n = word(model, 0); n > 0; n--) {
    const j = <usize>load<u32>(order + (<usize>(n - 1) << 2));
    if (placeAfter(model, j, scratch) == 0) return min(lowest, restScore(model, j));
  }
  return lowest;
}

/** Hides the warm ones of the other seen items. Those that are not reached lose their masses at once: returns their sum. */
function hideExtras(model: usize, usage: usize, extra: usize, end: usize, masses: usize, scratch: usize): f64 {
  let taken: f64 = 0;
  for (; extra < end; extra += 4) {
    const item = <usize>load<u32>(extra);
    if (item >= <usize>word(model, 0)) continue;
    const place = placeAfter(model, item, scratch);
    if (place != 0) hidePlace(model, place, scratch);
    else {
      const rest = restMassOf(usage, item);
      addToItem(usage, item, -rest, masses);
      taken += rest;
    }
  }
  return taken;
}
