// Usage of attribute values by many users: the share of p_j ∝ exp(τ z_j), over the whole catalogue, that falls on the items
// with a value. Exact, without visiting the whole catalogue for each user: an item that the history does not reach has the
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
//   0 → warm items, 8 bytes each: power f32 of a mass of 2^power that is not reached, that mass f32 (when not listed: −10,000
//       and 0; the mass has a sign where the item has pairs or counts in groups); one more that stands for nothing
//   1 → pairs u32: the pairs of the warm items                   2 pairs
//   3 → base masses f64: total, then one a pair                  4 seen items get nothing
//   5 τ / log 2 f32             6 −shift / log 2 f32, so that exp stays in range
//   7 groups (≥ 1)              8 → group offsets u32[warm + 1]  9 → groups u32 a warm item counts in   10 → its part f32
//   11 → rest z f32[groups]     12 → listed items f32[groups]
//   13 → group pair offsets u32[groups + 1]   14 → pairs u32     15 → items with the pair f32
//   16 → group u32 of a cold item             17 → cold pair offsets u32   18 → cold pairs u32
//   19 → pair offsets u32[warm + 1]           20 → packed rows             21 whether they are wide (both: see reach.ts)
//   22 → rest z f32[warm]
// The scratch: that of reach.ts, then three arrays over places: change of mass f32; which places have pairs or groups, u32; score
// f32 of what is hidden; then masses f64[pairs], and what cold-groups.ts needs.
import { addGroup, addReachedGroups, addToGroups, forgetGroups, takeOffCold } from './cold-groups';
import { addToPairs, EXP_TERMS, massOfOne, powersOfTwo } from './masses';
import { endOf, firstSlot, forget, reach, reachedOf, roomOf, scoresOf, slotsOf } from './reach';
import { restScore, word } from './score';

const HAS_MORE: u32 = 0x80000000;
const UNLISTED: f32 = -10000;
/** In place of the score of an item that gets nothing. */
const HIDDEN: f32 = -1e9;

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
  return abs(load<f32>(<usize>word(usage, 0) + (j << 3), 4));
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
    const item = <usize>word(usage, 0) + (j << 3);
    const z = restScore(model, j);
    store<f32>(<usize>word(usage, 22) + (j << 2), z);
    store<f32>(item, UNLISTED);
    const end = <usize>load<u32>(<usize>word(usage, 8) + (j << 2), 4);
    for (let at = <usize>load<u32>(<usize>word(usage, 8) + (j << 2)); at < end; at++) {
      const cell = groupRests + (<usize>load<u32>(<usize>word(usage, 9) + (at << 2)) << 2);
      store<f32>(cell, load<f32>(cell) + z * load<f32>(<usize>word(usage, 10) + (at << 2)));
    }
    if (restMassOf(usage, j) == 0) continue;
    const mass = massOfOne(usage, z);
    store<f32>(item, z * load<f32>(usage, 20) + load<f32>(usage, 24));
    store<u32>(item, reinterpret<u32>(<f32>mass) | (load<u32>(item, 4) & HAS_MORE), 4);
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
 * (from warm on) cold items; usages go to out[u · pairs …). A user that has seen the whole catalogue gets −1 everywhere: the
 * caller reads it another way.
 */
export function usageUsers(
  model: usize, usage: usize, historyOffsets: usize, history: usize, weights: usize, seen: usize, extraOffsets: usize,
  extras: usize, out: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const pairs = <usize>word(usage, 2);
  const masses = endOf(model, scratch) + 3 * roomOf(model);
  const groups = masses + (pairs << 3);
  const least = 1e-12 * load<f64>(<usize>word(usage, 3));
  const leaveOutSeen = word(usage, 4) != 0;
  for (let user = from; user < to; user++) {
    const start = load<u32>(historyOffsets + (<usize>user << 2));
    const length = load<u32>(historyOffsets + (<usize>(user + 1) << 2)) - start;
    const count = reach(
      model, <usize>word(usage, 20), word(usage, 21) != 0, load<f32>(usage, 20), length, history + (<usize>start << 2), weights + (<usize>start << 2), seen + start, scratch,
    );
    const extra = extras + (<usize>load<u32>(extraOffsets + (<usize>user << 2)) << 2);
    const extraEnd = leaveOutSeen ? extras + (<usize>load<u32>(extraOffsets + (<usize>(user + 1) << 2)) << 2) : extra;
    const floor = lowestScore(model, usage, count, scratch);
    memory.copy(masses, <usize>word(usage, 3) + 8, pairs << 3);
    let total = load<f64>(<usize>word(usage, 3));
    if (leaveOutSeen) total -= hideSeen(model, usage, length, seen + start, extra, extraEnd, masses, scratch);
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
  const items = <usize>word(usage, 0);
  const reached = reachedOf(model, scratch);
  const scores = scoresOf(model, scratch);
  const changes = endOf(model, scratch);
  // The last step of four is filled up with the item that stands for nothing.
  v128.store(reached + (<usize>count << 2), i32x4.splat(word(model, 0)));
  const p0 = v128.load32_splat(EXP_TERMS);
  const p1 = v128.load32_splat(EXP_TERMS, 4);
  const p2 = v128.load32_splat(EXP_TERMS, 8);
  const p3 = v128.load32_splat(EXP_TERMS, 12);
  const p4 = v128.load32_splat(EXP_TERMS, 16);
  const whole = v128.load32_splat(EXP_TERMS, 20);
  const lowest = v128.load32_splat(EXP_TERMS, 24);
  let sum = f64x2.splat(0);
  let places = v128.load(FOUR_PLACES);
  const four = i32x4.splat(16);
  const list = changes + roomOf(model);
  let listed = list;
  for (let at: usize = 0; at < <usize>count << 2; at += 16) {
    const ab = v128.load64_lane(
      items + (<usize>load<u32>(reached + at, 4) << 3), v128.load64_zero(items + (<usize>load<u32>(reached + at) << 3)), 1,
    );
    const cd = v128.load64_lane(
      items + (<usize>load<u32>(reached + at, 12) << 3), v128.load64_zero(items + (<usize>load<u32>(reached + at, 8) << 3)), 1,
    );
    const power = f32x4.add(v128.load(scores + at), v128.shuffle<f32>(ab, cd, 0, 2, 4, 6));
    const signed = v128.shuffle<f32>(ab, cd, 1, 3, 5, 7);
    const own = powersOfTwo(power, p0, p1, p2, p3, p4, whole, lowest);
    const change = f32x4.sub(own, f32x4.abs(signed));
    v128.store(changes + at, change);
    sum = f64x2.add(sum, f64x2.add(f64x2.promote_low_f32x4(change), highOf(change)));
    const bits = i32x4.bitmask(signed);
    v128.store(listed, i8x16.relaxed_swizzle(places, v128.load(KEPT + (<usize>bits << 4))));
    listed += <usize>popcnt(bits) << 2;
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
    for (let n = list; n < listed; n += 4) {
      const at = <usize>load<u32>(n);
      const hidden = load<f32>(scores + at) == HIDDEN;
      const score = load<f32>((hidden ? asideOf(model, scratch) : scores) + at);
      addToGroups(usage, <usize>load<u32>(reached + at), score / load<f32>(usage, 20), groups);
    }
  }
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
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
  const unit = load<f32>(usage, 20);
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

// @ts-ignore: decorator
@inline
function asideOf(model: usize, scratch: usize): usize {
  return endOf(model, scratch) + 2 * roomOf(model);
}

/**
 * Hides the seen items of the history, and the warm ones of the others that are reached; takes the masses of those that are not
 * off their pairs, and answers them.
 */
function hideSeen(
  model: usize, usage: usize, length: u32, seen: usize, extra: usize, extraEnd: usize, masses: usize, scratch: usize,
): f64 {
  for (let l: u32 = 0; l < length; l++) if (load<u8>(seen + l) != 0) hide(model, <usize>l << 2, scratch);
  let taken: f64 = 0;
  for (; extra < extraEnd; extra += 4) {
    const item = <usize>load<u32>(extra);
    if (item >= <usize>word(model, 0)) continue;
    const slot = load<u32>(slotsOf(scratch) + (item << 2));
    if (slot >= firstSlot(scratch)) {
      hide(model, <usize>(slot - firstSlot(scratch)), scratch);
    } else {
      const rest = <f64>restMassOf(usage, item);
      addToItem(usage, item, -rest, masses);
      taken += rest;
    }
  }
  return taken;
}

// @ts-ignore: decorator
@inline
function hide(model: usize, at: usize, scratch: usize): void {
  const score = scoresOf(model, scratch) + at;
  store<f32>(asideOf(model, scratch) + at, load<f32>(score));
  store<f32>(score, HIDDEN);
}
