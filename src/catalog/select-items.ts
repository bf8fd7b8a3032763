// A filter over a whole catalog at once: each condition becomes a bitmap by one pass over its column, AND, OR and NOT work
// on words of 32 items. Means exactly what domain/evaluate-filter.ts says item by item.
import { compares, type FilterCondition } from '../domain/evaluate-filter.ts';
import { type Filter, ITEM_ID } from '../domain/filter.ts';
import type { IdTable } from '../domain/id-table.ts';
import { type AttributeColumn, invert } from './attribute-column.ts';
import type { ItemBitmap } from './item-set.ts';
import { ItemSet } from './item-set.ts';
import { entriesContaining } from './value-dictionary.ts';

export type FindColumn = (attribute: string) => AttributeColumn | undefined;

/** Only items that are in `among` are in the answer. */
export function selectItems(filter: Filter, ids: IdTable, column: FindColumn, among: ItemBitmap): ItemSet {
  const selected = new ItemSet(ids.length);
  selected.words = wordsOf(filter, ids, column);
  intersect(selected.words, among.words);
  return selected.recount();
}

function wordsOf(filter: Filter, ids: IdTable, column: FindColumn): Uint32Array {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const words = wordsOf(filter.operands[0], ids, column);
      for (const operand of filter.operands.slice(1)) {
        const more = wordsOf(operand, ids, column);
        if (filter.kind === 'and') intersect(words, more);
        else for (let word = 0; word < words.length; word++) words[word] |= more[word];
      }
      return words;
    }
    case 'not': {
      const words = wordsOf(filter.operand, ids, column);
      invert(words, ids.length);
      return words;
    }
    default: {
      const words = new Uint32Array((ids.length + 31) >>> 5);
      if (filter.attribute === ITEM_ID) selectById(filter, ids, words);
      else selectByColumn(filter, column(filter.attribute), ids.length, words);
      return words;
    }
  }
}

function intersect(words: Uint32Array, others: Uint32Array): void {
  for (let word = 0; word < words.length; word++) words[word] &= word < others.length ? others[word] : 0;
}

function selectByColumn(
  condition: FilterCondition,
  column: AttributeColumn | undefined,
  itemCount: number,
  words: Uint32Array,
): void {
  if (column !== undefined) {
    column.select(condition, itemCount, words);
    return;
  }
  const absentMeets = condition.kind === 'null' || (condition.kind === 'compare' && condition.operator === '!=');
  if (absentMeets) invert(words, itemCount);
}

function selectById(condition: FilterCondition, ids: IdTable, words: Uint32Array): void {
  switch (condition.kind) {
    case 'null':
      return;
    case 'in':
      for (const value of condition.values) setId(value, ids, words);
      return;
    case 'contains': {
      if (typeof condition.value !== 'string') return;
      const { bytes, offsets } = ids.content();
      const verdicts = entriesContaining(bytes, offsets, condition.value, () => true, 0);
      for (let item = 0; item < ids.length; item++) if (verdicts[item + 1] === 1) words[item >>> 5] |= 1 << (item & 31);
      return;
    }
    case 'compare':
      if (condition.operator === '=' || condition.operator === '!=') {
        setId(condition.value, ids, words);
        if (condition.operator === '!=') invert(words, ids.length);
        return;
      }
      for (let item = 0; item < ids.length; item++) {
        if (compares(condition.operator, ids.at(item), condition.value)) words[item >>> 5] |= 1 << (item & 31);
      }
  }
}

function setId(value: unknown, ids: IdTable, words: Uint32Array): void {
  const item = typeof value === 'string' ? ids.indexOf(value) : -1;
  if (item >= 0) words[item >>> 5] |= 1 << (item & 31);
}
