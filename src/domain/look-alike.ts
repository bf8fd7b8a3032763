// Finds ids that were probably meant to be another id: they differ by case, spaces, leading zeros or a prefix. For items it
// only makes spellings to look up, so that the cost does not grow with the catalog.
import { editDistance } from '../base/nearest-name.ts';

const SHORTEST_TYPE = 3;

/** The format of a catalog's ids, from known ids: a prefix before the digits, and their width. */
interface IdStyle {
  readonly prefix: string;
  /** 0: digits are not padded to a width */
  readonly digits: number;
}

/** Other spellings of the item id, to be looked up; `examples` are some ids the dataset knows. */
export function itemSpellings(id: string, examples: readonly string[]): string[] {
  const spellings = new Set<string>();
  const trimmed = id.trim();
  for (const text of [id, trimmed, trimmed.replace(/\s+/g, ' '), trimmed.replace(/\s+/g, '')]) {
    for (const cased of [text, text.toLowerCase(), text.toUpperCase()]) {
      spellings.add(cased).add(withoutZeros(cased)).add(withoutFraction(cased));
    }
  }
  const style = styleOf(examples);
  if (style !== null) spellings.add(inStyle(trimmed, style));
  spellings.delete(id);
  spellings.delete('');
  return [...spellings];
}

/** The known event type that was probably meant, or null. */
export function similarType(type: string, known: readonly string[]): string | null {
  const plain = plainType(type);
  return (
    known.find((other) => plainType(other) === plain) ??
    known.find(
      (other) =>
        Math.min(type.length, other.length) >= SHORTEST_TYPE &&
        Math.abs(type.length - other.length) <= 1 &&
        editDistance(type.toLowerCase(), other.toLowerCase()) === 1,
    ) ??
    null
  );
}

const plainType = (type: string): string => type.toLowerCase().replace(/[\s_-]+/g, '');

/** Turns sku-007 into sku-7. */
const withoutZeros = (id: string): string => id.replace(/^(\D*)0+(?=\d)/, '$1');

/** 7.0 → 7: whole numbers stored in a floating-point column */
const withoutFraction = (id: string): string => id.replace(/^(\d+)\.0+$/, '$1');

/** The format that more than half of the examples share, or null. */
function styleOf(examples: readonly string[]): IdStyle | null {
  const parts = examples.flatMap((id) => {
    const [, prefix, digits] = /^(\D*)(\d+)$/.exec(id) ?? [];
    return digits === undefined ? [] : [{ prefix, digits }];
  });
  for (const alike of Map.groupBy(parts, ({ prefix }) => prefix).values()) {
    if (alike.length * 2 <= examples.length) continue;
    const [{ prefix, digits }] = alike;
    const isPadded =
      alike.some((part) => part.digits[0] === '0') && alike.every((part) => part.digits.length === digits.length);
    return { prefix, digits: isPadded ? digits.length : 0 };
  }
  return null;
}

/** 7 and SKU-7 → Sku-007 if ids have that format, and sku-7 → 7 if they are only digits. Another prefix means another kind of item. */
function inStyle(id: string, { prefix, digits }: IdStyle): string {
  const [, ownPrefix, number] = /^(\D*)(\d+)$/.exec(id) ?? [];
  if (number === undefined) return id;
  if (ownPrefix !== '' && prefix !== '' && ownPrefix.toLowerCase() !== prefix.toLowerCase()) return id;
  return prefix + withoutZeros(number).padStart(digits, '0');
}
