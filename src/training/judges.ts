// The users who judge: their visible histories, newest first, and the held-out items to find.
import type { Interactions } from '../dataset/interactions.ts';
import type { Split } from '../dataset/split.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';
import type { JudgeUsers } from '../models/blend.ts';

export interface Targets {
  /** by user row of the interactions */
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
}

/** `rows` name users of the interactions. Targets the interactions do not know (index ≥ itemCount) stay: they are missed. */
export function gatherJudges(
  memory: KernelMemory,
  x: Interactions,
  targets: Targets,
  rows: readonly number[],
): JudgeUsers {
  let entries = 0;
  let targetCount = 0;
  for (const row of rows) {
    entries += x.userOffsets[row + 1] - x.userOffsets[row];
    targetCount += targets.offsets[row + 1] - targets.offsets[row];
  }
  const judges = {
    count: rows.length,
    offsets: memory.u32(rows.length + 1),
    items: memory.u32(entries),
    weights: memory.f32(entries),
    seen: memory.u8(entries),
    targetOffsets: memory.u32(rows.length + 1),
    targets: memory.u32(targetCount),
  };
  let place = 0;
  let targetPlace = 0;
  rows.forEach((row, n) => {
    judges.offsets[n] = place;
    judges.targetOffsets[n] = targetPlace;
    for (let at = x.userOffsets[row + 1] - 1; at >= x.userOffsets[row]; at--, place++) {
      judges.items[place] = x.items[at];
      judges.weights[place] = x.weights[at];
      judges.seen[place] = x.seen[at];
    }
    for (let at = targets.offsets[row]; at < targets.offsets[row + 1]; at++) {
      judges.targets[targetPlace++] = targets.items[at];
    }
  });
  judges.offsets[rows.length] = place;
  judges.targetOffsets[rows.length] = targetPlace;
  return judges;
}

/** The split's targets by row of interactions that were built for `users`. */
export function targetsOf(split: Split, users: Uint32Array | undefined): Targets {
  if (users === undefined) return { offsets: split.targetOffsets, items: split.targets };
  const offsets = new Uint32Array(users.length + 1);
  const items: number[] = [];
  users.forEach((user, row) => {
    for (let at = split.targetOffsets[user]; at < split.targetOffsets[user + 1]; at++) items.push(split.targets[at]);
    offsets[row + 1] = items.length;
  });
  return { offsets, items: Uint32Array.from(items) };
}

/** Rows with a visible history and something held out. */
export function judgeCandidates(x: Interactions, targets: Targets): number[] {
  const rows: number[] = [];
  for (let row = 0; row < x.userCount; row++) {
    if (x.userOffsets[row + 1] > x.userOffsets[row] && targets.offsets[row + 1] > targets.offsets[row]) rows.push(row);
  }
  return rows;
}
