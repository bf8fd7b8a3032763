// The distinct values of an attribute, and which of them meet a condition. An entry is "s" + text, or "j" + the JSON of
// anything that is no text. Codes are 1 + the entry's index; 0 is nobody's.
//
// Deciding touches as few entries as it can: equality is a look-up, a substring is searched in the bytes of all entries at
// once (UTF-8 keeps that exact), only an order comparison reads entry by entry.
import { compares } from '../domain/evaluate-filter.ts';
import type { ComparisonOperator, FilterLiteral } from '../domain/filter.ts';
import { IdTable } from '../domain/id-table.ts';

const TEXT = 's'.charCodeAt(0);

/** verdict of code c; [0] stays 0 */
export type Verdicts = Uint8Array;

export class ValueDictionary {
  readonly #entries = new IdTable();

  get length(): number {
    return this.#entries.length;
  }

  codeOf(value: unknown): number {
    return this.#entries.intern(entryOf(value)) + 1;
  }

  valueOf(code: number): unknown {
    const entry = this.#entries.at(code - 1)!;
    return entry.charCodeAt(0) === TEXT ? entry.slice(1) : JSON.parse(entry.slice(1));
  }

  equalTo(values: readonly FilterLiteral[]): Verdicts {
    const verdicts = new Uint8Array(this.length + 1);
    for (const value of values) verdicts[this.#entries.indexOf(entryOf(value)) + 1] = 1;
    verdicts[0] = 0;
    return verdicts;
  }

  containing(substring: string): Verdicts {
    const { bytes, offsets } = this.#entries.content();
    return entriesContaining(bytes, offsets, substring, (index) => bytes[offsets[index]] === TEXT, 1);
  }

  ordered(operator: ComparisonOperator, literal: FilterLiteral): Verdicts {
    const verdicts = new Uint8Array(this.length + 1);
    const { bytes, offsets } = this.#entries.content();
    const wantsText = typeof literal === 'string';
    for (let index = 0; index < this.length; index++) {
      if ((bytes[offsets[index]] === TEXT) !== wantsText) continue;
      if (compares(operator, this.valueOf(index + 1), literal)) verdicts[index + 1] = 1;
    }
    return verdicts;
  }

  memoryBytes(): number {
    return this.#entries.memoryBytes();
  }
}

/**
 * verdict[index + 1] = 1 where the entry's text holds the substring. The first `tagBytes` of an entry are not text; entries
 * that `isText` denies have none.
 */
export function entriesContaining(
  bytes: Uint8Array,
  offsets: Uint32Array,
  substring: string,
  isText: (index: number) => boolean,
  tagBytes: number,
): Verdicts {
  const count = offsets.length - 1;
  const verdicts = new Uint8Array(count + 1);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wanted = Buffer.from(substring, 'utf8');
  if (wanted.length === 0) {
    for (let index = 0; index < count; index++) if (isText(index)) verdicts[index + 1] = 1;
    return verdicts;
  }
  let index = 0;
  for (let hit = text.indexOf(wanted); hit >= 0; ) {
    while (offsets[index + 1] <= hit) index++;
    const inside = hit >= offsets[index] + tagBytes && hit + wanted.length <= offsets[index + 1] && isText(index);
    if (inside) verdicts[index + 1] = 1;
    // one hit decides an entry; one across a border decides nothing
    hit = text.indexOf(wanted, inside ? offsets[index + 1] : hit + 1);
  }
  return verdicts;
}

function entryOf(value: unknown): string {
  return typeof value === 'string' ? `s${value}` : `j${JSON.stringify(value)}`;
}
