// A filter over a whole catalog at once: each condition becomes a bitmap by one pass over its column, AND, OR and NOT work
// on words of 32 items. Means exactly what domain/filter/evaluate-filter.ts says item by item.
//
// The work is at most linear in conditions × (items + text of the column), known before it begins, and cut into short steps.
// The catalog may change between them: what is selected then means nothing for the items that changed.

import type { IdTable } from '../base/id-table.ts';
import type { Steps } from '../base/steps.ts';
import { type Filter, ITEM_ID, type NumberExpression } from '../domain/filter/filter.ts';
import { attributesIn } from '../domain/filter/filter-attributes.ts';
import type { FilterCondition } from '../domain/filter/meets-condition.ts';
import { AppError } from '../errors.ts';
import { type AttributeColumn, invert } from './attribute-column.ts';
import type { ItemBitmap } from './item-set.ts';
import { ItemSet } from './item-set.ts';
import { BLOCK_ITEMS, compareNumbers, distanceSource, type NumberSource, numberSource } from './number-source.ts';
import { textsInOrder } from './text-order.ts';
import { type TextTable, textsContaining } from './text-search.ts';

/** The data that a filter selects from. */
export interface FilterTable {
  readonly ids: IdTable;
  /** `undefined` when no item has the attribute */
  column(attribute: string): Steps<AttributeColumn | undefined>;
}

/** Items or bytes one filter may look at, conditions times: some seconds of work. */
const MAX_FILTER_WORK = 1e9;

/** The result contains only items of `among`. */
export function* selectItems(filter: Filter, table: FilterTable, among: ItemBitmap): Steps<ItemSet> {
  const columns = new Map<string, AttributeColumn | undefined>();
  for (const name of attributesIn(filter)) columns.set(name, yield* table.column(name));
  const selection = new Selection(table.ids, columns);
  if (selection.workOf(filter) > MAX_FILTER_WORK) {
    throw new AppError(
      'FILTER_TOO_COSTLY',
      'The filter takes too long over this many items and this much text. Use fewer conditions, above all fewer with CONTAINS.',
    );
  }
  const selected = new ItemSet(0);
  selected.words = yield* selection.wordsOf(filter);
  intersect(selected.words, among.words);
  return selected.recount();
}

class Selection {
  readonly #ids: TextTable;
  readonly #idTable: IdTable;
  readonly #columns: ReadonlyMap<string, AttributeColumn | undefined>;
  /** number of items at the beginning; items added later count as changes */
  readonly #itemCount: number;

  constructor(ids: IdTable, columns: ReadonlyMap<string, AttributeColumn | undefined>) {
    this.#ids = { ...ids.content(), tagBytes: 0, textTag: null };
    this.#idTable = ids;
    this.#columns = columns;
    this.#itemCount = ids.length;
  }

  workOf(filter: Filter): number {
    if (filter.kind === 'and' || filter.kind === 'or') {
      return filter.operands.reduce((sum, operand) => sum + this.workOf(operand), 0);
    }
    if (filter.kind === 'not') return this.workOf(filter.operand);
    if (filter.kind === 'constant') return this.#itemCount / 32;
    if (filter.kind === 'compute')
      return this.#itemCount * (this.#numbers(filter.left).work + this.#numbers(filter.right).work);
    if (filter.attribute === ITEM_ID) return filter.kind === 'contains' ? this.#ids.bytes.length : this.#itemCount;
    return this.#columns.get(filter.attribute)?.workOf(filter, this.#itemCount) ?? this.#itemCount / 32;
  }

  *wordsOf(filter: Filter): Steps<Uint32Array> {
    switch (filter.kind) {
      case 'and':
      case 'or': {
        const words = yield* this.wordsOf(filter.operands[0]);
        for (const operand of filter.operands.slice(1)) {
          const more = yield* this.wordsOf(operand);
          if (filter.kind === 'and') intersect(words, more);
          else for (let word = 0; word < words.length; word++) words[word] |= more[word];
        }
        return words;
      }
      case 'not': {
        const words = yield* this.wordsOf(filter.operand);
        invert(words, this.#itemCount);
        return words;
      }
      default: {
        const words = new Uint32Array((this.#itemCount + 31) >>> 5);
        if (filter.kind === 'compute') yield* this.#selectComputed(filter, words);
        else if (filter.kind === 'constant') {
          if (filter.holds) invert(words, this.#itemCount);
        } else if (filter.attribute === ITEM_ID) yield* this.#selectById(filter, words);
        else yield* this.#selectByColumn(filter, words);
        return words;
      }
    }
  }

  #numbers(expression: NumberExpression): NumberSource {
    return numberSource(expression, (name) => this.#columns.get(name));
  }

  *#selectComputed({ operator, left, right }: Filter & { kind: 'compute' }, words: Uint32Array): Steps<void> {
    const isNearness = left.kind === 'distance' && right.kind === 'number' && (operator === '<' || operator === '<=');
    const a = isNearness
      ? distanceSource(left.of, (name) => this.#columns.get(name), right.value)
      : this.#numbers(left);
    const b = this.#numbers(right);
    const [lefts, rights] = [new Float64Array(BLOCK_ITEMS), new Float64Array(BLOCK_ITEMS)];
    for (let first = 0; first < this.#itemCount; first += BLOCK_ITEMS) {
      const count = Math.min(BLOCK_ITEMS, this.#itemCount - first);
      a.fill(first, lefts);
      b.fill(first, rights);
      compareNumbers(operator, lefts.subarray(0, count), rights.subarray(0, count), { words, first });
      yield;
    }
  }

  *#selectByColumn(condition: FilterCondition, words: Uint32Array): Steps<void> {
    const column = this.#columns.get(condition.attribute);
    if (column !== undefined) {
      yield* column.select(condition, this.#itemCount, words);
      return;
    }
    const absentMeets = condition.kind === 'null' || (condition.kind === 'compare' && condition.operator === '!=');
    if (absentMeets) invert(words, this.#itemCount);
  }

  *#selectById(condition: FilterCondition, words: Uint32Array): Steps<void> {
    const set = (item: number) => {
      words[item >>> 5] |= 1 << (item & 31);
    };
    const setIfKnown = (value: unknown) => {
      const item = typeof value === 'string' ? this.#idTable.indexOf(value) : -1;
      if (item >= 0) set(item);
    };
    switch (condition.kind) {
      case 'null':
        return;
      case 'in':
        for (const value of condition.values) setIfKnown(value);
        return;
      case 'contains':
        if (typeof condition.value === 'string') yield* textsContaining(this.#ids, condition.value, set);
        return;
      case 'compare':
        if (condition.operator === '=' || condition.operator === '!=') {
          setIfKnown(condition.value);
          if (condition.operator === '!=') invert(words, this.#itemCount);
        } else if (typeof condition.value === 'string') {
          yield* textsInOrder(this.#ids, condition.operator, condition.value, set);
        }
    }
  }
}

function intersect(words: Uint32Array, others: Uint32Array): void {
  for (let word = 0; word < words.length; word++) words[word] &= word < others.length ? others[word] : 0;
}
