// Usage of attribute values by many users: the share of p_j ∝ exp(τ z_j), over the whole catalog, that falls on the items
// with a value. Exact, without visiting the whole catalog for each user: an item that the history does not reach has the
// popularity part of z alone ("rest"), which is the same for every user. So, with e = exp(τ z − shift) the mass of an item,
//     mass(value) = base(value) + Σ over reached items with the value of (e_own − e_rest)
// and the same for the total; base is summed once.
//
// Items without events are scored in groups (cold-groups.ts).
//
// A seen item that gets nothing has no mass of its own from the start: if it had, and were taken off later, little might be left
// of the others, whose masses can be smaller by far.
//
// The usage block (u32 words, f32 where named):
//   0 → rest f32: 2^lift · the mass of each warm item while it is not reached, 0 when not listed, with a sign where the item has
//       pairs or counts in groups; one more that stands for nothing. Set to 1 or 0 at first, with the sign.
//   1 → pairs u32: the pairs of the warm items                   2 pairs
//   3 → base masses f64: total, then one a pair                  4 seen items get nothing
//   5 τ / log 2 f32             6 −shift / log 2 f32, so that exp stays in range
//   7 groups (≥ 1)              8 → group offsets u32[warm + 1]  9 → groups u32 a warm item counts in   10 → its part f32
//   11 → rest z f32[groups]     12 → listed items f32[groups]
//   13 → group pair offsets u32[groups + 1]   14 → pairs u32     15 → items with the pair f32
//   16 → group u32 of a cold item             17 → cold pair offsets u32   18 → cold pairs u32
//   19 → pair offsets u32[warm + 1]           20 → packed rows             21 whether they are wide (both: see reach.ts)
//   22 → rest z f32[warm]       23 lift f32                      24 2^−lift f32
//   25 1.5 · 2^23 − lift f32    26 lift − 126 f32: what powersOfTwo takes, for powers that are 2^−lift of what they stand for
//   27 → signed u32[experts] (see reach.ts)
// The lift is 0 unless scores differ by more than a 32-bit power of two can: then it brings the powers back into range.
// The scratch: that of reach.ts, then two arrays over places: change of mass f32; which places have pairs or groups, u32; then
// masses f64[pairs], and what cold-groups.ts needs.
import { addGroup, addReachedGroups, addToGroups, forgetGroups, takeOffCold } from './cold-groups';
import { addToPairs, EXP_TERMS, massOfOne, powerOfTwo, powersOfTwo } from './masses';
import { endOf, firstSlot, forget, reach, reachedOf, roomOf, scoresOf, slotsOf } from './reach';
import { restScore, word } from './score';

const HAS_MORE: u32 = 0x80000000;
/** Four places, in bytes. */
const STEP: usize = memory.data<u32>([16], 16);

const FOUR_PLACES: usize = memory.data<u32>([0, 4, 8, 12], 16);
/** By four bits, one a word: the bytes of the words whose bit is set, moved to the front. */
const KEPT: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0,
  8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0,
  4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0,
  12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0,
  4, 5, 6, 7, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 0, 0, 0, 0,
  8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0,
  4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
], 16);

/** The unit of scores: a reached item's mass is 2^score · its mass at rest. */
// @ts-ignore: decorator
@inline
function unitOf(usage: usize): f32 {
  return load<f32>(usage, 20);
}

/** Adds a mass to the pairs of a warm item. */
// @ts-ignore: decorator
@inline
function addToItem(usage: usize, j: usize, mass: f64, masses: usize): void {
  const offsets = <usize>word(usage, 19) + (j << 2);
  addToPairs(<usize>word(usage, 1), load<u32>(offsets), load<u32>(offsets, 4), mass, masses);
}

/** The mass of a warm item that is not reached; 0 when it is not listed. */
// @ts-ignore: decorator
@inline
function restMassOf(usage: usize, j: usize): f32 {
  return abs(load<f32>(<usize>word(usage, 0) + (j << 2))) * load<f32>(usage, 96);
}

/** What is the same for all users: rest scores and masses, base masses. Group 0 is not in the base. One row, no scratch. */
export function usageBase(model: usize, usage: usize, from: u32, to: u32, scratch: usize): void {
  const items = <usize>word(model, 0);
  const groups = <usize>word(usage, 7);
  const masses = <usize>word(usage, 3) + 8;
  const groupRests = <usize>word(usage, 11);
  memory.fill(masses, 0, <usize>word(usage, 2) << 3);
  memory.fill(groupRests, 0, groups << 2);
  let total: f64 = 0;
  for (let j: usize = 0; j < items; j++) {
    const item = <usize>word(usage, 0) + (j << 2);
    const z = restScore(model, j);
    store<f32>(<usize>word(usage, 22) + (j << 2), z);
    const end = <usize>load<u32>(<usize>word(usage, 8) + (j << 2), 4);
    for (let at = <usize>load<u32>(<usize>word(usage, 8) + (j << 2)); at < end; at++) {
      const cell = groupRests + (<usize>load<u32>(<usize>word(usage, 9) + (at << 2)) << 2);
      store<f32>(cell, load<f32>(cell) + z * load<f32>(<usize>word(usage, 10) + (at << 2)));
    }
    if (load<f32>(item) == 0) continue;
    const rest = powerOfTwo(z * load<f32>(usage, 20) + load<f32>(usage, 24) + load<f32>(usage, 92));
    store<u32>(item, reinterpret<u32>(rest) | (load<u32>(item) & HAS_MORE));
    const mass = <f64>restMassOf(usage, j);
    total += mass;
    addToItem(usage, j, mass, masses);
  }
  for (let group: usize = 1; group < groups; group++) {
    total += addGroup(usage, group, massOfOne(usage, load<f32>(groupRests + (group << 2))), masses);
  }
  store<f64>(<usize>word(usage, 3), total);
}

/**
 * Users [from, to): history at historyOffsets[u] …; other seen items at extraOffsets[u] … of extras: warm indices, then
 * (from warm on) cold items; usages go to out[u · pairs …). A user that has seen the whole catalog gets −1 everywhere: the
 * caller reads it another way.
 */
export function usageUsers(
  model: usize, usage: usize, historyOffsets: usize, history: usize, weights: usize, seen: usize, extraOffsets: usize,
  extras: usize, out: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const pairs = <usize>word(usage, 2);
  const masses = endOf(model, scratch) + 2 * roomOf(model);
  const groups = masses + (pairs << 3);
  const least = 1e-12 * load<f64>(<usize>word(usage, 3));
  const leaveOutSeen = word(usage, 4) != 0;
  for (let user = from; user < to; user++) {
    const start = load<u32>(historyOffsets + (<usize>user << 2));
    const length = load<u32>(historyOffsets + (<usize>(user + 1) << 2)) - start;
    const count = reach(
      model, <usize>word(usage, 20), word(usage, 21) != 0, <usize>word(usage, 27), unitOf(usage), length, history + (<usize>start << 2), weights + (<usize>start << 2), seen + start, scratch,
    );
    const extra = extras + (<usize>load<u32>(extraOffsets + (<usize>user << 2)) << 2);
    const extraEnd = leaveOutSeen ? extras + (<usize>load<u32>(extraOffsets + (<usize>(user + 1) << 2)) << 2) : extra;
    const floor = lowestScore(model, usage, count, scratch);
    memory.copy(masses, <usize>word(usage, 3) + 8, pairs << 3);
    let total = load<f64>(<usize>word(usage, 3));
    if (leaveOutSeen) total -= hideSeen(model, usage, length, seen + start, extra, extraEnd, masses, groups, scratch);
    total += addReachedItems(model, usage, count, masses, groups, scratch);
    total += addReachedGroups(usage, masses, groups);
    total += addGroup(usage, 0, massOfOne(usage, floor), masses);
    for (let at = extra; at < extraEnd; at += 4) {
      const item = <usize>load<u32>(at);
      if (item < <usize>word(model, 0)) continue;
      total -= takeOffCold(usage, item - <usize>word(model, 0), floor, masses, groups);
    }
    const result = out + ((<usize>user * pairs) << 2);
    if (total > least) {
      const inverse: f64 = 1 / total;
      for (let p: usize = 0; p < pairs; p++) {
        const share = load<f64>(masses + (p << 3)) * inverse;
        store<f32>(result + (p << 2), <f32>max<f64>(0, min<f64>(1, share)));
      }
    } else {
      for (let p: usize = 0; p < pairs; p++) store<f32>(result + (p << 2), -1);
    }
    forgetGroups(usage, groups);
    forget(model, count, scratch);
  }
}

/** Puts the reached items' own masses in place of their rest masses; answers what that adds to the total. */
function addReachedItems(
  model: usize, usage: usize, count: u32, masses: usize, groups: usize, scratch: usize,
): f64 {
  const rests = <usize>word(usage, 0);
  const reached = reachedOf(model, scratch);
  const scores = scoresOf(model, scratch);
  const changes = endOf(model, scratch);
  // The last step is filled up with the item that stands for nothing.
  const nothing = i32x4.splat(word(model, 0));
  v128.store(reached + (<usize>count << 2), nothing);
  v128.store(reached + (<usize>count << 2), nothing, 16);
  const p0 = v128.load32_splat(EXP_TERMS);
  const p1 = v128.load32_splat(EXP_TERMS, 4);
  const p2 = v128.load32_splat(EXP_TERMS, 8);
  const p3 = v128.load32_splat(EXP_TERMS, 12);
  const p4 = v128.load32_splat(EXP_TERMS, 16);
  const whole = v128.load32_splat(usage, 100);
  const lowest = v128.load32_splat(usage, 104);
  const unlift = v128.load32_splat(usage, 96);
  const four = v128.load32_splat(STEP);
  let sum = f64x2.splat(0);
  let places = v128.load(FOUR_PLACES);
  const list = changes + roomOf(model);
  let listed = list;
  for (let at: usize = 0; at < <usize>count << 2; at += 32) {
    const a = restsOf(rests, reached + at);
    const b = restsOf(rests, reached + at + 16);
    const x = powersOfTwo(v128.load(scores + at), p0, p1, p2, p3, p4, whole, lowest);
    const y = powersOfTwo(v128.load(scores + at, 16), p0, p1, p2, p3, p4, whole, lowest);
    const changeA = changeOf(a, x, unlift);
    const changeB = changeOf(b, y, unlift);
    v128.store(changes + at, changeA);
    v128.store(changes + at, changeB, 16);
    const both = f32x4.add(changeA, changeB);
    sum = f64x2.add(sum, f64x2.add(f64x2.promote_low_f32x4(both), highOf(both)));
    const bitsA = i32x4.bitmask(a);
    v128.store(listed, i8x16.relaxed_swizzle(places, v128.load(<usize>bitsA << 4, KEPT)));
    listed += <usize>popcnt(bitsA) << 2;
    places = i32x4.add(places, four);
    const bitsB = i32x4.bitmask(b);
    v128.store(listed, i8x16.relaxed_swizzle(places, v128.load(<usize>bitsB << 4, KEPT)));
    listed += <usize>popcnt(bitsB) << 2;
    places = i32x4.add(places, four);
  }
  const offsets = <usize>word(usage, 19);
  const pairs = <usize>word(usage, 1);
  for (let n = list; n < listed; n += 4) {
    const at = <usize>load<u32>(n);
    const j = <usize>load<u32>(reached + at);
    const ends = offsets + (j << 2);
    addToPairs(pairs, load<u32>(ends), load<u32>(ends, 4), <f64>load<f32>(changes + at), masses);
  }
  if (word(usage, 7) > 1) {
    const inverse: f32 = 1 / unitOf(usage);
    for (let n = list; n < listed; n += 4) {
      const at = <usize>load<u32>(n);
      addToGroups(usage, <usize>load<u32>(reached + at), inverse * load<f32>(scores + at), groups);
    }
  }
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** The rests of four items. */
// @ts-ignore: decorator
@inline
function restsOf(rests: usize, items: usize): v128 {
  let four = v128.load32_zero(rests + (<usize>load<u32>(items) << 2));
  four = v128.load32_lane(rests + (<usize>load<u32>(items, 4) << 2), four, 1);
  four = v128.load32_lane(rests + (<usize>load<u32>(items, 8) << 2), four, 2);
  return v128.load32_lane(rests + (<usize>load<u32>(items, 12) << 2), four, 3);
}

/** What reaching four items changes in their masses. */
// @ts-ignore: decorator
@inline
function changeOf(rests: v128, powers: v128, unlift: v128): v128 {
  const lifted = f32x4.abs(rests);
  return f32x4.relaxed_nmadd(lifted, unlift, f32x4.mul(lifted, powers));
}

// @ts-ignore: decorator
@inline
function highOf(v: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<f32>(v, v, 2, 3, 2, 3));
}

/** The lowest z of all warm items, if anything is scored by it: the reached ones, and the least popular of the others. */
function lowestScore(model: usize, usage: usize, count: u32, scratch: usize): f32 {
  if (load<f32>(<usize>word(usage, 12)) == 0) return 0;
  const scores = scoresOf(model, scratch);
  let lowest: f32 = f32.MAX_VALUE;
  const rests = <usize>word(usage, 22);
  const unit = unitOf(usage);
  for (let t: usize = 0; t < <usize>count << 2; t += 4) {
    const j = <usize>load<u32>(reachedOf(model, scratch) + t);
    lowest = min(lowest, load<f32>(rests + (j << 2)) + load<f32>(scores + t) / unit);
  }
  const order = <usize>word(model, 6);
  for (let n = word(model, 0); n > 0; n--) {
    const j = <usize>load<u32>(order + (<usize>(n - 1) << 2));
    if (load<u32>(slotsOf(scratch) + (j << 2)) >= firstSlot(scratch)) continue;
    return min(lowest, load<f32>(rests + (j << 2)));
  }
  return lowest;
}

/**
 * Hides the seen items of the history, and the warm ones of the others: takes their masses off their pairs, and answers them.
 */
function hideSeen(
  model: usize, usage: usize, length: u32, seen: usize, extra: usize, extraEnd: usize, masses: usize, groups: usize, scratch: usize,
): f64 {
  const first = firstSlot(scratch);
  let taken: f64 = 0;
  for (let l: u32 = 0; l < length; l++) {
    if (load<u8>(seen + l) != 0) taken += hide(model, usage, <usize>l << 2, masses, groups, scratch);
  }
  for (; extra < extraEnd; extra += 4) {
    const item = <usize>load<u32>(extra);
    if (item >= <usize>word(model, 0)) continue;
    const slot = load<u32>(slotsOf(scratch) + (item << 2));
    taken += slot >= first ? hide(model, usage, <usize>(slot - first), masses, groups, scratch) : takeOff(usage, item, masses);
  }
  return taken;
}

/**
 * Hides a reached item: one that stands for nothing takes its place, without its score, which no bound holds. What it says of
 * cold items it goes on saying.
 */
function hide(model: usize, usage: usize, at: usize, masses: usize, groups: usize, scratch: usize): f64 {
  const place = reachedOf(model, scratch) + at;
  const score = scoresOf(model, scratch) + at;
  const item = <usize>load<u32>(place);
  if (word(usage, 7) > 1) addToGroups(usage, item, load<f32>(score) / unitOf(usage), groups);
  store<u32>(place, word(model, 0));
  store<f32>(score, 0);
  return takeOff(usage, item, masses);
}

/** Takes the mass of a warm item off its pairs; answers it. */
function takeOff(usage: usize, item: usize, masses: usize): f64 {
  const rest = <f64>restMassOf(usage, item);
  addToItem(usage, item, -rest, masses);
  return rest;
}
