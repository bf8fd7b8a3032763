// Explains why no item has the value of a query: usually it has another type than the items' values, or the attribute's name is
// misspelled.

import { nearestName } from '../../base/nearest-name.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { QueryValue } from '../../domain/insight-request.ts';
import { pairInWords, type UsagePair } from '../usage/usage-pairs.ts';

/** Explains, for a message, that no item has a value. */
export function missingValue(pair: UsagePair, catalog: Catalog): string {
  const { attribute, value } = pair;
  if (catalog.kindsOf(attribute)?.length === 0) {
    const nearest = nearestName(attribute, catalog.attributeNames());
    const hint = nearest === null ? '' : ` Did you mean ${nearest}?`;
    return `No item has ${pairInWords(pair)}: there is no attribute ${attribute}.${hint}`;
  }
  const other = otherType(value);
  if (other !== null && catalog.itemsWith(attribute, other).count > 0) {
    const [asked, held] = [inWords(value), inWords(other)];
    return `No item has ${pairInWords(pair)} as ${asked}, but items have ${held}: query ${JSON.stringify(other)} instead of ${JSON.stringify(value)}.`;
  }
  return `No item has ${pairInWords(pair)}.`;
}

/** The value as text if it is not text, else the boolean or number that the text spells; null if it spells neither. */
function otherType(value: QueryValue): QueryValue | null {
  if (typeof value !== 'string') return String(value);
  if (value === 'true' || value === 'false') return value === 'true';
  const number = Number(value);
  return value.trim() !== '' && Number.isFinite(number) ? number : null;
}

function inWords(value: QueryValue): string {
  if (typeof value === 'string') return 'text';
  return typeof value === 'number' ? `the number ${value}` : `the value ${value}`;
}
