// The item attributes as features a group can be described by: every category, and five ranges of a number that takes many
// values. Names and other values that belong to one item alone say nothing about taste and are left out, and so are addresses.
import type { AttributeValue } from '../../domain/record.ts';

/** The part of the live catalog that describing needs. */
export interface DescribedCatalog {
  readonly itemCount: number;
  itemId(item: number): string;
  attribute(item: number, name: string): AttributeValue | undefined;
  attributeNames(): string[];
}

export interface Feature {
  readonly attribute: string;
  /** the value itself, or `low – high` of a range */
  readonly value: string | number | boolean;
  /** the value as a label shows it */
  readonly words: string;
}

export interface FeatureTable {
  readonly features: readonly Feature[];
  /** item i has features of[offsets[i] … offsets[i+1]) */
  readonly offsets: Uint32Array;
  readonly of: Uint32Array;
}

const NAME_ATTRIBUTES = ['title', 'name', 'item_name', 'product_name', 'display_name', 'label', 'headline'];
const MAX_PLAIN_NUMBERS = 12;
const RANGES = 5;
/** Attributes with more different values than this (descriptions, links) are no categories. */
const MAX_VALUES = 50_000;
/** Addresses of pictures and pages: several items may share one, but people do not read them. */
const ADDRESS = /^(?:https?:\/)?\/\S+$/;

/** The attribute that names an item to people, or null. */
export function nameAttribute(catalog: DescribedCatalog): string | null {
  const byLowerCase = new Map(catalog.attributeNames().map((name) => [name.toLowerCase(), name]));
  for (const candidate of NAME_ATTRIBUTES) {
    const name = byLowerCase.get(candidate);
    if (name === undefined) continue;
    for (let item = 0; item < Math.min(catalog.itemCount, 1000); item++) {
      const value = catalog.attribute(item, name);
      if (typeof value === 'string' && value.trim() !== '') return name;
    }
  }
  return null;
}

export function featureTable(catalog: DescribedCatalog): FeatureTable {
  const ownName = nameAttribute(catalog);
  const features: Feature[] = [];
  const perItem: number[][] = Array.from({ length: catalog.itemCount }, () => []);
  for (const attribute of catalog.attributeNames()) {
    if (attribute !== ownName) addAttribute(catalog, attribute, features, perItem);
  }
  const offsets = new Uint32Array(catalog.itemCount + 1);
  for (let item = 0; item < perItem.length; item++) offsets[item + 1] = offsets[item] + perItem[item].length;
  const of = new Uint32Array(offsets[catalog.itemCount]);
  for (const [item, list] of perItem.entries()) of.set(list, offsets[item]);
  return { features, offsets, of };
}

function addAttribute(catalog: DescribedCatalog, attribute: string, features: Feature[], perItem: number[][]): void {
  const items = new Map<string | number | boolean, number[]>();
  for (let item = 0; item < catalog.itemCount; item++) {
    const value = catalog.attribute(item, attribute);
    for (const scalar of new Set(Array.isArray(value) ? value : [value])) {
      if (typeof scalar !== 'string' && typeof scalar !== 'number' && typeof scalar !== 'boolean') continue;
      if (typeof scalar === 'string' && ADDRESS.test(scalar)) continue;
      const known = items.get(scalar);
      if (known) known.push(item);
      else if (items.size >= MAX_VALUES) return;
      else items.set(scalar, [item]);
    }
  }
  const numbers = [...items.keys()].filter((value) => typeof value === 'number');
  const groups = numbers.length > MAX_PLAIN_NUMBERS ? withRanges(attribute, items, numbers) : plain(attribute, items);
  for (const { feature, members } of groups) {
    // A value of one item alone is that item by another name.
    if (members.length < 2) continue;
    const number = features.push(feature) - 1;
    for (const item of members) perItem[item].push(number);
  }
}

type FeatureItems = { feature: Feature; members: number[] };

function plain(attribute: string, items: ReadonlyMap<string | number | boolean, number[]>): FeatureItems[] {
  return [...items].map(([value, members]) => ({
    feature: { attribute, value, words: typeof value === 'string' ? value : `${attribute} ${value}` },
    members,
  }));
}

/** Ranges with about equally many items each; other values of the attribute stay as they are. */
function withRanges(
  attribute: string,
  items: ReadonlyMap<string | number | boolean, number[]>,
  numbers: number[],
): FeatureItems[] {
  numbers.sort((a, b) => a - b);
  const total = numbers.reduce((sum, number) => sum + items.get(number)!.length, 0);
  const ranges: FeatureItems[] = [];
  let members: number[] = [];
  let low = numbers[0];
  let passed = 0;
  for (const [index, number] of numbers.entries()) {
    const having = items.get(number)!;
    for (const item of having) members.push(item);
    passed += having.length;
    if (passed < (total * (ranges.length + 1)) / RANGES && index < numbers.length - 1) continue;
    const value = low === number ? low : `${low} – ${number}`;
    ranges.push({ feature: { attribute, value, words: `${attribute} ${value}` }, members });
    members = [];
    low = numbers[index + 1];
  }
  const others = plain(attribute, new Map([...items].filter(([value]) => typeof value !== 'number')));
  return [...ranges, ...others];
}
