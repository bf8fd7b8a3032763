// One attribute of all items, as a column. A filter's condition is decided once per distinct value, then carried to the
// items in one pass over codes.
//
// A cell is a 32-bit code: ABSENT; NUMBER: the value stands in `numbers`; with the top bit: a list, by its place in the
// lists' arrays; else the value's code in the dictionary. A list holds its elements' codes in the dictionary.
//
// While few items have the attribute, its cells are kept in a plain map: attributes named by ids cost what they hold.
// Values that were overwritten stay behind until they are half of all, then the column is written anew.
import { type FilterCondition, meetsCondition } from '../domain/evaluate-filter.ts';
import { ValueDictionary, type Verdicts } from './value-dictionary.ts';

const ABSENT = 0;
const NUMBER = 0xffff_ffff;
const LIST = 0x8000_0000;
/** A column is laid out once at least one item in so many has it. */
const DENSE_SHARE = 16;
const SMALL_BYTES = 1 << 20;

export class AttributeColumn {
  #few: Map<number, unknown> | null = new Map();
  #codes = new Uint32Array(0);
  #numbers: Float64Array | null = null;
  #dictionary = new ValueDictionary();
  #listEnds = new Uint32Array(0);
  #listElements = new Uint32Array(0);
  #listCount = 0;
  #bytesWhenClean = 0;

  /** `undefined` when absent. */
  read(item: number): unknown {
    if (this.#few !== null) return this.#few.get(item);
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
    if (this.#few !== null) {
      if (absent) this.#few.delete(item);
      else this.#few.set(item, value);
      if (this.#few.size * DENSE_SHARE > Math.max(itemCount, 1024)) this.#layOut(itemCount);
      return;
    }
    if (absent && item >= this.#codes.length) return;
    this.#reserve(Math.max(item + 1, itemCount));
    this.#codes[item] = absent ? ABSENT : this.#encode(item, value);
    if (this.#valueBytes() > 2 * this.#bytesWhenClean + SMALL_BYTES) this.#clean(itemCount);
  }

  /** Sets the bits of the items below itemCount that meet the condition; `words` is all 0 before. */
  select(condition: FilterCondition, itemCount: number, words: Uint32Array): void {
    if (condition.kind === 'compare' && condition.operator === '!=') {
      this.select({ ...condition, operator: '=' }, itemCount, words);
      invert(words, itemCount);
    } else if (condition.kind === 'null') {
      this.#selectPresent(itemCount, words);
      invert(words, itemCount);
    } else if (this.#few !== null) {
      for (const [item, value] of this.#few)
        if (meetsCondition(condition, value)) words[item >>> 5] |= 1 << (item & 31);
    } else {
      this.#selectDense(condition, itemCount, words);
    }
  }

  memoryBytes(): number {
    const few = this.#few === null ? 0 : this.#few.size * 100;
    return few + this.#codes.byteLength + (this.#numbers?.byteLength ?? 0) + this.#valueBytes();
  }

  #selectPresent(itemCount: number, words: Uint32Array): void {
    if (this.#few !== null) {
      for (const item of this.#few.keys()) words[item >>> 5] |= 1 << (item & 31);
      return;
    }
    const codes = this.#codes;
    const end = Math.min(itemCount, codes.length);
    for (let item = 0; item < end; item++) if (codes[item] !== ABSENT) words[item >>> 5] |= 1 << (item & 31);
  }

  #selectDense(condition: PositiveCondition, itemCount: number, words: Uint32Array): void {
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

  #valueBytes(): number {
    return this.#dictionary.memoryBytes() + this.#listEnds.byteLength + this.#listElements.byteLength;
  }

  #layOut(itemCount: number): void {
    const few = this.#few!;
    this.#few = null;
    this.#reserve(itemCount);
    for (const [item, value] of few) this.#codes[item] = this.#encode(item, value);
    this.#bytesWhenClean = this.#valueBytes();
  }

  #clean(itemCount: number): void {
    const end = Math.min(itemCount, this.#codes.length);
    const fresh = new AttributeColumn();
    fresh.#few = null;
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
    this.#bytesWhenClean = this.#valueBytes();
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

type PositiveCondition = Exclude<FilterCondition, { kind: 'null' }>;

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

/** Flips the bits of the numbers below itemCount. */
export function invert(words: Uint32Array, itemCount: number): void {
  const whole = itemCount >>> 5;
  for (let word = 0; word < whole; word++) words[word] = ~words[word];
  if ((itemCount & 31) !== 0) words[whole] = ~words[whole] & (0xffff_ffff >>> (32 - (itemCount & 31)));
}

function withRoom(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (array.length >= length) return array;
  const grown = new Uint32Array(Math.max(length, 64, array.length + (array.length >>> 1)));
  grown.set(array);
  return grown;
}
