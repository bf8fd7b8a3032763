// Warnings about parts of a request that could not be used. The call still succeeds.
import type { Catalog } from '../catalog/catalog.ts';
import type { Attributes } from '../domain/record.ts';
import type { Relation } from '../domain/relation.ts';
import type { SkippedPin, SkipReason } from '../placements/pins.ts';
import { emptyWarning, filterWarnings } from './filter-warnings.ts';
import type { MadeList } from './list-of-question.ts';
import type { ServableModel } from './model-cache.ts';
import type { FoldedList } from './questions.ts';
import type { CallWarning } from './response-text.ts';

/** Maximum length of a name or id shown in a warning. */
const SHOWN_LENGTH = 64;

export function contextWarnings(
  { recommender }: ServableModel,
  context: Attributes,
  inFilters: ReadonlySet<string>,
): CallWarning[] {
  const unknown = recommender.unknownContext(context).filter((name) => !inFilters.has(name));
  return unknown.map((name) => ({
    code: 'UNKNOWN_CONTEXT',
    message: `context.${name.slice(0, SHOWN_LENGTH)} was ignored: the events this model was trained on have no such attribute.`,
  }));
}

export function unknownItem(id: string): CallWarning {
  const message = `Item ${id.slice(0, SHOWN_LENGTH)} was ignored: it has neither a record nor events.`;
  return { code: 'UNKNOWN_ITEM', message };
}

export function unrankedItem(id: string): CallWarning {
  const message = `Item ${id.slice(0, SHOWN_LENGTH)} has no place in the order: it is unknown or deleted.`;
  return { code: 'UNKNOWN_ITEM', message };
}

export function dislikedItem(id: string): CallWarning {
  const message = `Item ${id.slice(0, SHOWN_LENGTH)} has no place in the order: the user dislikes it.`;
  return { code: 'DISLIKED_ITEM', message };
}

export function replacedRelation(asked: Relation, used: Relation): CallWarning {
  const message = `The list shows ${used} items: the events this model was trained on do not show what ${WHAT_IT_TAKES[asked]}.`;
  return { code: 'RELATION_REPLACED', message };
}

const WHAT_IT_TAKES: Record<Relation, string> = {
  similar: 'is similar',
  together: 'goes together in a visit',
  next: 'comes next',
};

/** Warns about parts of the filter, the boosts and the pins of a list that could not be used. */
export function listWarnings(
  { filter, boosts }: FoldedList,
  { catalog, meetsNone, skippedPins }: { catalog: Catalog } & Pick<MadeList, 'meetsNone' | 'skippedPins'>,
): CallWarning[] {
  const filters = [...(filter ? [filter] : []), ...boosts.map((boost) => boost.filter)];
  const warnings: CallWarning[] = filters.flatMap((one) => filterWarnings(one.filter, catalog));
  if (filter && meetsNone) warnings.push(emptyWarning(filter.filter));
  return [...warnings, ...skippedPins.map(pinWarning)];
}

const WHY_SKIPPED: Record<SkipReason, string> = {
  unknown: 'there is no such item',
  filtered: 'it does not meet the filter',
  excluded: 'the call or the user leaves it out',
  'not given': 'it is not among the items to sort',
};

export function pinWarning({ item_id, reason }: SkippedPin): CallWarning {
  return {
    code: 'PIN_SKIPPED',
    message: `The pin of item ${item_id.slice(0, SHOWN_LENGTH)} was skipped: ${WHY_SKIPPED[reason]}.`,
  };
}
