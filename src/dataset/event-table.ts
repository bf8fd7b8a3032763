// Events in columns: grouped by user, oldest first, ids replaced by small integers. What training reads instead of the store.
// Only events with a positive value are kept: others are no positive signal. Those below 0 are dislikes, kept next to them.
import { grown } from '../base/grown.ts';
import { MAX_EVENT_VALUE } from '../history/history-rules.ts';
import { type Dislikes, DislikesBuilder } from './dislikes.ts';

/** Looks up ids by index, and indexes by id. */
export interface IdIndex {
  readonly length: number;
  at(index: number): string | undefined;
  indexOf(id: string): number;
}

export interface EventTable {
  readonly userCount: number;
  readonly itemCount: number;
  readonly length: number;
  /** user u's events are [userOffsets[u], userOffsets[u + 1]) */
  readonly userOffsets: Uint32Array;
  readonly item: Uint32Array;
  readonly type: Uint8Array;
  readonly value: Float32Array;
  /** in milliseconds */
  readonly ts: Float64Array;
  readonly itemIds: IdIndex;
  readonly typeNames: readonly string[];
  /** index of the target event type, −1 when no event has it */
  readonly targetType: number;
  readonly dislikes?: Dislikes;
  /** number of its first user, where it is a part of all events; left out: 0 */
  readonly firstUser?: number;
}

/** Events of types with larger numbers are left out: a type takes one byte. */
export const MAX_TYPES = 255;

/** Grows column by column as events arrive in order; `finish` cuts the columns to length. */
export class EventTableBuilder {
  #length = 0;
  #item = new Uint32Array(1024);
  #type = new Uint8Array(1024);
  #value = new Float32Array(1024);
  #ts = new Float64Array(1024);
  #userOffsets = new Uint32Array(1024);
  #userCount = 0;
  readonly #dislikes = new DislikesBuilder();

  get length(): number {
    return this.#length;
  }

  /** Events and dislikes: what takes memory. */
  get size(): number {
    return this.#length + this.#dislikes.length;
  }

  get userCount(): number {
    return this.#userCount;
  }

  beginUser(): void {
    this.endUser();
    // One more offset is needed for the end of the last user.
    if (this.#userCount + 1 === this.#userOffsets.length) {
      this.#userOffsets = grown(this.#userOffsets, new Uint32Array(Math.ceil(this.#userOffsets.length * 1.6)));
    }
    this.#userOffsets[this.#userCount++] = this.#length;
  }

  /** A user whose events were all skipped gets no row and no dislikes. */
  endUser(): void {
    if (this.#userCount === 0 || this.#userOffsets[this.#userCount - 1] < this.#length) return;
    this.#dislikes.forget(--this.#userCount);
  }

  /** Events of a user come oldest first. Returns whether the event was kept. */
  add(item: number, type: number, value: number, ts: number): boolean {
    if (value < 0) this.#dislikes.add(this.#userCount - 1, item, ts);
    if (!(value > 0) || type >= MAX_TYPES) return false;
    if (this.#length === this.#item.length) this.#grow();
    const at = this.#length++;
    this.#item[at] = item;
    this.#type[at] = type;
    this.#value[at] = Math.min(value, MAX_EVENT_VALUE);
    this.#ts[at] = ts;
    return true;
  }

  finish(names: {
    itemIds: IdIndex;
    typeNames: readonly string[];
    targetType: number;
    itemCount?: number;
  }): EventTable {
    this.endUser();
    this.#userOffsets[this.#userCount] = this.#length;
    return {
      userCount: this.#userCount,
      itemCount: names.itemCount ?? names.itemIds.length,
      length: this.#length,
      userOffsets: this.#userOffsets.slice(0, this.#userCount + 1),
      item: this.#item.subarray(0, this.#length),
      type: this.#type.subarray(0, this.#length),
      value: this.#value.subarray(0, this.#length),
      ts: this.#ts.subarray(0, this.#length),
      itemIds: names.itemIds,
      typeNames: names.typeNames,
      targetType: names.targetType,
      dislikes: this.#dislikes.finish(),
    };
  }

  #grow(): void {
    const capacity = Math.ceil(this.#item.length * 1.6);
    this.#item = grown(this.#item, new Uint32Array(capacity));
    this.#type = grown(this.#type, new Uint8Array(capacity));
    this.#value = grown(this.#value, new Float32Array(capacity));
    this.#ts = grown(this.#ts, new Float64Array(capacity));
  }
}
