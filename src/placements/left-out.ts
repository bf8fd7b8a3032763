// The items that a list leaves out or puts in a place of their own, by the rules that all lists share.
import type { Catalog } from '../catalog/catalog.ts';
import type { ListInputs } from './item-list.ts';
import { type PinRequest, type PinRules, type SkippedPin, usablePins } from './pins.ts';
import { barredItems } from './touched-items.ts';

/** Ids of items that a call names. */
export interface NamedItems {
  readonly exclude_item_ids: readonly string[];
  readonly pins: readonly PinRequest[];
  /** items on earlier pages */
  readonly shown: readonly string[];
}

export interface LeftOut extends Pick<ListInputs, 'exclude' | 'shown' | 'offset' | 'pins'> {
  readonly skipped: readonly SkippedPin[];
}

type ItemRules = Pick<PinRules, 'catalog' | 'listed' | 'allow' | 'given'> & Parameters<typeof barredItems>[0];

export function leftOutOf(named: NamedItems, rules: ItemRules): LeftOut {
  const { catalog } = rules;
  const exclude = barredItems(rules).union(knownItemsOf(catalog, named.exclude_item_ids));
  const shown = knownItemsOf(catalog, named.shown);
  const offset = named.shown.length;
  const { pins, skipped } = usablePins(named.pins, { ...rules, exclude, shown, offset });
  for (const { item } of pins) exclude.add(item);
  const pinIds = named.pins.map(({ item_id }) => item_id);
  // Earlier pages were searched without their pins, so this one is too.
  for (const item of knownItemsOf(catalog, pinIds).intersection(shown)) exclude.add(item);
  return { exclude, shown, offset, pins, skipped };
}

/** Catalog numbers of the ids that have one. */
export function knownItemsOf(catalog: Catalog, ids: readonly string[]): Set<number> {
  return new Set(ids.map((id) => catalog.indexOf(id)).filter((item) => item >= 0));
}
