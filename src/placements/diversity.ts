// Variety in a list, of one of two kinds. Items of earlier pages count as the beginning of the list.
//
//   caps      at most n items with the same value of an attribute. Taken in their order, an item that would be one too many is
//             dropped; if too few remain, the search continues among items without the values that are full. An item with several
//             values counts for each, one without the attribute for none. Pinned items count first, also those of later pages.
//   a number  from 0 (none) to 1: near-duplicates in taste move down. Place by place the item with the largest
//             (1 − d) · relevance − d · (likeness to the most alike item above it) is taken; relevance falls evenly from 1 to 0
//             along the list, so that it means the same whatever the scores.
import type { Catalog } from '../catalog/catalog.ts';
import type { ItemBitmap } from '../catalog/item-set.ts';
import { ItemSet } from '../catalog/item-set.ts';
import { candidatesFor, findCandidates } from './candidates.ts';
import type { ItemList, ListedItem, ListInputs, ListStep } from './item-list.ts';

/** Each round has fewer values left, so few rounds are ever needed. */
const MAX_ROUNDS = 50;
/** Places of a list that are chosen for variety; the rest follows in its order. */
const VARIED_PLACES = 100;

type Value = string | number | boolean;
type Full = ReadonlyMap<string, ReadonlySet<Value>>;

export const diversify: ListStep = (list, inputs) => {
  if (inputs.diversity === null) return list;
  if (typeof inputs.diversity !== 'number') return capped(list, inputs, inputs.diversity.max_per);
  const distance = inputs.diversity;
  const meeting = list.items.filter(({ filled }) => !filled);
  const rest = list.items.filter(({ filled }) => filled);
  const spread = (items: readonly ListedItem[]) => spreadOut(items, { ...inputs, distance });
  return { ...list, items: [...spread(meeting), ...spread(rest)] };
};

function capped(list: ItemList, inputs: ListInputs, maxPer: Readonly<Record<string, number>>): ItemList {
  let found = list;
  let open: OpenItems | undefined;
  for (let round = 0; ; round++) {
    const { items, full } = withinCaps(found.items, inputs, maxPer);
    const kept = { ...found, items };
    const isExhausted = found.items.length < candidatesFor(inputs);
    if (items.length >= inputs.limit || isExhausted || round === MAX_ROUNDS) return kept;
    open ??= new OpenItems(inputs);
    const deeper = findCandidates(kept, { ...inputs, allow: open.without(full) });
    if (deeper.items.length === items.length) return kept;
    found = deeper;
  }
}

/** Keeps items up to the limit. Those after it are not looked at. */
function withinCaps(
  items: readonly ListedItem[],
  { catalog, limit, shown, pins }: Pick<ListInputs, 'catalog' | 'limit' | 'shown' | 'pins'>,
  maxPer: Readonly<Record<string, number>>,
): { items: ListedItem[]; full: Full } {
  const caps = Object.entries(maxPer).map(([attribute, most]) => ({
    attribute,
    most,
    counts: new Map<Value, number>(),
  }));
  const fits = (item: number): boolean =>
    caps.every(({ attribute, most, counts }) =>
      valuesOf(catalog, item, attribute).every((value) => (counts.get(value) ?? 0) < most),
    );
  const count = (item: number): void => {
    for (const { attribute, counts } of caps) {
      for (const value of valuesOf(catalog, item, attribute)) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  };
  for (const item of shown) count(item);
  for (const { item } of pins) count(item);
  const kept: ListedItem[] = [];
  for (const listed of items) {
    if (kept.length === limit) break;
    if (!fits(listed.item)) continue;
    count(listed.item);
    kept.push(listed);
  }
  const full = caps.map(({ attribute, most, counts }): [string, Set<Value>] => [
    attribute,
    new Set([...counts].filter(([, count]) => count >= most).map(([value]) => value)),
  ]);
  return { items: kept, full: new Map(full) };
}

function valuesOf(catalog: Catalog, item: number, attribute: string): Value[] {
  const value = attribute === 'item_id' ? catalog.itemId(item) : catalog.attribute(item, attribute);
  const values = Array.isArray(value) ? value : [value];
  return [...new Set(values.filter((one) => one !== null && one !== undefined && typeof one !== 'object'))];
}

/** The items that the call allows, without those that have a full value. The list keeps its items, so a full value stays full. */
class OpenItems {
  readonly #catalog: Catalog;
  readonly #items: ItemSet;
  #full: Full = new Map();

  constructor({ catalog, allow, listed }: ListInputs) {
    const { words } = allow ?? listed;
    this.#catalog = catalog;
    this.#items = new ItemSet(words.length * 32);
    this.#items.words.set(words);
  }

  without(full: Full): ItemBitmap {
    const { words } = this.#items;
    for (const [attribute, values] of full) {
      const before = this.#full.get(attribute);
      const fresh = [...values].filter((value) => !before?.has(value));
      if (fresh.length === 0) continue;
      for (const having of this.#catalog.itemsWithAny(attribute, fresh)) {
        const shared = Math.min(words.length, having.words.length);
        for (let word = 0; word < shared; word++) words[word] &= ~having.words[word];
      }
    }
    this.#full = full;
    return this.#items.recount();
  }
}

function spreadOut(
  items: readonly ListedItem[],
  { distance, limit, likeness, shown }: { distance: number } & Pick<ListInputs, 'limit' | 'likeness' | 'shown'>,
): ListedItem[] {
  const places = Math.min(limit, VARIED_PLACES - shown.size, items.length);
  if (distance === 0 || places <= 0 || items.length + shown.size < 3) return [...items];
  const rest = items.map((item, place) => ({ item, relevance: 1 - place / items.length, alike: 0 }));
  const moveFrom = (item: number): void => {
    for (const other of rest) other.alike = Math.max(other.alike, likeness(item, other.item.item));
  };
  for (const item of shown) moveFrom(item);
  const chosen: ListedItem[] = [];
  while (chosen.length < places) {
    let best = 0;
    const worth = ({ relevance, alike }: (typeof rest)[number]) => (1 - distance) * relevance - distance * alike;
    for (let n = 1; n < rest.length; n++) if (worth(rest[n]) > worth(rest[best])) best = n;
    const [{ item }] = rest.splice(best, 1);
    chosen.push(item);
    moveFrom(item.item);
  }
  return [...chosen, ...rest.map(({ item }) => item)];
}
