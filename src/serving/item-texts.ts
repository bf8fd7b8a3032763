// Items as responses show them, as JSON: the same items are shown again and again, and building a text costs more than finding
// it. Always as the catalog has the item now: a change of the item drops its texts.

import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { inTurns, type Steps } from '../base/steps.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { MAX_RESPONSE_BYTES, responseTooLarge } from '../domain/response-limit.ts';
import type { CallRoom } from './call-room.ts';

/** Most bytes of cached texts per catalog. */
const CACHE_BYTES = 32 * 1024 * 1024;
const PAIR_BYTES = 50;
const TABLE_BYTES = 200;
/** Characters of new texts that are made before other calls get their turn. */
const STEP_LENGTH = 64 * 1024;
/** Most texts that are checked for changed items. If there are more, all are dropped. */
const MAX_LOOKED_FOR = 100_000;

export class ItemTexts {
  readonly #catalog: Catalog;
  /** first by the names of the attributes, then by item */
  readonly #byNames = new BoundedCache<string, Map<number, string>>({
    name: 'item_texts',
    maxBytes: CACHE_BYTES,
    bytesOf: (_, names) => textBytes(names) + TABLE_BYTES,
  });
  #version: number;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    this.#version = catalog.version;
  }

  get bytes(): number {
    return this.#byNames.bytes;
  }

  /**
   * Returns the texts `{"item_id": …}` with the attributes of these names, null where an item lacks one. Throws if they are
   * larger than a response may be, or than the remaining memory.
   */
  of(items: ArrayLike<number>, names: readonly string[], room: Pick<CallRoom, 'take'>): string[] | Promise<string[]> {
    this.#follow();
    const key = JSON.stringify(names);
    const known = this.#byNames.get(key);
    const found: string[] = [];
    let length = 0;
    for (let n = 0; n < items.length; n++) {
      const text = known?.get(items[n]);
      if (text === undefined) return inTurns(this.#make(items, names, key, room));
      length += text.length;
      found.push(text);
    }
    if (length > MAX_RESPONSE_BYTES) throw responseTooLarge();
    // Small responses are not counted. For others, the texts count here even though the cache holds them, because it
    // may drop them before the response is made.
    if (length > STEP_LENGTH) room.take(length);
    return found;
  }

  *#make(
    items: ArrayLike<number>,
    names: readonly string[],
    key: string,
    room: Pick<CallRoom, 'take'>,
  ): Steps<string[]> {
    this.#follow();
    const texts = this.#byNames.getOrMake(key, () => new Map());
    const found: string[] = [];
    let length = 0;
    let madeLength = 0;
    let madeBytes = 0;
    let heldLength = 0;
    for (let n = 0; n < items.length; n++) {
      const item = items[n];
      let text = texts.get(item);
      if (text === undefined) {
        text = JSON.stringify(describe(this.#catalog, item, names));
        texts.set(item, text);
        madeLength += text.length;
        madeBytes += textBytes(text) + PAIR_BYTES;
      }
      length += text.length;
      if (length > MAX_RESPONSE_BYTES) throw responseTooLarge();
      found.push(text);
      if (length - heldLength > STEP_LENGTH) {
        room.take(length - heldLength);
        heldLength = length;
      }
      if (madeLength > STEP_LENGTH) {
        this.#byNames.grow(key, madeBytes);
        madeLength = 0;
        madeBytes = 0;
        yield;
      }
    }
    if (madeBytes > 0) this.#byNames.grow(key, madeBytes);
    return found;
  }

  #follow(): void {
    const { version } = this.#catalog;
    if (version === this.#version) return;
    const changed = this.#catalog.changedSince(this.#version);
    this.#version = version;
    if (changed === null || this.#byNames.size * changed.length > MAX_LOOKED_FOR) {
      this.#byNames.clear();
      return;
    }
    for (const key of [...this.#byNames.keys()]) {
      const texts = this.#byNames.peek(key)!;
      let bytes = 0;
      for (const item of changed) {
        const text = texts.get(item);
        if (text !== undefined && texts.delete(item)) bytes += textBytes(text) + PAIR_BYTES;
      }
      if (bytes > 0) this.#byNames.grow(key, -bytes);
    }
  }
}

export function describe(catalog: Pick<Catalog, 'itemId' | 'attribute'>, item: number, names: readonly string[]) {
  const described: Record<string, unknown> = { item_id: catalog.itemId(item) };
  for (const name of names) {
    if (name !== 'item_id') described[name] = catalog.attribute(item, name) ?? null;
  }
  return described;
}
