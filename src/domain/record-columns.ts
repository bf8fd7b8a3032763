// A batch of checked records as columns of bytes, passed from the parser threads to the API thread and on to the store.
// Typed arrays move between threads without a copy, so a batch of 64 MiB costs the API thread nothing.
//
// Invariant: every array owns its buffer; after `buffersOf` has been transferred, the columns are empty on this side.
import type { EntityRecord, EventRecord } from './record.ts';

/** Texts laid end to end as UTF-8. */
export interface TextColumn {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The end of each text in `bytes`. */
  readonly ends: Uint32Array<ArrayBuffer>;
}

export interface RecordColumns {
  readonly length: number;
  readonly ids: TextColumn;
  /** the attributes as JSON */
  readonly attributes: TextColumn;
}

export interface EventColumns {
  readonly length: number;
  readonly eventIds: TextColumn;
  readonly userIds: TextColumn;
  readonly itemIds: TextColumn;
  readonly types: TextColumn;
  readonly ts: Float64Array<ArrayBuffer>;
  readonly values: Float64Array<ArrayBuffer>;
  /** the attributes as JSON; empty for {} */
  readonly attributes: TextColumn;
  /** ids of the lists that led to the events; empty: none */
  readonly recommendations: TextColumn;
}

const encoder = new TextEncoder();

export function recordColumns(records: readonly EntityRecord[]): RecordColumns {
  return textColumns(records.map(({ id, attributes }) => ({ id, attributes: JSON.stringify(attributes) })));
}

/** Makes columns of records whose attributes are already JSON. */
export function textColumns(records: readonly { id: string; attributes: string }[]): RecordColumns {
  return {
    length: records.length,
    ids: textColumn(records.map(({ id }) => id)),
    attributes: textColumn(records.map(({ attributes }) => attributes)),
  };
}

export function eventColumns(events: readonly EventRecord[]): EventColumns {
  const jsonOf = ({ attributes }: EventRecord): string => {
    const json = JSON.stringify(attributes);
    return json === '{}' ? '' : json;
  };
  return {
    length: events.length,
    eventIds: textColumn(events.map(({ event_id }) => event_id)),
    userIds: textColumn(events.map(({ user_id }) => user_id)),
    itemIds: textColumn(events.map(({ item_id }) => item_id)),
    types: textColumn(events.map(({ event_type }) => event_type)),
    ts: Float64Array.from(events, ({ ts }) => ts),
    values: Float64Array.from(events, ({ event_value }) => event_value),
    attributes: textColumn(events.map(jsonOf)),
    recommendations: textColumn(events.map(({ recommendation_id }) => recommendation_id ?? '')),
  };
}

export function textColumn(texts: readonly string[]): TextColumn {
  const joined = texts.join('');
  const bytes = encoder.encode(joined);
  if (bytes.length === joined.length) return { bytes, ends: endsOf(texts, ({ length }) => length) };
  // Each text separately, because halves of a surrogate pair in neighboring texts must not become one character.
  const wellFormed = texts.map((text) => text.toWellFormed());
  return { bytes: encoder.encode(wellFormed.join('')), ends: endsOf(wellFormed, Buffer.byteLength) };
}

function endsOf(texts: readonly string[], lengthOf: (text: string) => number): Uint32Array<ArrayBuffer> {
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (let i = 0; i < texts.length; i++) {
    end += lengthOf(texts[i]);
    ends[i] = end;
  }
  return ends;
}

export function textsOf({ bytes, ends }: TextColumn): string[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts = new Array<string>(ends.length);
  for (let i = 0, from = 0; i < ends.length; from = ends[i++]) {
    texts[i] = from === ends[i] ? '' : buffer.toString('utf8', from, ends[i]);
  }
  return texts;
}

/** Returns the length in bytes. */
export function textLength({ ends }: TextColumn, index: number): number {
  return index === 0 ? ends[0] : ends[index] - ends[index - 1];
}

/** Up to this length, a loop is faster than creating a view. */
const SHORT_TEXT_BYTES = 64;

export function copyText({ bytes, ends }: TextColumn, index: number, target: Uint8Array, at: number): void {
  const from = index === 0 ? 0 : ends[index - 1];
  const to = ends[index];
  if (to - from > SHORT_TEXT_BYTES) target.set(bytes.subarray(from, to), at);
  else for (let n = from; n < to; n++) target[at + n - from] = bytes[n];
}

/** The bytes of one text: a view. */
export function bytesAt({ bytes, ends }: TextColumn, index: number): Uint8Array {
  return bytes.subarray(index === 0 ? 0 : ends[index - 1], ends[index]);
}

/** Memory of the columns in bytes. */
export function columnBytes(columns: RecordColumns | EventColumns): number {
  return buffersOf(columns).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** The buffers to transfer when the columns move to another thread. */
export function buffersOf(columns: RecordColumns | EventColumns): ArrayBuffer[] {
  return Object.values(columns).flatMap((column: number | Float64Array<ArrayBuffer> | TextColumn) => {
    if (typeof column === 'number') return [];
    return 'ends' in column ? [column.bytes.buffer, column.ends.buffer] : [column.buffer];
  });
}
