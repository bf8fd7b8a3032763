// What a group of users is like, in words people understand: the items and attribute values whose share among the group's
// expected next interactions is most above the average of all users, and a short label made from them.
//
// "Most above average" is ranked by s · log(s / average): a value must be both used and used more than elsewhere. A plain ratio
// would put forward what hardly anybody uses, a plain share what everybody uses.
import { shorten } from '../charts/svg.ts';
import { type DescribedCatalog, type FeatureTable, nameAttribute } from './attribute-features.ts';

export interface GroupAttribute {
  attribute: string;
  value: string | number | boolean;
  /** mean share in the group, 0 to 1, without the maps of usage */
  usage: number;
  /** the same over all groups */
  average: number;
  /** usage divided by average */
  lift: number;
}

export interface GroupItem {
  item_id: string;
  name: string | null;
  /** share in the group's expected next interactions */
  share: number;
  lift: number;
}

export interface GroupDescription {
  label: string;
  top_items: GroupItem[];
  attributes: GroupAttribute[];
}

const TOP_ITEMS = 10;
const TOP_ATTRIBUTES = 8;
const LABEL_PARTS = 2;
const MIN_LIFT = 1.05;
const MIN_LABEL_LIFT = 1.15;

/**
 * Returns a function that describes one group at a time. `share` and `average` are distributions over the catalog's
 * items.
 */
export function groupDescriber(
  catalog: DescribedCatalog,
  table: FeatureTable,
  average: Float64Array,
): (share: Float64Array) => GroupDescription {
  const featureAverage = featureShares(table, average);
  const nameOf = itemNames(catalog);
  const used = new Set<string>();
  return (share) => {
    const featureShare = featureShares(table, share);
    const items = mostAbove(share, average, TOP_ITEMS, 1).map((item) => ({
      item_id: catalog.itemId(item),
      name: nameOf(item),
      share: share[item],
      lift: liftOf(share[item], average[item]),
    }));
    const ranked = mostAbove(featureShare, featureAverage, 40, MIN_LIFT);
    const attributes = ranked.slice(0, TOP_ATTRIBUTES).map((feature) => ({
      attribute: table.features[feature].attribute,
      value: table.features[feature].value,
      usage: featureShare[feature],
      average: featureAverage[feature],
      lift: liftOf(featureShare[feature], featureAverage[feature]),
    }));
    const words = ranked
      .filter((feature) => liftOf(featureShare[feature], featureAverage[feature]) >= MIN_LABEL_LIFT)
      .map((feature) => table.features[feature].words);
    const label = makeLabel(words, items, used);
    used.add(label);
    return { label, top_items: items, attributes };
  };
}

/** The fewest words, two at least when there are two, that no earlier group has. */
function makeLabel(words: readonly string[], items: readonly GroupItem[], used: ReadonlySet<string>): string {
  const distinct = [...new Set(words)].map((word) => shorten(word, 32));
  for (let parts = Math.min(LABEL_PARTS, distinct.length); parts <= Math.min(4, distinct.length); parts++) {
    const label = distinct.slice(0, parts).join(' · ');
    if (parts > 0 && !used.has(label)) return label;
  }
  const names = items.map(({ name, item_id }) => shorten(name ?? item_id, 28));
  const lead = distinct.slice(0, LABEL_PARTS);
  for (let parts = 1; parts <= names.length; parts++) {
    const label = [...lead, ...names.slice(0, lead.length === 0 ? parts + 1 : parts)].join(' · ');
    if (!used.has(label)) return label;
  }
  return `Group ${used.size + 1}`;
}

function featureShares(table: FeatureTable, shares: Float64Array): Float64Array {
  const sums = new Float64Array(table.features.length);
  for (let item = 0; item < shares.length && item + 1 < table.offsets.length; item++) {
    const share = shares[item];
    if (share === 0) continue;
    for (let at = table.offsets[item]; at < table.offsets[item + 1]; at++) sums[table.of[at]] += share;
  }
  return sums;
}

/** Indexes with a lift of at least `minLift`, by falling s · log(s / average). */
function mostAbove(shares: Float64Array, averages: Float64Array, count: number, minLift: number): number[] {
  const gains: { index: number; gain: number }[] = [];
  for (let index = 0; index < shares.length; index++) {
    const lift = liftOf(shares[index], averages[index]);
    if (shares[index] > 0 && lift >= minLift) gains.push({ index, gain: shares[index] * Math.log(lift) });
  }
  gains.sort((a, b) => b.gain - a.gain || a.index - b.index);
  return gains.slice(0, count).map(({ index }) => index);
}

function liftOf(share: number, average: number): number {
  return average > 0 ? share / average : 1;
}

function itemNames(catalog: DescribedCatalog): (item: number) => string | null {
  const attribute = nameAttribute(catalog);
  return (item) => {
    const name = attribute === null ? undefined : catalog.attribute(item, attribute);
    return typeof name === 'string' && name.trim() !== '' ? name : null;
  };
}
