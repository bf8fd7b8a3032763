// Finds the texts of a table before or after a given one, by comparing bytes without creating strings. The order is that of
// JavaScript, by UTF-16 code units.

import type { Steps } from '../base/steps.ts';
import type { ComparisonOperator } from '../domain/filter/filter.ts';
import { isText, type TextTable } from './text-search.ts';

/** Bytes compared between two chances to be interrupted. */
const STEP_BYTES = 65_536;

/** Calls `found` for each text that compares so with the given one. */
export function* textsInOrder(
  table: TextTable,
  operator: ComparisonOperator,
  text: string,
  found: (entry: number) => void,
): Steps<void> {
  const wanted = Buffer.from(text, 'utf8');
  const { bytes, offsets, tagBytes } = table;
  const count = offsets.length - 1;
  const below = operator === '<' || operator === '<=';
  const equal = operator === '<=' || operator === '>=';
  let untilYield = STEP_BYTES;
  for (let entry = 0; entry < count; entry++) {
    if (untilYield <= 0) {
      yield;
      untilYield = STEP_BYTES;
    }
    untilYield -= 16;
    if (!isText(table, entry)) continue;
    const start = offsets[entry] + tagBytes;
    const common = Math.min(offsets[entry + 1] - start, wanted.length);
    let at = 0;
    while (at < common && bytes[start + at] === wanted[at]) at++;
    untilYield -= at;
    const difference =
      at < common ? orderKey(bytes[start + at]) - orderKey(wanted[at]) : offsets[entry + 1] - start - wanted.length;
    if (difference === 0 ? equal : difference < 0 === below) found(entry);
  }
}

/**
 * UTF-8 and UTF-16 order texts alike but for one thing: characters of four bytes (F0 …) are pairs of surrogates in UTF-16
 * and come before U+E000 to U+FFFF (EE …, EF …).
 */
function orderKey(byte: number): number {
  return byte >= 0xee && byte <= 0xef ? byte + 0x10 : byte;
}
