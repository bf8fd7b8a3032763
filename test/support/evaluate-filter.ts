// Whether an item meets a filter, from its id and attributes alone.
import { atOnce } from '../../src/base/steps.ts';
import { evaluateSteps } from '../../src/domain/filter/evaluate-filter.ts';
import { type Filter, ITEM_ID } from '../../src/domain/filter/filter.ts';
import type { Attributes } from '../../src/domain/record.ts';

export function evaluateFilter(filter: Filter, itemId: string, attributes: Attributes): boolean {
  return atOnce(evaluateSteps(filter, (attribute) => attributeOf(attribute, itemId, attributes)));
}

function attributeOf(attribute: string, itemId: string, attributes: Attributes): unknown {
  if (attribute === ITEM_ID) return itemId;
  return Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
}
