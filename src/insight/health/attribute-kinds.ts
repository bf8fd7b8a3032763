// Finds attributes of numbers in which a few values are texts: each text makes a category of the whole attribute.
import type { AttributeSchema } from '../../domain/dataset.ts';
import type { Attributes } from '../../domain/record.ts';

export interface MixedAttribute {
  readonly name: string;
  readonly numbers: number;
  readonly texts: number;
  /** the first text, and the item that has it */
  readonly example: { readonly id: string; readonly text: string };
}

/** More texts than this share of the values are no slips: sizes are 40 and L. */
const MOST_TEXTS = 0.1;
/** Most attributes that are counted: names may come from data. */
export const MAX_NAMES = 1000;

interface Kinds {
  numbers: number;
  texts: number;
  example: MixedAttribute['example'] | null;
}

export class AttributeKinds {
  readonly #kinds = new Map<string, Kinds>();
  readonly #declared: AttributeSchema;

  /** What the dataset declares is as it should be: a category may have numbers too. */
  constructor(declared: AttributeSchema | null) {
    this.#declared = declared ?? {};
  }

  add(id: string, attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) continue;
      if (Object.hasOwn(this.#declared, name)) continue;
      const kinds = this.#kindsOf(name);
      if (kinds === null) continue;
      if (typeof value === 'number') kinds.numbers++;
      else {
        kinds.texts++;
        kinds.example ??= { id, text: value };
      }
    }
  }

  /** Those with the most values first. */
  mixed(): MixedAttribute[] {
    const found: MixedAttribute[] = [];
    for (const [name, { numbers, texts, example }] of this.#kinds) {
      if (example !== null && texts <= MOST_TEXTS * (numbers + texts)) found.push({ name, numbers, texts, example });
    }
    return found.sort((a, b) => b.numbers - a.numbers);
  }

  #kindsOf(name: string): Kinds | null {
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    if (this.#kinds.size >= MAX_NAMES) return null;
    const kinds: Kinds = { numbers: 0, texts: 0, example: null };
    this.#kinds.set(name, kinds);
    return kinds;
  }
}
