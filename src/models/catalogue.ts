// The live item catalogue in memory: ids, attributes in columns, and the bitmaps of filters. It follows its item dataset
// (load once by streaming, then only what changed), so that a new, changed or deleted item counts at the next call.
//
// Invariants:
// - An item's number never changes while the catalogue lives; a deleted item keeps its number and is no longer listed.
// - Listed items are those of the item dataset. While that dataset is empty, the items known from events are listed instead.
// - Reading an attribute gives back exactly the value that was stored.
import type { Filter } from '../domain/filter.ts';
import type { Attributes, AttributeValue } from '../domain/record.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { ItemBitmap } from './recommender.ts';

export interface Catalogue {
  /** numbers go from 0 to itemCount − 1 */
  readonly itemCount: number;
  /** rises with every change */
  readonly version: number;
  itemId(item: number): string;
  /** −1 when the id is not known */
  indexOf(itemId: string): number;
  /** The id's number; an id not known yet gets one, unlisted (an item that only events or a model know). */
  intern(itemId: string): number;
  /** Every item that may be recommended. */
  listed(): ItemBitmap;
  /** The listed items that a filter lets through; kept until the catalogue changes. */
  select(filter: Filter): ItemBitmap;
  /** The listed items whose attribute is the value, or has it when it is an array. */
  itemsWith(attribute: string, value: unknown): ItemBitmap;
  /** undefined when the item lacks it */
  attribute(item: number, name: string): AttributeValue | undefined;
  attributesOf(item: number): Attributes;
  attributeNames(): string[];
  /** Brings the catalogue up to the dataset's present version; true when something changed. */
  follow(items: RecordStore): Promise<boolean>;
  memoryBytes(): number;
}
