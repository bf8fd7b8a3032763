// An attribute that many items have, as a column of codes. A filter's condition is decided once per distinct value, then
// carried to the items in one pass over codes.
//
// A cell is a 32-bit code: ABSENT; NUMBER: the value stands in `numbers`; with the top bit: a list, by its place in the
// lists' arrays; else the value's code in the dictionary. A list holds its elements' codes in the dictionary.
//
// Values that were overwritten stay behind until they are as many as the items, then the column is written anew.
import type { FilterCondition } from '../domain/evaluate-filter.ts';
import { ValueDictionary, type Verdicts } from './value-dictionary.ts';

const ABSENT = 0;
const NUMBER = 0xffff_ffff;
const LIST = 0x8000_0000;
/** Fewer overwritten values than this are not worth the trouble. */
const MIN_OVERWRITTEN = 1000;

/** Conditions that an absent attribute does not meet. */
export type PositiveCondition = Exclude<FilterCondition, { kind: 'null' }>;

export class DenseColumn {
  #codes = new Uint32Array(0);
  #numbers: Float64Array | null = null;
  #dictionary = new ValueDictionary();
  #listEnds = new Uint32Array(0);
  #listElements = new Uint32Array(0);
  #listCount = 0;
  #overwritten = 0;

  /** `undefined` when absent. */
  read(item: number): unknown {
    const code = item < this.#codes.length ? this.#codes[item] : ABSENT;
    if (code === ABSENT) return undefined;
    if (code === NUMBER) return this.#numbers![item];
    if (code < LIST) return this.#dictionary.valueOf(code);
    const list = code - LIST;
    const elements: unknown[] = [];
    for (let at = this.#listStart(list); at < this.#listEnds[list]; at++) {
      elements.push(this.#dictionary.valueOf(this.#listElements[at]));
    }
    return elements;
  }

  /** null and undefined mean absent. `itemCount` is how many items there are. */
  write(item: number, value: unknown, itemCount: number): void {
    const absent = value === null || value === undefined;
    if (absent && item >= this.#codes.length) return;
    this.#reserve(Math.max(item + 1, itemCount));
    const before = this.#codes[item];
    this.#codes[item] = absent ? ABSENT : this.#encode(item, value);
    if (before === ABSENT || before === NUMBER) return;
    if (++this.#overwritten > Math.max(itemCount, MIN_OVERWRITTEN)) this.#clean(itemCount);
  }

  memoryBytes(): number {
    const lists = this.#listEnds.byteLength + this.#listElements.byteLength;
    return this.#codes.byteLength + (this.#numbers?.byteLength ?? 0) + this.#dictionary.memoryBytes() + lists;
  }

  /** Sets the bits of the items below itemCount that have the attribute. */
  selectPresent(itemCount: number, words: Uint32Array): void {
    const codes = this.#codes;
    const end = Math.min(itemCount, codes.length);
    for (let item = 0; item < end; item++) if (codes[item] !== ABSENT) words[item >>> 5] |= 1 << (item & 31);
  }

  /** Sets the bits of the items below itemCount that meet the condition; `words` is all 0 before. */
  select(condition: PositiveCondition, itemCount: number, words: Uint32Array): void {
    const { ofValue, ofElement, ofNumber } = this.#decide(condition);
    const codes = this.#codes;
    const numbers = this.#numbers;
    const end = Math.min(itemCount, codes.length);
    for (let item = 0; item < end; item++) {
      const code = codes[item];
      let meets: boolean;
      if (code < LIST) meets = ofValue[code] === 1;
      else if (code === NUMBER) meets = ofNumber(numbers![item]);
      else meets = this.#listHas(code - LIST, ofElement);
      if (meets) words[item >>> 5] |= 1 << (item & 31);
    }
  }

  #decide(condition: PositiveCondition): {
    ofValue: Verdicts;
    ofElement: Verdicts;
    ofNumber: (value: number) => boolean;
  } {
    const ofNumber = numberTest(condition);
    if (condition.kind === 'contains') {
      const ofElement = this.#dictionary.equalTo([condition.value]);
      const nothing = new Uint8Array(ofElement.length);
      const ofValue = typeof condition.value === 'string' ? this.#dictionary.containing(condition.value) : nothing;
      return { ofValue, ofElement, ofNumber };
    }
    const verdicts =
      condition.kind === 'in'
        ? this.#dictionary.equalTo(condition.values)
        : condition.operator === '='
          ? this.#dictionary.equalTo([condition.value])
          : this.#dictionary.ordered(condition.operator, condition.value);
    return { ofValue: verdicts, ofElement: verdicts, ofNumber };
  }

  #listHas(list: number, ofElement: Verdicts): boolean {
    for (let at = this.#listStart(list); at < this.#listEnds[list]; at++) {
      if (ofElement[this.#listElements[at]] === 1) return true;
    }
    return false;
  }

  #encode(item: number, value: unknown): number {
    if (typeof value === 'number') {
      this.#numbers ??= new Float64Array(this.#codes.length);
      this.#numbers[item] = value;
      return NUMBER;
    }
    return Array.isArray(value) ? this.#addList(value) : this.#dictionary.codeOf(value);
  }

  #addList(values: readonly unknown[]): number {
    const list = this.#listCount++;
    const start = this.#listStart(list);
    this.#listEnds = withRoom(this.#listEnds, list + 1);
    this.#listElements = withRoom(this.#listElements, start + values.length);
    for (let n = 0; n < values.length; n++) this.#listElements[start + n] = this.#dictionary.codeOf(values[n] ?? null);
    this.#listEnds[list] = start + values.length;
    return LIST + list;
  }

  #listStart(list: number): number {
    return list === 0 ? 0 : this.#listEnds[list - 1];
  }

  #clean(itemCount: number): void {
    const end = Math.min(itemCount, this.#codes.length);
    const fresh = new DenseColumn();
    fresh.#reserve(this.#codes.length);
    for (let item = 0; item < end; item++) {
      const value = this.read(item);
      if (value !== undefined) fresh.#codes[item] = fresh.#encode(item, value);
    }
    this.#codes = fresh.#codes;
    this.#numbers = fresh.#numbers;
    this.#dictionary = fresh.#dictionary;
    this.#listEnds = fresh.#listEnds;
    this.#listElements = fresh.#listElements;
    this.#listCount = fresh.#listCount;
    this.#overwritten = 0;
  }

  #reserve(items: number): void {
    this.#codes = withRoom(this.#codes, items);
    if (this.#numbers !== null && this.#numbers.length < this.#codes.length) {
      const grown = new Float64Array(this.#codes.length);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
  }
}

/** What the condition says of a number, without the cost of the general rule for each of a million items. */
function numberTest(condition: PositiveCondition): (value: number) => boolean {
  if (condition.kind === 'contains') return () => false;
  if (condition.kind === 'in') {
    const wanted = new Set<unknown>(condition.values);
    return (value) => wanted.has(value);
  }
  const literal = condition.value;
  if (typeof literal !== 'number') return () => false;
  switch (condition.operator) {
    case '<':
      return (value) => value < literal;
    case '<=':
      return (value) => value <= literal;
    case '>':
      return (value) => value > literal;
    case '>=':
      return (value) => value >= literal;
    default:
      return (value) => value === literal;
  }
}

function withRoom(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (array.length >= length) return array;
  const grown = new Uint32Array(Math.max(length, 64, array.length + (array.length >>> 1)));
  grown.set(array);
  return grown;
}
