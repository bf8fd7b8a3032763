// A compact map of ids ↔ indices: the UTF-8 bytes of all ids in one array, their ends, and an open-addressing hash table of
// indices. A million ids of ten bytes take about 22 MB, and no JavaScript string exists until one is read.
//
// Invariants: ids are distinct, their indices are 0, 1, 2 … in order of first sight and never change. A text that is
// not well-formed Unicode is replaced by its well-formed version, as databases do.

const encoder = new TextEncoder();
/** Shared by all tables: its content is used before the next call. */
let scratch = new Uint8Array(1024);

const NO_SLOTS = new Uint32Array(0);
const SLOTS_AT_ONCE = 16;

export class IdTable {
  #bytes: Uint8Array;
  #text: Buffer;
  /** id n is at bytes[#offsets[n] … #offsets[n + 1]) */
  #offsets: Uint32Array;
  #length: number;
  /** index + 1, or 0 for a free slot; built at the first lookup */
  #slots: Uint32Array | null = null;
  /** The slots before the table grew, until all of them have moved: some with each new id, so that none has to wait for all. */
  #oldSlots: Uint32Array = NO_SLOTS;
  #movedSlots = 0;

  constructor(bytes: Uint8Array = new Uint8Array(0), offsets: Uint32Array = new Uint32Array(1)) {
    this.#bytes = bytes;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#offsets = offsets;
    this.#length = offsets.length - 1;
  }

  static from(ids: Iterable<string>): IdTable {
    const table = new IdTable();
    for (const id of ids) table.intern(id);
    return table;
  }

  get length(): number {
    return this.#length;
  }

  at(index: number): string | undefined {
    if (!(index >= 0 && index < this.#length)) return undefined;
    return this.#text.toString('utf8', this.#offsets[index], this.#offsets[index + 1]);
  }

  /** Length in bytes of an existing id. */
  byteLength(index: number): number {
    return this.#offsets[index + 1] - this.#offsets[index];
  }

  /** Returns −1 if the id is missing. */
  indexOf(id: string): number {
    const byteLength = this.#encode(id);
    return this.#find(byteLength, hashOf(scratch, 0, byteLength));
  }

  /** The index of the id; a new id is appended. */
  intern(id: string): number {
    const byteLength = this.#encode(id);
    const hash = hashOf(scratch, 0, byteLength);
    const known = this.#find(byteLength, hash);
    if (known >= 0) return known;
    const index = this.#length;
    const start = this.#offsets[index];
    this.#reserve(index + 1, start + byteLength);
    this.#bytes.set(scratch.subarray(0, byteLength), start);
    this.#offsets[index + 1] = start + byteLength;
    this.#length++;
    if (this.#length * 2 > this.#slots!.length) this.#growSlots();
    this.#place(index, hash);
    this.#moveSlots();
    return index;
  }

  /** Appends an id known to be new, without a lookup. */
  append(id: string): void {
    const index = this.#length;
    const start = this.#offsets[index];
    this.#reserve(index + 1, start + id.length * 3);
    this.#offsets[index + 1] = start + this.#write(id, start);
    this.#length++;
    this.#slots = null;
  }

  /** Appends ids known to be new, without a lookup: their UTF-8, each with a byte after it that no id has. */
  appendEnded(ids: Uint8Array, end: number): void {
    const first = this.#offsets[this.#length];
    this.#reserve(this.#length, first + ids.length);
    let start = first;
    for (let from = 0; from < ids.length; ) {
      const to = ids.indexOf(end, from);
      if (to < 0) throw new Error('the last id has no end');
      this.#reserve(this.#length + 1, 0);
      // Ids are short: a loop beats a call.
      for (let at = from; at < to; at++) this.#bytes[start++] = ids[at];
      this.#offsets[++this.#length] = start;
      from = to + 1;
    }
    this.#slots = null;
  }

  /** The table's content as two arrays, as the constructor takes them; views, not copies. */
  content(): { bytes: Uint8Array; offsets: Uint32Array } {
    const offsets = this.#offsets.subarray(0, this.#length + 1);
    return { bytes: this.#bytes.subarray(0, offsets[this.#length]), offsets };
  }

  memoryBytes(): number {
    const slots = (this.#slots?.byteLength ?? 0) + this.#oldSlots.byteLength;
    return this.#bytes.byteLength + this.#offsets.byteLength + slots;
  }

  #encode(id: string): number {
    // a UTF-16 unit takes at most three bytes
    if (id.length * 3 > scratch.length) scratch = new Uint8Array(id.length * 3);
    return encoder.encodeInto(id, scratch).written;
  }

  /** Writes an id where there is room for it and returns its length in bytes. Most ids are short ASCII, so this loop beats a call. */
  #write(id: string, start: number): number {
    for (let at = 0; at < id.length; at++) {
      const unit = id.charCodeAt(at);
      if (unit > 0x7f) return this.#text.write(id, start);
      this.#bytes[start + at] = unit;
    }
    return id.length;
  }

  #find(byteLength: number, hash: number): number {
    if (this.#slots === null) this.#fillSlots();
    const found = this.#findIn(this.#slots!, byteLength, hash);
    return found < 0 && this.#oldSlots.length > 0 ? this.#findIn(this.#oldSlots, byteLength, hash) : found;
  }

  #findIn(slots: Uint32Array, byteLength: number, hash: number): number {
    const mask = slots.length - 1;
    for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const index = slots[slot] - 1;
      const start = this.#offsets[index];
      if (this.#offsets[index + 1] - start === byteLength && this.#equals(start, byteLength)) return index;
    }
    return -1;
  }

  #equals(start: number, byteLength: number): boolean {
    for (let at = 0; at < byteLength; at++) if (this.#bytes[start + at] !== scratch[at]) return false;
    return true;
  }

  #place(index: number, hash: number): void {
    const slots = this.#slots!;
    const mask = slots.length - 1;
    let slot = hash & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = index + 1;
  }

  #fillSlots(): void {
    let size = 16;
    while (size < this.#length * 3) size *= 2;
    this.#slots = new Uint32Array(size);
    this.#oldSlots = NO_SLOTS;
    for (let index = 0; index < this.#length; index++) this.#place(index, this.#hashAt(index));
  }

  #growSlots(): void {
    this.#oldSlots = this.#slots!;
    this.#movedSlots = 0;
    this.#slots = new Uint32Array(2 * this.#oldSlots.length);
  }

  /**
   * Moves some slots to the larger table. All have moved long before it grows again. Old slots stay unchanged, so that ids that
   * have not moved are found there.
   */
  #moveSlots(): void {
    if (this.#oldSlots.length === 0) return;
    const end = Math.min(this.#movedSlots + SLOTS_AT_ONCE, this.#oldSlots.length);
    for (; this.#movedSlots < end; this.#movedSlots++) {
      const index = this.#oldSlots[this.#movedSlots] - 1;
      if (index >= 0) this.#place(index, this.#hashAt(index));
    }
    if (end === this.#oldSlots.length) this.#oldSlots = NO_SLOTS;
  }

  #hashAt(index: number): number {
    return hashOf(this.#bytes, this.#offsets[index], this.#offsets[index + 1]);
  }

  #reserve(ids: number, bytes: number): void {
    if (ids + 1 > this.#offsets.length) {
      const grown = new Uint32Array(Math.max(64, this.#offsets.length * 2, ids + 1));
      grown.set(this.#offsets.subarray(0, this.#length + 1));
      this.#offsets = grown;
    }
    if (bytes > 0xffff_ffff) throw new RangeError('The ids of one table exceed 4 GiB of text.');
    if (bytes > this.#bytes.length) {
      const grown = Buffer.alloc(Math.min(0xffff_ffff, Math.max(1024, this.#bytes.length * 2, bytes)));
      grown.set(this.#bytes.subarray(0, this.#offsets[this.#length]));
      this.#bytes = grown;
      this.#text = grown;
    }
  }
}

/** FNV-1a with a final mix, so that ids that differ only in their last digits spread over the low bits. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  hash ^= hash >>> 12;
  return hash >>> 0;
}
