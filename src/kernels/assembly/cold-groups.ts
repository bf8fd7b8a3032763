// Items without events are scored in groups: z of a group is the mean z of some warm items, so a group is reached when one of
// those is. Group 0 has no such items: its z is the lowest of all warm items. Of a usage block (usage.ts).
//
// The scratch (`groups`): number reached u32, one word of nothing, gains f32[groups], which are reached u32[groups], whether
// u8[groups].
import { addMass, addToPairs, massOf } from './masses';
import { word } from './vector';

/** Adds a group's mass times its listed items; returns what that adds to the total. */
export function addGroup(usage: usize, group: usize, mass: f64, masses: usize): f64 {
  const offsets = <usize>word(usage, 13) + (group << 2);
  const end = <usize>load<u32>(offsets, 4);
  for (let at = <usize>load<u32>(offsets); at < end; at++) {
    const items = load<f32>(<usize>word(usage, 15) + (at << 2));
    addMass(masses, load<u32>(<usize>word(usage, 14) + (at << 2)), mass * <f64>items);
  }
  return mass * <f64>load<f32>(<usize>word(usage, 12) + (group << 2));
}

// @ts-ignore: decorator
@inline
function gainsOf(groups: usize): usize {
  return groups + 8;
}
// @ts-ignore: decorator
@inline
function reachedGroupsOf(usage: usize, groups: usize): usize {
  return gainsOf(groups) + (<usize>word(usage, 7) << 2);
}
// @ts-ignore: decorator
@inline
function groupFlagsOf(usage: usize, groups: usize): usize {
  return reachedGroupsOf(usage, groups) + (<usize>word(usage, 7) << 2);
}

/** A warm item's z is above its rest: so are the means it is part of. */
export function addToGroups(usage: usize, j: usize, gain: f32, groups: usize): void {
  const flags = groupFlagsOf(usage, groups);
  const offsets = <usize>word(usage, 8) + (j << 2);
  const end = <usize>load<u32>(offsets, 4);
  for (let at = <usize>load<u32>(offsets); at < end; at++) {
    const group = <usize>load<u32>(<usize>word(usage, 9) + (at << 2));
    const cell = gainsOf(groups) + (group << 2);
    if (load<u8>(flags + group) == 0) {
      const count = load<u32>(groups);
      store<u8>(flags + group, 1);
      store<f32>(cell, 0);
      store<u32>(reachedGroupsOf(usage, groups) + (<usize>count << 2), <u32>group);
      store<u32>(groups, count + 1);
    }
    store<f32>(cell, load<f32>(cell) + gain * load<f32>(<usize>word(usage, 10) + (at << 2)));
  }
}

export function addReachedGroups(usage: usize, masses: usize, groups: usize): f64 {
  const reached = reachedGroupsOf(usage, groups);
  const count = <usize>load<u32>(groups);
  let total: f64 = 0;
  for (let n: usize = 0; n < count; n++) {
    const group = <usize>load<u32>(reached + (n << 2));
    const rest = load<f32>(<usize>word(usage, 11) + (group << 2));
    const own = rest + load<f32>(gainsOf(groups) + (group << 2));
    total += addGroup(usage, group, massOf(usage, own) - massOf(usage, rest), masses);
  }
  return total;
}

export function forgetGroups(usage: usize, groups: usize): void {
  const reached = reachedGroupsOf(usage, groups);
  const count = <usize>load<u32>(groups);
  const flags = groupFlagsOf(usage, groups);
  for (let n: usize = 0; n < count; n++) store<u8>(flags + <usize>load<u32>(reached + (n << 2)), 0);
  store<u32>(groups, 0);
}

/** Takes a cold item's mass off its pairs; returns it. */
export function takeOffCold(usage: usize, cold: usize, floor: f32, masses: usize, groups: usize): f64 {
  const group = <usize>load<u32>(<usize>word(usage, 16) + (cold << 2));
  const reached = load<u8>(groupFlagsOf(usage, groups) + group) != 0;
  const gain: f32 = reached ? load<f32>(gainsOf(groups) + (group << 2)) : 0;
  const mass = massOf(usage, group == 0 ? floor : load<f32>(<usize>word(usage, 11) + (group << 2)) + gain);
  const offsets = <usize>word(usage, 17) + (cold << 2);
  addToPairs(<usize>word(usage, 18), load<u32>(offsets), load<u32>(offsets, 4), -mass, masses);
  return mass;
}
