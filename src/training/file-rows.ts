// The rows of a file of events as they are read, in typed arrays: 21 bytes each, however many there are.
import { grown } from '../base/grown.ts';

const FIRST_ROOM = 4096;
const GROWTH = 1.6;
/** Types after this one count as one: a table of events has fewer (dataset/event-table.ts). */
const LAST_TYPE = 255;

export interface FileRow {
  /** users have numbers from 0 on, without gaps */
  readonly user: number;
  readonly item: number;
  readonly type: number;
  readonly value: number;
  readonly ts: number;
}

export class FileRows {
  length = 0;
  users = 0;
  user = new Uint32Array(FIRST_ROOM);
  item = new Uint32Array(FIRST_ROOM);
  type = new Uint8Array(FIRST_ROOM);
  value = new Float32Array(FIRST_ROOM);
  ts = new Float64Array(FIRST_ROOM);

  add({ user, item, type, value, ts }: FileRow): void {
    if (this.length === this.user.length) this.#grow();
    const row = this.length++;
    this.users = Math.max(this.users, user + 1);
    this.user[row] = user;
    this.item[row] = item;
    this.type[row] = Math.min(type, LAST_TYPE);
    this.value[row] = value;
    this.ts[row] = ts;
  }

  /** Row numbers: user after user, each from the oldest event on; rows of the same time stay in the order of the file. */
  inOrder(): Uint32Array {
    const { length, user, ts } = this;
    const ends = new Uint32Array(this.users);
    for (let row = 0; row < length; row++) ends[user[row]]++;
    for (let n = 1; n < ends.length; n++) ends[n] += ends[n - 1];
    const order = new Uint32Array(length);
    const next = ends.slice();
    for (let row = length - 1; row >= 0; row--) order[--next[user[row]]] = row;
    for (const [n, from] of next.entries()) {
      const own = order.subarray(from, ends[n]);
      if (own.some((row, place) => place > 0 && ts[row] < ts[own[place - 1]])) own.sort((a, b) => ts[a] - ts[b]);
    }
    return order;
  }

  #grow(): void {
    const room = Math.ceil(this.user.length * GROWTH);
    this.user = grown(this.user, new Uint32Array(room));
    this.item = grown(this.item, new Uint32Array(room));
    this.type = grown(this.type, new Uint8Array(room));
    this.value = grown(this.value, new Float32Array(room));
    this.ts = grown(this.ts, new Float64Array(room));
  }
}
