// Deciding which cells of a column meet a condition: once per distinct value, then item by item in one pass over the codes.

import type { Steps } from '../base/steps.ts';
import type { FilterCondition } from '../domain/filter/meets-condition.ts';
import { type NumberTest, numberTest } from './number-test.ts';
import type { ValueDictionary, Verdicts } from './value-dictionary.ts';

/** Codes of cells: see dense-column.ts. */
export const ABSENT = 0;
export const NUMBER = 0xffff_ffff;
export const LIST = 0x8000_0000;
/** Items decided between two chances to be interrupted. */
export const STEP_ITEMS = 16_384;

/** Conditions that an absent attribute does not meet. */
export type PositiveCondition = Exclude<FilterCondition, { kind: 'null' }>;

/** The arrays that store a column. */
export interface Cells {
  readonly codes: Uint32Array;
  readonly numbers: Float64Array | null;
  readonly listEnds: Uint32Array;
  readonly listElements: Uint32Array;
}

/** The result of a condition for the values of a column. */
interface Verdict {
  readonly ofValue: Verdicts;
  readonly ofElement: Verdicts;
  readonly ofNumber: NumberTest;
}

export function* decide(condition: PositiveCondition, dictionary: ValueDictionary): Steps<Verdict> {
  const ofNumber = numberTest(condition);
  if (condition.kind === 'contains') {
    const ofElement = dictionary.equalTo([condition.value]);
    const ofValue =
      typeof condition.value === 'string'
        ? yield* dictionary.containing(condition.value)
        : new Uint8Array(ofElement.length);
    return { ofValue, ofElement, ofNumber };
  }
  let verdicts: Verdicts;
  if (condition.kind === 'in') verdicts = dictionary.equalTo(condition.values);
  else if (condition.operator === '=') verdicts = dictionary.equalTo([condition.value]);
  else if (typeof condition.value === 'string')
    verdicts = yield* dictionary.textsInOrder(condition.operator, condition.value);
  else verdicts = yield* dictionary.numbersThat(ofNumber);
  return { ofValue: verdicts, ofElement: verdicts, ofNumber };
}

/** Decides items from `from` on, as many as a step may take; returns the first that is not decided yet. */
export function selectSome(
  cells: Cells,
  verdict: Verdict,
  words: Uint32Array,
  { from, end }: { from: number; end: number },
): number {
  const { codes, numbers, listEnds, listElements } = cells;
  const { ofValue, ofElement } = verdict;
  const { low, high, except, among } = verdict.ofNumber;
  let work = 0;
  let item = from;
  // Bits are gathered a word at a time and without branches on what a number is: which of them meet is hard to predict.
  let bits = 0;
  for (; item < end && work < STEP_ITEMS; item++, work++) {
    const code = codes[item];
    let meets = 0;
    if (code < LIST) {
      meets = ofValue[code];
    } else if (code === NUMBER) {
      const value = numbers === null ? Number.NaN : numbers[item];
      meets =
        among === null
          ? Number(value >= low) & Number(value <= high) & Number(value !== except)
          : Number(among.has(value));
    } else {
      const list = code - LIST;
      const listEnd = listEnds[list];
      for (let at = list === 0 ? 0 : listEnds[list - 1]; at < listEnd && meets === 0; at++, work++) {
        meets = ofElement[listElements[at]];
      }
    }
    bits |= meets << (item & 31);
    if ((item & 31) === 31) {
      words[item >>> 5] |= bits;
      bits = 0;
    }
  }
  if (bits !== 0) words[item >>> 5] |= bits;
  return item;
}
