// Events as they are read: users in any order, types and items with the numbers of whoever wrote them. A table in memory, or files.
import type { EventFiles } from './event-files.ts';
import type { Dislikes, EventTable, IdIndex } from './event-table.ts';
import type { EventPart } from './training-events.ts';

/** The number of an item that is left out: only dislikes may have it, and are left out with it. */
export const NO_ITEM = 2 ** 32 - 1;

export class UnorderedEvents {
  readonly userCount: number;
  readonly typeNames: readonly string[];
  readonly targetType: number;
  itemIds: IdIndex;
  #held: EventPart | null;
  readonly #files: EventFiles | null;
  /** by the number in the files; what is held is renumbered at once, the rest as it is read */
  readonly #numbers: { type: Uint32Array | null; item: Uint32Array | null } = { type: null, item: null };

  /** Columns of a table are overwritten. */
  constructor(
    source: EventTable | EventFiles,
    names: { typeNames: readonly string[]; targetType: number; itemIds: IdIndex },
  ) {
    this.userCount = source.userCount;
    this.typeNames = names.typeNames;
    this.targetType = names.targetType;
    this.itemIds = names.itemIds;
    this.#held = 'item' in source ? { ...source, firstUser: 0, firstEvent: 0 } : null;
    this.#files = 'item' in source ? null : source;
  }

  /** At least one; see TrainingEvents. */
  async *parts(): AsyncGenerator<EventPart> {
    if (this.#held !== null) yield this.#held;
    const { typeNames, targetType, itemIds } = this;
    const names = { typeNames, targetType, itemIds, itemCount: itemIds.length };
    for await (const part of this.#files?.parts(names) ?? []) {
      const { type, item } = this.#numbers;
      const typed = type === null ? part : renumbered(part, 'type', type);
      yield item === null ? typed : renumbered(typed, 'item', item);
    }
  }

  /** `numbers`: the new number of each type, or item, by its number now. */
  renumber(kind: 'type' | 'item', numbers: Uint32Array): void {
    if (this.#held !== null) this.#held = renumbered(this.#held, kind, numbers);
    const before = this.#numbers[kind];
    this.#numbers[kind] = before?.map((number) => (number === NO_ITEM ? NO_ITEM : numbers[number])) ?? numbers;
  }
}

/** In place, but for dislikes. */
function renumbered(part: EventPart, kind: 'type' | 'item', numbers: Uint32Array): EventPart {
  const column = part[kind];
  for (let event = 0; event < part.length; event++) column[event] = numbers[column[event]];
  if (kind === 'type' || part.dislikes === undefined) return part;
  const { user, item, ts } = part.dislikes;
  const known = (_: unknown, n: number) => numbers[item[n]] !== NO_ITEM;
  const dislikes: Dislikes = {
    user: user.filter(known),
    item: item.filter(known).map((number) => numbers[number]),
    ts: ts.filter(known),
  };
  return { ...part, dislikes };
}
