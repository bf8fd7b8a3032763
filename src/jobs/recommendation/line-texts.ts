// The lines of a result, and the items in them as JSON: the same items are in many lists.
import type { UsedObjective } from '../../domain/objective.ts';
import { describe } from '../../serving/item-texts.ts';
import type { ServableModel } from '../../serving/model-cache.ts';

/** Characters of texts that are kept: when they are more, all are made again. */
const MAX_TEXT_LENGTH = 16 * 1024 * 1024;

export class LineTexts {
  readonly #catalog: ServableModel['catalog'];
  readonly #attributes: readonly string[];
  /** by catalog number */
  #texts: string[] = [];
  #items: Record<string, unknown>[] = [];
  #length = 0;

  /** `attributes`: what is shown of an item. */
  constructor(catalog: ServableModel['catalog'], attributes: readonly string[]) {
    this.#catalog = catalog;
    this.#attributes = attributes;
  }

  of(item: number): string {
    let text: string | undefined = this.#texts[item];
    if (text !== undefined) return text;
    text = JSON.stringify(describe(this.#catalog, item, this.#attributes));
    this.#length += text.length;
    if (this.#length > MAX_TEXT_LENGTH) {
      this.#texts = [];
      this.#items = [];
      this.#length = text.length;
    }
    this.#texts[item] = text;
    return text;
  }

  /** What the text says. */
  itemOf(item: number): Readonly<Record<string, unknown>> {
    const text = this.of(item);
    this.#items[item] ??= JSON.parse(text);
    return this.#items[item];
  }
}

/** `results`: the items with their scores. */
export function lineOf(userId: string, objective: UsedObjective | null, results: readonly string[]): string {
  const items = results.length === 0 ? '' : `{"item":${results.join('},{"item":')}}`;
  return `{"user_id":${JSON.stringify(userId)},"objective":${JSON.stringify(objective)},"results":[${items}]}\n`;
}
