// The users who judge: their visible histories, newest first, and the held-out items to find.
import type { Interactions } from '../dataset/interactions.ts';
import type { Split } from '../dataset/split.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';
import type { JudgeUsers } from '../scoring/blend.ts';

export interface Targets {
  /** by user row of the interactions */
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
}

/** What one judge is asked: the targets [from, to) of a row, those before `from` being the newest of its history. */
interface Question {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

/**
 * `rows` name users of the interactions. Targets the interactions do not know (index ≥ itemCount) stay: they are missed. Next
 * items are asked for one by one: a judge for each, its history going on with the targets before it.
 */
export function gatherJudges(
  memory: KernelMemory,
  x: Interactions,
  targets: Targets,
  rows: readonly number[],
  asked: 'together' | 'one by one' = 'together',
): JudgeUsers {
  const questions = asked === 'together' ? allAtOnce(targets, rows) : oneByOne(targets, rows);
  let entries = 0;
  let targetCount = 0;
  for (const { row, from, to } of questions) {
    entries += x.userOffsets[row + 1] - x.userOffsets[row] + from - targets.offsets[row];
    targetCount += to - from;
  }
  const judges = {
    count: questions.length,
    offsets: memory.u32(questions.length + 1),
    items: memory.u32(entries),
    weights: memory.f32(entries),
    seen: memory.u8(entries),
    targetOffsets: memory.u32(questions.length + 1),
    targets: memory.u32(targetCount),
  };
  let place = 0;
  let targetPlace = 0;
  const add = (item: number, weight: number, seen: number) => {
    judges.items[place] = item;
    judges.weights[place] = weight;
    judges.seen[place++] = seen;
  };
  questions.forEach(({ row, from, to }, n) => {
    judges.offsets[n] = place;
    judges.targetOffsets[n] = targetPlace;
    const before = targets.items.subarray(targets.offsets[row], from);
    for (let at = before.length - 1; at >= 0; at--) add(before[at], 1, 1);
    for (let at = x.userOffsets[row + 1] - 1; at >= x.userOffsets[row]; at--) {
      if (!before.includes(x.items[at])) add(x.items[at], x.weights[at], x.seen[at]);
    }
    for (let at = from; at < to; at++) judges.targets[targetPlace++] = targets.items[at];
  });
  judges.offsets[questions.length] = place;
  judges.targetOffsets[questions.length] = targetPlace;
  return judges;
}

function allAtOnce({ offsets }: Targets, rows: readonly number[]): Question[] {
  return rows.map((row) => ({ row, from: offsets[row], to: offsets[row + 1] }));
}

/** First the first of every user, so that a part of the judges is many users. */
function oneByOne({ offsets }: Targets, rows: readonly number[]): Question[] {
  const questions: Question[] = [];
  for (let n = 0, open = rows; open.length > 0; n++) {
    for (const row of open) questions.push({ row, from: offsets[row] + n, to: offsets[row] + n + 1 });
    open = open.filter((row) => offsets[row] + n + 1 < offsets[row + 1]);
  }
  return questions;
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
