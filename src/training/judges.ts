// Questions as the kernels read them: each history newest first, what must not be recommended, and the items to find.
import type { EventTable } from '../dataset/event-table.ts';
import { type InteractionRules, tableFolder, VisibleEvents } from '../dataset/interactions.ts';
import type { Question } from '../dataset/questions.ts';
import { OWN_NUMBERS } from '../history/fold-events.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';
import { buildUsersBlock } from '../scoring/question-block.ts';

export interface Judges {
  readonly count: number;
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
  readonly weights: Float32Array;
  /** 1 if the item must not be recommended */
  readonly seen: Uint8Array;
  /** four numbers an entry (fold-events.ts); null where the user's own items cannot be recommended */
  readonly own: Float32Array | null;
  /** items outside the history that are not to be recommended */
  readonly excludedOffsets: Uint32Array;
  readonly excluded: Uint32Array;
  readonly targetOffsets: Uint32Array;
  readonly targets: Uint32Array;
  readonly users: Uint32Array;
}

export interface JudgeSource {
  readonly table: EventTable;
  readonly rules: InteractionRules;
  /** for discover, items that the user touched are not recommended */
  readonly objective: 'discover' | 'any';
  readonly gapMs: number;
  /** by item: 1 if it is not recommended again to users who had it, whatever the objective */
  readonly once?: Uint8Array | null;
  /** events that no history has; null: a history is all before its question */
  readonly hidden: Uint8Array | null;
}

/** Items that the table does not know (index ≥ itemCount) may be targets. They count as missed. */
export function gatherJudges(memory: KernelMemory, source: JudgeSource, questions: readonly Question[]): Judges {
  const { table, rules, objective, gapMs, once = null } = source;
  const folder = tableFolder(table, rules, 'judging');
  const visible = new VisibleEvents(table, source.hidden ?? undefined);
  const room = { items: new Uint32Array(0), weights: new Float32Array(0), seen: new Uint8Array(0) };
  let history = room;
  let own = new Float32Array(0);
  const rows = new Columns();
  const offsets = [0];
  const excludedOffsets = [0];
  const targetOffsets = [0];
  const touched = new Int32Array(table.itemCount).fill(-1);
  for (const [n, { user, end, targets }] of questions.entries()) {
    const run = visible.of(user, end);
    const size = Math.min(run.to - run.from, rules.historyCap);
    if (size > history.items.length) {
      history = { items: new Uint32Array(size), weights: new Float32Array(size), seen: new Uint8Array(size) };
      own = new Float32Array(size * OWN_NUMBERS);
    }
    const length = folder.fold(run, history, 0);
    if (objective === 'any') folder.own(run, gapMs, own);
    for (let l = 0; l < length; l++) {
      rows.items.push(history.items[l]);
      rows.weights.push(history.weights[l]);
      const isDone = once !== null && once[history.items[l]] === 1 && history.seen[l] === 1;
      rows.seen.push(objective === 'discover' || isDone ? 1 : 0);
      touched[history.items[l]] = n;
    }
    if (objective === 'any') for (let at = 0; at < length * OWN_NUMBERS; at++) rows.own.push(own[at]);
    for (let event = run.from; objective === 'discover' && event < run.to; event++) {
      const item = run.columns.item[event];
      if (touched[item] === n) continue;
      touched[item] = n;
      rows.excluded.push(item);
    }
    for (const target of targets) rows.targets.push(target);
    offsets.push(rows.items.length);
    excludedOffsets.push(rows.excluded.length);
    targetOffsets.push(rows.targets.length);
  }
  return {
    count: questions.length,
    offsets: onMemory(memory.u32(offsets.length), offsets),
    items: onMemory(memory.u32(rows.items.length), rows.items),
    weights: onMemory(memory.f32(rows.weights.length), rows.weights),
    seen: onMemory(memory.u8(rows.seen.length), rows.seen),
    own: objective === 'any' ? onMemory(memory.f32(rows.own.length), rows.own) : null,
    excludedOffsets: onMemory(memory.u32(excludedOffsets.length), excludedOffsets),
    excluded: onMemory(memory.u32(rows.excluded.length), rows.excluded),
    targetOffsets: Uint32Array.from(targetOffsets),
    targets: Uint32Array.from(rows.targets),
    users: Uint32Array.from(questions, ({ user }) => user),
  };
}

class Columns {
  readonly items: number[] = [];
  readonly weights: number[] = [];
  readonly seen: number[] = [];
  readonly own: number[] = [];
  readonly excluded: number[] = [];
  readonly targets: number[] = [];
}

function onMemory<T extends { set(from: number[]): void }>(array: T, values: number[]): T {
  array.set(values);
  return array;
}

/** The histories as kernels read them: pointer to a users block. */
export function usersOf(memory: KernelMemory, judges: Judges): number {
  return buildUsersBlock(memory, judges);
}
