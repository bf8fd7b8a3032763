// Pinned items are placed by the call, whatever their score.
//
// - A position counts from 1 over the whole list, earlier pages included. Beyond the end of the list it means its end.
// - A pinned item appears nowhere else in the list.
// - A pin is skipped, and the call warned, if its item is unknown or deleted, does not meet the filter, or is left out: by
//   exclude_item_ids, by exclude_event_types or exclude_seen, or because the user dislikes it. Where given items are put in order,
//   so is one that is not among them. The list then closes the gap.
// - A pin is not skipped because the user knows the item: who pins wants it seen.
// - What an earlier page showed, or a position on an earlier page, needs no pin any more: it is dropped without a warning.
import type { Catalog } from '../catalog/catalog.ts';
import type { ItemBitmap } from '../catalog/item-set.ts';
import { isIn } from '../catalog/item-set.ts';
import { AppError } from '../errors.ts';
import type { ListedItem, ListStep, Pin } from './item-list.ts';

export interface PinRequest {
  readonly position: number;
  readonly item_id: string;
}

export type SkipReason = 'unknown' | 'filtered' | 'excluded' | 'not given';

export interface SkippedPin {
  readonly item_id: string;
  readonly reason: SkipReason;
}

export interface PinRules {
  readonly catalog: Catalog;
  readonly listed: ItemBitmap;
  /** only these items; null allows every listed item */
  readonly allow: ItemBitmap | null;
  /** items that the call and the user leave out */
  readonly exclude: ReadonlySet<number>;
  /** items on earlier pages */
  readonly shown: ReadonlySet<number>;
  /** number of items on earlier pages */
  readonly offset: number;
  /** the items that are put in order; left out: any */
  readonly given?: ReadonlySet<string> | null;
}

/** Refuses pins that cannot all hold. `where` names them in the error. */
export function checkPins(pins: readonly PinRequest[], where = '/pins'): void {
  const refuse = (n: number, message: string): never => {
    const errors = [{ pointer: `${where}/${n}`, message }];
    throw new AppError('INVALID_REQUEST', `Pins contradict each other: ${message}.`, { errors });
  };
  const byPosition = new Map<number, string>();
  const byItem = new Map<string, number>();
  for (const [n, { position, item_id }] of pins.entries()) {
    const other = byPosition.get(position);
    if (other !== undefined) refuse(n, `position ${position} is taken by another pin`);
    if (byItem.has(item_id)) refuse(n, `the item is also pinned to position ${byItem.get(item_id)}`);
    byPosition.set(position, item_id);
    byItem.set(item_id, position);
  }
}

/** The pins that hold on this page or a later one, by position. */
export function usablePins(pins: readonly PinRequest[], rules: PinRules): { pins: Pin[]; skipped: SkippedPin[] } {
  const usable: Pin[] = [];
  const skipped: SkippedPin[] = [];
  for (const { position, item_id } of pins) {
    const item = rules.catalog.indexOf(item_id);
    const reason = rules.given?.has(item_id) === false ? 'not given' : reasonToSkip(item, rules);
    if (reason !== null) skipped.push({ item_id, reason });
    else if (position > rules.offset && !rules.shown.has(item)) usable.push({ item, position });
  }
  return { pins: usable.sort((a, b) => a.position - b.position), skipped };
}

function reasonToSkip(item: number, { listed, allow, exclude }: PinRules): SkipReason | null {
  if (item < 0 || !isIn(listed, item)) return 'unknown';
  if (allow !== null && !isIn(allow, item)) return 'filtered';
  return exclude.has(item) ? 'excluded' : null;
}

export const placePins: ListStep = (list, { pins, offset, catalog }) => {
  if (pins.length === 0) return list;
  const items: ListedItem[] = [...list.items];
  for (const { item, position } of pins) {
    const place = Math.min(position - 1 - offset, items.length);
    items.splice(place, 0, { item, item_id: catalog.itemId(item), score: 0, pinned: true });
  }
  return { ...list, items };
};
