// Finds the entries of a table of texts that contain a substring. The cost is linear in the bytes of the table, whatever the
// texts and the substring are, and the work is cut into short steps.
//
// The method is that of base/contains-text.ts. UTF-8 makes the search over bytes exact.
import { fallbacks, SHORT_SUBSTRING } from '../base/contains-text.ts';
import type { Steps } from '../base/steps.ts';

/** The texts of an IdTable: entry n is bytes[offsets[n] … offsets[n + 1]). */
export interface TextTable {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
  /** bytes at the start of an entry that are no text */
  readonly tagBytes: number;
  /** the first byte of entries that are texts; null: all are */
  readonly textTag: number | null;
}

/** Bytes searched between two chances to be interrupted. */
const STEP_BYTES = 16_384;

export function isText({ bytes, offsets, textTag }: TextTable, entry: number): boolean {
  return textTag === null || bytes[offsets[entry]] === textTag;
}

/** Calls `found` for each text that holds the substring. */
export function* textsContaining(table: TextTable, substring: string, found: (entry: number) => void): Steps<void> {
  const wanted = Buffer.from(substring, 'utf8');
  if (wanted.length === 0) yield* everyText(table, found);
  else if (wanted.length <= SHORT_SUBSTRING) yield* searchShort(table, wanted, found);
  else yield* searchLong(table, wanted, found);
}

function* everyText(table: TextTable, found: (entry: number) => void): Steps<void> {
  const count = table.offsets.length - 1;
  for (let entry = 0; entry < count; entry++) {
    if (isText(table, entry)) found(entry);
    if (entry % STEP_BYTES === 0) yield;
  }
}

/** Searches across the borders of entries, window by window; each entry costs at most two calls of the engine's search. */
function* searchShort(table: TextTable, wanted: Buffer, found: (entry: number) => void): Steps<void> {
  const { bytes, offsets, tagBytes } = table;
  const end = offsets[offsets.length - 1];
  let entry = 0;
  for (let from = 0; from < end; ) {
    const to = Math.min(end, from + STEP_BYTES + wanted.length - 1);
    const window = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
    let at = from;
    while (at < to) {
      const inWindow = window.indexOf(wanted, at - from);
      if (inWindow < 0) break;
      const hit = from + inWindow;
      while (offsets[entry + 1] <= hit) entry++;
      if (hit < offsets[entry] + tagBytes) {
        at = hit + 1;
        continue;
      }
      if (hit + wanted.length <= offsets[entry + 1] && isText(table, entry)) found(entry);
      // One hit decides an entry. If a hit crosses the end of the entry, no later one ends within it.
      at = offsets[entry + 1];
    }
    from = to === end ? end : Math.max(at, to - wanted.length + 1);
    yield;
  }
}

function* searchLong(table: TextTable, wanted: Uint8Array, found: (entry: number) => void): Steps<void> {
  const { bytes, offsets, tagBytes } = table;
  const fallback = fallbacks(wanted);
  const count = offsets.length - 1;
  let untilYield = STEP_BYTES;
  for (let entry = 0; entry < count; entry++) {
    const end = offsets[entry + 1];
    let at = offsets[entry] + tagBytes;
    if (end - at >= wanted.length && isText(table, entry)) {
      let matched = 0;
      while (at < end && matched < wanted.length) {
        const stop = Math.min(end, at + untilYield);
        untilYield -= stop - at;
        for (; at < stop && matched < wanted.length; at++) {
          const byte = bytes[at];
          while (matched > 0 && byte !== wanted[matched]) matched = fallback[matched];
          if (byte === wanted[matched]) matched++;
        }
        if (untilYield <= 0) {
          yield;
          untilYield = STEP_BYTES;
        }
      }
      if (matched === wanted.length) found(entry);
    }
    if (--untilYield <= 0) {
      yield;
      untilYield = STEP_BYTES;
    }
  }
}
