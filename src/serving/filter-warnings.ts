// Warns about valid filters that look wrong: attributes that no item has, values of a type that no item has, and
// filters that no item matches. The call still succeeds.

import { nearestName } from '../base/nearest-name.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ValueKind } from '../catalog/dense-column.ts';
import { type Filter, type FilterLiteral, ITEM_ID, type NumberExpression } from '../domain/filter/filter.ts';
import { timeOf } from '../domain/filter/filter-number.ts';
import { printFilter } from '../domain/filter/print-filter.ts';
import type { CallWarning } from './response-text.ts';

const MAX_WARNINGS = 3;
/** Most names searched for a similar one. */
const MAX_NAMES = 300;
/** Items, and texts of them, that are looked at for a time. */
const MAX_ITEMS = 1000;
const MAX_TEXTS = 100;
const IN_WORDS: Record<ValueKind, string> = { string: 'text', number: 'numbers', boolean: 'true and false' };

interface Known {
  /** version of the catalog */
  readonly version: number;
  readonly warnings: readonly CallWarning[];
}

/** Filters without inputs of the call are the same object in each call. */
const known = new WeakMap<Catalog, WeakMap<Filter, Known>>();

export function filterWarnings(filter: Filter, catalog: Catalog): readonly CallWarning[] {
  const ofCatalog = known.get(catalog) ?? new WeakMap<Filter, Known>();
  const kept = ofCatalog.get(filter);
  const { version } = catalog;
  if (kept?.version === version) return kept.warnings;
  const warnings = lookAt(filter, catalog);
  known.set(catalog, ofCatalog.set(filter, { version, warnings }));
  return warnings;
}

function lookAt(filter: Filter, catalog: Catalog): CallWarning[] {
  const warnings = new Map<string, CallWarning>();
  const check = (attribute: string, wanted: readonly ValueKind[], hint: () => string): void => {
    if (attribute === ITEM_ID || warnings.has(attribute) || warnings.size >= MAX_WARNINGS) return;
    const kinds = catalog.kindsOf(attribute);
    if (kinds === null) return;
    if (kinds.length === 0) warnings.set(attribute, unknownAttribute(attribute, catalog));
    else if (wanted.length > 0 && !wanted.some((kind) => kinds.includes(kind))) {
      const held = kinds.map((kind) => IN_WORDS[kind]).join(' and ');
      warnings.set(attribute, { code: 'WRONG_TYPE', message: `${shown(attribute)} holds ${held}. ${hint()}` });
    }
  };
  const checkTime = (attribute: string, hint: () => string): void => {
    check(attribute, ['number', 'string'], hint);
    if (warnings.has(attribute) || warnings.size >= MAX_WARNINGS) return;
    const text = textInsteadOfTime(attribute, catalog);
    if (text === null) return;
    const message = `${shown(attribute)} holds texts that are no times, such as ${literal(text)}. Write times as in '2025-02-01' or '2025-02-01T18:30:00Z', or in milliseconds.`;
    warnings.set(attribute, { code: 'WRONG_TYPE', message });
  };
  const checkNumber = (number: NumberExpression): void => {
    const hint = () => 'The filter computes with it, so it counts as absent.';
    if (number.kind === 'attribute') check(number.name, ['number'], hint);
    else if (number.kind === 'time') checkTime(number.name, hint);
    else if (number.kind === 'distance') number.of.forEach(checkNumber);
    else if (number.kind === 'arithmetic') [number.left, number.right].forEach(checkNumber);
  };
  const walk = (part: Filter): void => {
    switch (part.kind) {
      case 'and':
      case 'or':
        part.operands.forEach(walk);
        break;
      case 'not':
        walk(part.operand);
        break;
      case 'compute':
        [part.left, part.right].forEach(checkNumber);
        break;
      case 'constant':
        break;
      default: {
        const values = part.kind === 'null' ? [] : part.kind === 'in' ? part.values : [part.value];
        const kinds = values.map((value) => typeof value as ValueKind);
        check(part.attribute, kinds, () => `The filter compares it with ${kindHint(values[0])}`);
      }
    }
  };
  walk(filter);
  return [...warnings.values()];
}

/** The warning for a list that is empty because of its filter. */
export function emptyWarning(filter: Filter): CallWarning {
  const message =
    filter.kind === 'constant'
      ? 'No item meets the filter: an attribute of the user or the context, or a list of filter_params, is missing, empty or different.'
      : 'No item meets the filter. Try a broader one.';
  return { code: 'FILTER_MATCHES_NOTHING', message };
}

/** A text of the attribute where no value is a time; null where one is. */
function textInsteadOfTime(attribute: string, catalog: Catalog): string | null {
  let [first, texts]: [string | null, number] = [null, 0];
  const items = Math.min(catalog.itemCount, MAX_ITEMS);
  for (let item = 0; item < items && texts < MAX_TEXTS; item++) {
    const value = catalog.attribute(item, attribute);
    if (Number.isFinite(timeOf(value))) return null;
    if (typeof value !== 'string') continue;
    first ??= value;
    texts++;
  }
  return first;
}

function unknownAttribute(attribute: string, catalog: Catalog): CallWarning {
  const nearest = nearestName(attribute, catalog.attributeNames().slice(0, MAX_NAMES));
  const hint = nearest === null ? '' : ` Did you mean ${shown(nearest)}?`;
  return { code: 'UNKNOWN_ATTRIBUTE', message: `No item has an attribute ${shown(attribute)}.${hint}` };
}

function kindHint(value: FilterLiteral): string {
  if (typeof value === 'boolean') return `${value}.`;
  if (typeof value === 'number') return `a number. Text is in single quotes: '${value}'.`;
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value));
  return `text.${isNumber ? ` Write ${Number(value)} without quotes.` : ''}`;
}

const literal = (text: string): string => `'${text.slice(0, 40)}'`;

/** The attribute as it is written in a filter. */
function shown(attribute: string): string {
  return printFilter({ kind: 'null', attribute: attribute.slice(0, 64) }).slice(0, -' IS NULL'.length);
}
