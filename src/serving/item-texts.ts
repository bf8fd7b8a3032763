// Items as answers show them, as JSON: the same items are answered again and again, and to put a text together costs more than
// to find it. Always as the catalog has the item now: a change of the item drops its texts.
import type { Catalog } from '../catalog/catalog.ts';

/** What texts of one catalog may take; beyond it all go, and those that are asked for come back. */
const BUDGET_BYTES = 32 * 1024 * 1024;
const ENTRY_BYTES = 32;

export class ItemTexts {
  readonly #catalog: Catalog;
  /** by the names of the attributes, then by item */
  readonly #byNames = new Map<string, Map<number, string>>();
  #version: number;
  #bytes = 0;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    this.#version = catalog.version;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `{"item_id": …}` with the attributes of these names, null where the item lacks one. */
  of(items: ArrayLike<number>, names: readonly string[]): string[] {
    this.#follow();
    const key = JSON.stringify(names);
    let texts = this.#byNames.get(key);
    if (texts === undefined) {
      texts = new Map();
      this.#byNames.set(key, texts);
    }
    const found: string[] = [];
    for (let n = 0; n < items.length; n++) {
      const item = items[n];
      let text = texts.get(item);
      if (text === undefined) {
        text = JSON.stringify(describe(this.#catalog, item, names));
        texts.set(item, text);
        this.#bytes += ENTRY_BYTES + text.length;
      }
      found.push(text);
    }
    if (this.#bytes > BUDGET_BYTES) this.#clear();
    return found;
  }

  #follow(): void {
    const { version } = this.#catalog;
    if (version === this.#version) return;
    const changed = this.#catalog.changedSince(this.#version);
    this.#version = version;
    if (changed === null) this.#clear();
    for (const texts of this.#byNames.values()) {
      for (const item of changed ?? []) {
        const text = texts.get(item);
        if (text !== undefined && texts.delete(item)) this.#bytes -= ENTRY_BYTES + text.length;
      }
    }
  }

  #clear(): void {
    this.#byNames.clear();
    this.#bytes = 0;
  }
}

export function describe(catalog: Catalog, item: number, names: readonly string[]) {
  const described: Record<string, unknown> = { item_id: catalog.itemId(item) };
  for (const name of names) {
    if (name === 'item_id') continue;
    const value = catalog.attribute(item, name) ?? null;
    // assignment would run the setter of the one name that has one
    if (name === '__proto__') Object.defineProperty(described, name, { value, enumerable: true });
    else described[name] = value;
  }
  return described;
}
