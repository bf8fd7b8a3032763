// Attributes beyond the names that have columns of their own, item by item.

import type { Steps } from '../base/steps.ts';
import type { Attributes } from '../domain/record.ts';
import { AttributeColumn } from './attribute-column.ts';

/** Items looked at between two chances to be interrupted. */
const GATHERED_A_STEP = 1000;
const NOTHING: Attributes = {};

interface Gathered {
  readonly name: string;
  readonly version: number;
  readonly column: AttributeColumn;
}

export class BeyondColumns {
  readonly #items = new Map<number, Attributes>();
  /** the attribute that was gathered last, for one version of the catalog */
  #gathered: Gathered | null = null;

  /** Number of items with such attributes. */
  get size(): number {
    return this.#items.size;
  }

  of(item: number): Attributes {
    return this.#items.get(item) ?? NOTHING;
  }

  /** `undefined` when the item lacks it. */
  read(item: number, name: string): unknown {
    const attributes = this.of(item);
    return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  }

  write(item: number, name: string, value: unknown): void {
    const attributes = this.#items.get(item) ?? {};
    define(attributes, name, value);
    this.#items.set(item, attributes);
  }

  delete(item: number): void {
    this.#items.delete(item);
  }

  /** A column of one attribute. The catalog may change between steps. */
  *gather(name: string, catalog: { itemCount(): number; version(): number }): Steps<AttributeColumn> {
    const version = catalog.version();
    if (this.#gathered?.name === name && this.#gathered.version === version) return this.#gathered.column;
    const column = new AttributeColumn();
    let looked = 0;
    for (const [item, attributes] of this.#items) {
      if (Object.hasOwn(attributes, name)) column.write(item, attributes[name], catalog.itemCount());
      if (++looked % GATHERED_A_STEP === 0) yield;
    }
    if (catalog.version() === version) this.#gathered = { name, version, column };
    return column;
  }

  memoryBytes(): number {
    return this.#items.size * 200 + (this.#gathered?.column.memoryBytes() ?? 0);
  }
}

/** Assignment would run the setter of the one name that has one, __proto__. */
export function define(attributes: Attributes, name: string, value: unknown): void {
  if (name !== '__proto__') attributes[name] = value;
  else Object.defineProperty(attributes, name, { value, enumerable: true, writable: true, configurable: true });
}
