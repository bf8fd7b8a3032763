// Maps between a model's own item indices and the catalog's public item numbers. An item with events in training is
// warm.
import type { G1Model, ItemIds } from '../artifact/g1-model.ts';
import type { Steps } from '../base/steps.ts';
import type { Catalog } from '../catalog/catalog.ts';

export const NOT_WARM = 0xffff_ffff;
/** Ids looked up between two chances to be interrupted. */
const ITEMS_A_STEP = 1000;

export class WarmItems {
  /** catalog number of warm item m */
  readonly numbers: Uint32Array;
  /** warm index by catalog number, NOT_WARM for others; items that came later are not in it */
  readonly indices: Uint32Array;

  constructor(numbers: Uint32Array, catalogItems: number) {
    this.numbers = numbers;
    this.indices = new Uint32Array(catalogItems).fill(NOT_WARM);
    for (let warm = 0; warm < numbers.length; warm++) this.indices[numbers[warm]] = warm;
  }

  get count(): number {
    return this.numbers.length;
  }

  indexOf(item: number): number {
    return item < this.indices.length ? this.indices[item] : NOT_WARM;
  }

  /** The warm indices of those catalog numbers that are warm. */
  indicesOf(items: Iterable<number>): number[] {
    const indices: number[] = [];
    for (const item of items) if (this.has(item)) indices.push(this.indexOf(item));
    return indices;
  }

  has(item: number): boolean {
    return this.indexOf(item) !== NOT_WARM;
  }

  /** Ids of warm items as the catalog knows them: a table of the model's own would take as much memory once more. */
  idsBy(catalog: Catalog): ItemIds {
    return {
      length: this.count,
      at: (warm) => (warm < this.count ? catalog.itemId(this.numbers[warm]) : undefined),
      indexOf: (id) => {
        const item = catalog.indexOf(id);
        return item >= 0 && this.has(item) ? this.indexOf(item) : -1;
      },
    };
  }

  memoryBytes(): number {
    return this.numbers.byteLength + this.indices.byteLength;
  }
}

/** Makes the model's items known to the catalog; returns the catalog's numbers of the warm ones. */
export function* itemNumberSteps({ itemIds, warmItemCount }: G1Model, catalog: Catalog): Steps<Uint32Array> {
  const itemOfWarm = new Uint32Array(warmItemCount);
  for (let index = 0; index < itemIds.length; index++) {
    const item = catalog.intern(itemIds.at(index)!);
    if (index < warmItemCount) itemOfWarm[index] = item;
    if (index % ITEMS_A_STEP === 0) yield;
  }
  return itemOfWarm;
}
