// Events as they are read: users in any order, types and items with the numbers of whoever wrote them. A table in memory, or files.
import { type Dislikes, NO_DISLIKES } from './dislikes.ts';
import type { EventFiles } from './event-files.ts';
import type { EventTable, IdIndex } from './event-table.ts';
import type { EventPart } from './training-events.ts';

/** The number of an item that is left out: its events and dislikes are left out with it. */
export const NO_ITEM = 2 ** 32 - 1;

export class UnorderedEvents {
  readonly userCount: number;
  readonly typeNames: readonly string[];
  readonly targetType: number;
  itemIds: IdIndex;
  #held: EventPart | null;
  readonly #files: EventFiles | null;
  /** new numbers by the numbers in the files; events in memory are renumbered at once, others when they are read */
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

  /** Yields at least one part; see TrainingEvents. Users whose items are all left out have rows without events. */
  async *parts(): AsyncGenerator<EventPart> {
    if (this.#held !== null) yield this.#held;
    const { typeNames, targetType, itemIds } = this;
    const names = { typeNames, targetType, itemIds, itemCount: itemIds.length };
    let firstEvent = 0;
    for await (const part of this.#files?.parts(names) ?? []) {
      const { type, item } = this.#numbers;
      if (type !== null) renumberTypes(part, type);
      const own = { ...(item === null ? part : withItems(part, item)), firstEvent };
      firstEvent += own.length;
      yield own;
    }
  }

  /** `numbers`: the new number of each type, or item, by its number now. Items may be left out. */
  renumber(kind: 'type' | 'item', numbers: Uint32Array): void {
    if (this.#held !== null && kind === 'type') renumberTypes(this.#held, numbers);
    else if (this.#held !== null) this.#held = withItems(this.#held, numbers);
    const before = this.#numbers[kind];
    this.#numbers[kind] = before?.map((number) => (number === NO_ITEM ? NO_ITEM : numbers[number])) ?? numbers;
  }
}

function renumberTypes({ length, type }: EventPart, numbers: Uint32Array): void {
  for (let event = 0; event < length; event++) type[event] = numbers[type[event]];
}

/** Renumbers the items of a part in place. Events of items that are left out are removed. */
function withItems(part: EventPart, numbers: Uint32Array): EventPart {
  const { userCount, userOffsets, item, type, value, ts } = part;
  let length = 0;
  for (let user = 0, event = 0; user < userCount; user++) {
    for (const end = userOffsets[user + 1]; event < end; event++) {
      const number = numbers[item[event]];
      if (number === NO_ITEM) continue;
      item[length] = number;
      type[length] = type[event];
      value[length] = value[event];
      ts[length++] = ts[event];
    }
    userOffsets[user + 1] = length;
  }
  const columns = {
    item: item.subarray(0, length),
    type: type.subarray(0, length),
    value: value.subarray(0, length),
    ts: ts.subarray(0, length),
  };
  return { ...part, length, ...columns, dislikes: withDisliked(part, numbers) };
}

/** Returns the dislikes with new item numbers, without those of users who have no events. */
function withDisliked({ dislikes = NO_DISLIKES, userOffsets }: EventPart, numbers: Uint32Array): Dislikes {
  const { user, item, ts } = dislikes;
  let length = 0;
  for (let n = 0; n < user.length; n++) {
    const number = numbers[item[n]];
    if (number === NO_ITEM || userOffsets[user[n]] === userOffsets[user[n] + 1]) continue;
    user[length] = user[n];
    item[length] = number;
    ts[length++] = ts[n];
  }
  return { user: user.subarray(0, length), item: item.subarray(0, length), ts: ts.subarray(0, length) };
}
