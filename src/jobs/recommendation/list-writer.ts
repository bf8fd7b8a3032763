// Writes the lists of a batch: a line of JSON per user, as bytes, from pieces that are ready; and the rows of the table, if there is
// one. Belongs to one thread.
import type { UsedObjective } from '../../domain/objective.ts';
import type { ServableModel } from '../../serving/model-cache.ts';
import { MAX_SCORE_BYTES, shownScore, writeScore } from '../../serving/shown-score.ts';
import { type EncodedRows, ListRows } from './encoded-rows.ts';
import { ItemPieces } from './item-pieces.ts';
import type { ListOrder } from './list-protocol.ts';

const encoder = new TextEncoder();
const SCORE = encoder.encode(',"score":');
const COMMA = 0x2c;
const END_OF_ITEM = 0x7d;
/** Shorter pieces are copied faster byte by byte than by a call. */
const SHORT_BYTES = 64;
/** Characters from this code on take more than one byte. */
const FIRST_LONG_CODE = 0x80;
/** Most bytes per UTF-16 code unit. */
const MAX_CHARACTER_BYTES = 3;

export class ListWriter {
  readonly #pieces: ItemPieces;
  readonly #rows: ListRows | null;
  #bytes = new Uint8Array(1024 * 1024);
  #length = 0;
  #userId = '';
  /** items of the current list so far */
  #count = 0;

  constructor(catalog: ServableModel['catalog'], order: ListOrder) {
    const { format } = order.data;
    this.#pieces = new ItemPieces(catalog, order.attributes);
    this.#rows = format === 'jsonl' ? null : new ListRows(format, order);
  }

  /** The user whose list comes next. */
  start(userId: string, objective: UsedObjective | null): void {
    this.#userId = userId;
    this.#count = 0;
    this.#text(`{"user_id":${JSON.stringify(userId)},"objective":${JSON.stringify(objective)},"results":[`);
  }

  /** Writes the next item of the list. `score` is null for an item without one. `mark` is the JSON that follows the item. */
  add(item: number, score: number | null, mark = ''): void {
    if (this.#count++ > 0) this.#byte(COMMA);
    const end = this.#pieces.find(item);
    this.#copy(this.#pieces.bytes, this.#pieces.startOf(item), end);
    if (mark !== '') this.#text(mark);
    if (score !== null) {
      this.#copy(SCORE, 0, SCORE.length);
      this.#need(MAX_SCORE_BYTES);
      this.#length = writeScore(score, this.#bytes, this.#length);
    }
    this.#byte(END_OF_ITEM);
    if (this.#rows === null) return;
    const cells = this.#pieces.cellsFor(this.#rows, item);
    this.#rows.add(this.#userId, this.#count, cells, score === null ? null : shownScore(score));
  }

  end(): void {
    this.#text(']}\n');
  }

  /** Returns all lines since the last call, and their rows. */
  take(): { bytes: Uint8Array<ArrayBuffer>; rows: EncodedRows | null } {
    const bytes = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return { bytes, rows: this.#rows?.take() ?? null };
  }

  #text(text: string): void {
    this.#need(text.length * MAX_CHARACTER_BYTES);
    const plain = this.#plainLength(text);
    this.#length +=
      plain === text.length ? plain : encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** Writes the text up to the first character of several bytes. For most texts a call of the encoder would cost more. */
  #plainLength(text: string): number {
    for (let n = 0; n < text.length; n++) {
      const code = text.charCodeAt(n);
      if (code >= FIRST_LONG_CODE) return n;
      this.#bytes[this.#length + n] = code;
    }
    return text.length;
  }

  #byte(byte: number): void {
    this.#need(1);
    this.#bytes[this.#length++] = byte;
  }

  #copy(from: Uint8Array, start: number, end: number): void {
    this.#need(end - start);
    if (end - start > SHORT_BYTES) this.#bytes.set(from.subarray(start, end), this.#length);
    else for (let n = start; n < end; n++) this.#bytes[this.#length + n - start] = from[n];
    this.#length += end - start;
  }

  #need(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (this.#length + bytes));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
