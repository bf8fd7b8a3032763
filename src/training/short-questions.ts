// What users turned to: held-out items after whole histories, and after histories cut to their newest few items, or to none, as if
// little were known, each among items that chance picked. Scored by experts that have not seen the held-out items.
import { HISTORY_LENGTHS } from '../cold-start/fit-history-weights.ts';
import { hash32 } from '../dataset/random.ts';
import { OWN_NUMBERS } from '../history/fold-events.ts';
import type { ScoringHistory } from '../history/user-signal.ts';

export interface ShortQuestions {
  /** items to choose from, the one that was chosen first */
  readonly options: number;
  /** row of the user in the event table, and length of the history (WHOLE: all of it), of each question */
  readonly rows: Uint32Array;
  readonly lengths: Uint32Array;
  /** options of question n: [n · options, (n + 1) · options) */
  readonly items: Uint32Array;
  readonly scores: Float32Array;
}

/** The users whose held-out items are predicted; histories are newest first. */
export interface ShortJudges {
  readonly count: number;
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
  readonly weights: Float32Array;
  readonly seen: Uint8Array;
  readonly own: Float32Array | null;
  readonly targetOffsets: Uint32Array;
  readonly targets: Uint32Array;
  /** row of each judge's user in the event table */
  readonly rows: ArrayLike<number>;
}

/** Writes the scores of some items, on the scale of log p. A history may be empty. */
export type ScoreItems = (history: ScoringHistory, items: Uint32Array, out: Float32Array) => void;

/** Stands for a length: the history was not shortened. */
export const WHOLE = 2 ** 32 - 1;

const OPTIONS = 64;
const MAX_JUDGES = 1000;
const MAX_DRAWS = 20;

export function askShortHistories(
  judges: ShortJudges,
  itemCount: number,
  seed: number,
  scoreItems: ScoreItems,
): ShortQuestions {
  const options = optionCount(itemCount);
  const found: { row: number; length: number; items: Uint32Array; scores: Float32Array }[] = [];
  const step = Math.max(1, Math.ceil(judges.count / MAX_JUDGES));
  for (let judge = 0; judge < judges.count && options > 1; judge += step) {
    const from = judges.offsets[judge];
    const known = judges.offsets[judge + 1] - from;
    const own = new Set(judges.items.subarray(from, from + known));
    const targets = judges.targets.subarray(judges.targetOffsets[judge], judges.targetOffsets[judge + 1]);
    // The target is new to the user, like the other options: one of the user's own items would be too easy to find.
    const target = targets.find((item) => item < itemCount && !own.has(item));
    if (target === undefined) continue;
    const items = optionsOf(target, own, { options, itemCount, seed: hash32(seed, judge) });
    if (items === null) continue;
    const ask = (length: number, asked: number) => {
      const scores = new Float32Array(options);
      scoreItems(historyOf(judges, judge, length), items, scores);
      found.push({ row: judges.rows[judge], length: asked, items, scores });
    };
    for (const length of HISTORY_LENGTHS) if (length <= known) ask(length, length);
    ask(known, WHOLE);
  }
  return joined(found, options);
}

/** The newest `length` items of a judge's history. */
export function historyOf(judges: ShortJudges, judge: number, length: number): ScoringHistory {
  const from = judges.offsets[judge];
  return {
    length,
    items: judges.items.subarray(from, from + length),
    weights: judges.weights.subarray(from, from + length),
    seen: judges.seen.subarray(from, from + length),
    own: judges.own?.subarray(from * OWN_NUMBERS, (from + length) * OWN_NUMBERS) ?? null,
  };
}

/** Items to choose from, the chosen one included; 1: too few items for a choice. */
export function optionCount(itemCount: number): number {
  return Math.max(1, Math.min(OPTIONS, Math.floor(itemCount / 4)));
}

/** The target and items that chance picked, none of them the user's own; null where there are hardly any others. */
export function optionsOf(
  target: number,
  own: ReadonlySet<number>,
  { options, itemCount, seed }: { options: number; itemCount: number; seed: number },
): Uint32Array | null {
  const picked = new Set([target]);
  for (let draw = 0; picked.size < options && draw < options * MAX_DRAWS; draw++) {
    const item = hash32(seed, draw) % itemCount;
    if (!own.has(item)) picked.add(item);
  }
  return picked.size < options ? null : Uint32Array.from(picked);
}

function joined(
  found: readonly { row: number; length: number; items: Uint32Array; scores: Float32Array }[],
  options: number,
): ShortQuestions {
  const items = new Uint32Array(found.length * options);
  const scores = new Float32Array(found.length * options);
  for (const [n, question] of found.entries()) {
    items.set(question.items, n * options);
    scores.set(question.scores, n * options);
  }
  const rows = Uint32Array.from(found, ({ row }) => row);
  return { options, rows, lengths: Uint32Array.from(found, ({ length }) => length), items, scores };
}
