// Usage of attribute values by many users: the share of p_j ∝ exp(τ z_j), over the whole catalogue, that falls on the items
// with a value. Exact, without visiting the whole catalogue for each user: an item that the history does not reach has the
// popularity part of z alone ("rest"), which is the same for every user. So, with e = exp(τ z − shift) the mass of an item,
//     mass(value) = base(value) + Σ over reached items with the value of (e_own − e_rest)
// and the same for the total; base is summed once.
//
// Items without events are scored in groups: z of a group is the mean z of some warm items, so a group is reached when one of
// those is. Group 0 has no such items: its z is the lowest of all warm items.
//
// The usage block (u32 words, f32 where named):
//   0 → listed u8[warm]         1 → pair offsets u32[warm + 1]   2 → pairs u32: the pairs a warm item has   3 pairs
//   4 → rest z f32[warm]        5 → rest masses f32[warm]        6 → base masses f64: total, then one a pair
//   7 seen items get nothing    8 τ f32                          9 shift f32, so that exp stays in range
//   10 groups (≥ 1)             11 → group offsets u32[warm + 1] 12 → groups u32 a warm item counts in   13 → its part f32
//   14 → rest z f32[groups]     15 → listed items f32[groups]
//   16 → group pair offsets u32[groups + 1]   17 → pairs u32     18 → items with the pair f32
//   19 → group u32 of a cold item             20 → cold pair offsets u32   21 → cold pairs u32
// The scratch: that of scoring, then masses f64[pairs], gains f32[groups], reached u32[groups], flags u8[groups].
import { clearScores, restScore, scoreHistory, scoresOf, scratchEnd, SEEN, touchedOf, word } from './score';

// @ts-ignore: decorator
@inline
function float(block: usize, n: usize): f32 {
  return load<f32>(block + (n << 2));
}

/** e^v of four values: 2^n · e^f with |f| ≤ ½ log 2, by a polynomial; relative error below 3e-7. */
// @ts-ignore: decorator
@inline
function expOf(v: v128): v128 {
  const y = f32x4.mul(f32x4.min(f32x4.max(v, f32x4.splat(-87)), f32x4.splat(88)), f32x4.splat(1.44269504089));
  const n = f32x4.nearest(y);
  const f = f32x4.mul(f32x4.sub(y, n), f32x4.splat(0.69314718056));
  let p = f32x4.splat(0.00138888889);
  p = f32x4.relaxed_madd(p, f, f32x4.splat(0.00833333333));
  p = f32x4.relaxed_madd(p, f, f32x4.splat(0.04166666667));
  p = f32x4.relaxed_madd(p, f, f32x4.splat(0.16666666667));
  p = f32x4.relaxed_madd(p, f, f32x4.splat(0.5));
  p = f32x4.relaxed_madd(p, f, f32x4.splat(1));
  p = f32x4.relaxed_madd(p, f, f32x4.splat(1));
  return f32x4.mul(p, i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23));
}

// @ts-ignore: decorator
@inline
function massOf(usage: usize, z: v128): v128 {
  return expOf(f32x4.sub(f32x4.mul(z, f32x4.splat(float(usage, 8))), f32x4.splat(float(usage, 9))));
}

// @ts-ignore: decorator
@inline
function massOfOne(usage: usize, z: f32): f64 {
  return <f64>f32x4.extract_lane(massOf(usage, f32x4.splat(z)), 0);
}

// @ts-ignore: decorator
@inline
function addMass(masses: usize, pair: u32, mass: f64): void {
  const cell = masses + (<usize>pair << 3);
  store<f64>(cell, load<f64>(cell) + mass);
}

/** Adds a mass to every pair of item n of the offsets and pairs given. */
// @ts-ignore: decorator
@inline
function addToPairs(offsets: usize, pairs: usize, n: usize, mass: f64, masses: usize): void {
  const end = load<u32>(offsets + (n << 2), 4);
  for (let at = load<u32>(offsets + (n << 2)); at < end; at++) {
    addMass(masses, load<u32>(pairs + (<usize>at << 2)), mass);
  }
}

/** Adds a group's mass times its listed items; answers what that adds to the total. */
// @ts-ignore: decorator
@inline
function addGroup(usage: usize, group: usize, mass: f64, masses: usize): f64 {
  const offsets = <usize>word(usage, 16) + (group << 2);
  const end = <usize>load<u32>(offsets, 4);
  for (let at = <usize>load<u32>(offsets); at < end; at++) {
    const items = load<f32>(<usize>word(usage, 18) + (at << 2));
    addMass(masses, load<u32>(<usize>word(usage, 17) + (at << 2)), mass * <f64>items);
  }
  return mass * <f64>load<f32>(<usize>word(usage, 15) + (group << 2));
}

/** What is the same for all users: words 4, 5, 6 and 14. Group 0 is not in the base. One row, no scratch. */
export function usageBase(model: usize, usage: usize, from: u32, to: u32, scratch: usize): void {
  const items = <usize>word(model, 0);
  const groups = <usize>word(usage, 10);
  const masses = <usize>word(usage, 6) + 8;
  const groupRests = <usize>word(usage, 14);
  memory.fill(masses, 0, <usize>word(usage, 3) << 3);
  memory.fill(groupRests, 0, groups << 2);
  let total: f64 = 0;
  for (let j: usize = 0; j < items; j++) {
    const z = restScore(model, j);
    store<f32>(<usize>word(usage, 4) + (j << 2), z);
    const mass = massOfOne(usage, z);
    store<f32>(<usize>word(usage, 5) + (j << 2), <f32>mass);
    const end = <usize>load<u32>(<usize>word(usage, 11) + (j << 2), 4);
    for (let at = <usize>load<u32>(<usize>word(usage, 11) + (j << 2)); at < end; at++) {
      const cell = groupRests + (<usize>load<u32>(<usize>word(usage, 12) + (at << 2)) << 2);
      store<f32>(cell, load<f32>(cell) + z * load<f32>(<usize>word(usage, 13) + (at << 2)));
    }
    if (load<u8>(<usize>word(usage, 0) + j) == 0) continue;
    total += mass;
    addToPairs(<usize>word(usage, 1), <usize>word(usage, 2), j, mass, masses);
  }
  for (let group: usize = 1; group < groups; group++) {
    total += addGroup(usage, group, massOfOne(usage, load<f32>(groupRests + (group << 2))), masses);
  }
  store<f64>(<usize>word(usage, 6), total);
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
  const items = word(model, 0);
  const lanes = word(model, 1);
  const pairs = <usize>word(usage, 3);
  const masses = scratchEnd(scratch, items, lanes);
  const least = 1e-12 * load<f64>(<usize>word(usage, 6));
  for (let user = from; user < to; user++) {
    const start = load<u32>(historyOffsets + (<usize>user << 2));
    const length = load<u32>(historyOffsets + (<usize>(user + 1) << 2)) - start;
    const count = scoreHistory(
      model, length, history + (<usize>start << 2), weights + (<usize>start << 2), seen + start, scratch,
    );
    const extraFrom = load<u32>(extraOffsets + (<usize>user << 2));
    const extraTo = load<u32>(extraOffsets + (<usize>(user + 1) << 2));
    const total = userMasses(model, usage, count, extras, extraFrom, extraTo, masses, scratch);
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
    clearScores(model, count, scratch);
  }
}

function userMasses(
  model: usize, usage: usize, count: u32, extras: usize, extraFrom: u32, extraTo: u32, masses: usize, scratch: usize,
): f64 {
  const items = word(model, 0);
  const pairs = <usize>word(usage, 3);
  const groups = <usize>word(usage, 10);
  const touched = touchedOf(scratch, items);
  const scores = scoresOf(scratch, items);
  const gains = masses + (pairs << 3);
  const reached = gains + (groups << 2);
  const groupFlags = reached + (groups << 2);
  const listed = <usize>word(usage, 0);
  const pairOffsets = <usize>word(usage, 1);
  const pairList = <usize>word(usage, 2);
  const rests = <usize>word(usage, 4);
  const restMasses = <usize>word(usage, 5);
  const groupOffsets = <usize>word(usage, 11);
  const groupRests = <usize>word(usage, 14);
  const noSeen = word(usage, 7) != 0;
  memory.copy(masses, <usize>word(usage, 6) + 8, pairs << 3);
  let total = load<f64>(<usize>word(usage, 6));
  if (noSeen) {
    for (let n = extraFrom; n < extraTo; n++) {
      const item = <usize>load<u32>(extras + (<usize>n << 2));
      if (item < <usize>items) store<u32>(scratch + (item << 2), load<u32>(scratch + (item << 2)) | SEEN);
    }
  }
  let lowest: f32 = f32.MAX_VALUE;
  let reachedCount: usize = 0;
  for (let t: u32 = 0; t < count; t += 4) {
    const z = v128.load(scores + (<usize>t << 2));
    const own = massOf(usage, z);
    const lanesHere = min<u32>(4, count - t);
    for (let lane: u32 = 0; lane < lanesHere; lane++) {
      const j = <usize>load<u32>(touched + (<usize>(t + lane) << 2));
      const score = laneOf(z, lane);
      lowest = min(lowest, score);
      if (load<u8>(listed + j) != 0) {
        const left: f64 = noSeen && (load<u32>(scratch + (j << 2)) & SEEN) != 0 ? 0 : <f64>laneOf(own, lane);
        const change = left - <f64>load<f32>(restMasses + (j << 2));
        total += change;
        addToPairs(pairOffsets, pairList, j, change, masses);
      }
      const end = <usize>load<u32>(groupOffsets + (j << 2), 4);
      for (let at = <usize>load<u32>(groupOffsets + (j << 2)); at < end; at++) {
        const group = <usize>load<u32>(<usize>word(usage, 12) + (at << 2));
        const cell = gains + (group << 2);
        if (load<u8>(groupFlags + group) == 0) {
          store<u8>(groupFlags + group, 1);
          store<f32>(cell, 0);
          store<u32>(reached + (reachedCount << 2), <u32>group);
          reachedCount++;
        }
        const gain = (score - load<f32>(rests + (j << 2))) * load<f32>(<usize>word(usage, 13) + (at << 2));
        store<f32>(cell, load<f32>(cell) + gain);
      }
    }
  }
  for (let n: usize = 0; n < reachedCount; n++) {
    const group = <usize>load<u32>(reached + (n << 2));
    const rest = load<f32>(groupRests + (group << 2));
    const own = rest + load<f32>(gains + (group << 2));
    total += addGroup(usage, group, massOfOne(usage, own) - massOfOne(usage, rest), masses);
  }
  const floor = min(lowest, lowestRest(model, scratch, rests));
  total += addGroup(usage, 0, massOfOne(usage, floor), masses);
  if (noSeen) {
    for (let n = extraFrom; n < extraTo; n++) {
      const item = <usize>load<u32>(extras + (<usize>n << 2));
      if (item < <usize>items) {
        // A reached item was dealt with above, and clearing the scores clears its mark.
        if ((load<u32>(scratch + (item << 2)) & ~SEEN) != 0) continue;
        store<u32>(scratch + (item << 2), 0);
        if (load<u8>(listed + item) == 0) continue;
        const mass = <f64>load<f32>(restMasses + (item << 2));
        total -= mass;
        addToPairs(pairOffsets, pairList, item, -mass, masses);
      } else {
        const cold = item - <usize>items;
        const group = <usize>load<u32>(<usize>word(usage, 19) + (cold << 2));
        const gain: f32 = load<u8>(groupFlags + group) == 0 ? 0 : load<f32>(gains + (group << 2));
        const mass = massOfOne(usage, group == 0 ? floor : load<f32>(groupRests + (group << 2)) + gain);
        total -= mass;
        addToPairs(<usize>word(usage, 20), <usize>word(usage, 21), cold, -mass, masses);
      }
    }
  }
  for (let n: usize = 0; n < reachedCount; n++) store<u8>(groupFlags + <usize>load<u32>(reached + (n << 2)), 0);
  return total;
}

/** The smallest popularity part of z among items that are not reached. */
function lowestRest(model: usize, places: usize, rests: usize): f32 {
  const order = <usize>word(model, 6);
  for (let n = word(model, 0); n > 0; n--) {
    const j = <usize>load<u32>(order + (<usize>(n - 1) << 2));
    if ((load<u32>(places + (j << 2)) & ~SEEN) == 0) return load<f32>(rests + (j << 2));
  }
  return f32.MAX_VALUE;
}

// @ts-ignore: decorator
@inline
function laneOf(v: v128, lane: u32): f32 {
  return lane == 0
    ? f32x4.extract_lane(v, 0)
    : lane == 1
      ? f32x4.extract_lane(v, 1)
      : lane == 2
        ? f32x4.extract_lane(v, 2)
        : f32x4.extract_lane(v, 3);
}
