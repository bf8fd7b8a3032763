// Chooses the items that a model has rows for if not all fit in memory: those with the most users. The others count as
// new items without events.
import { orderByKey } from './order-by-key.ts';
import { NO_ITEM, type UnorderedEvents } from './unordered-events.ts';

export interface ItemDemand {
  readonly events: number;
  readonly dislikes: number;
  readonly userCount: number;
  /** number of users of each item, in descending order */
  readonly usersOfItems: Uint32Array;
}

/** Tells how many items there is room for. */
export interface ItemRoom {
  /** this many items fit, whatever their events are */
  readonly least: number;
  fit(demand: ItemDemand): number;
}

/**
 * The numbers of those that stay, ascending; null: all of them. Of items with equally many users the smaller number stays, so numbers
 * must not depend on ids or on the order of rows.
 */
export async function keptItems(events: UnorderedEvents, room: ItemRoom): Promise<Uint32Array | null> {
  if (events.itemIds.length <= room.least) return null;
  const { users, length, dislikes } = await countUsers(events);
  const order = orderByKey([users.map((count) => NO_ITEM - count)]);
  const usersOfItems = order.map((item) => users[item]);
  const most = room.fit({ events: length, dislikes, userCount: events.userCount, usersOfItems });
  return most < order.length ? order.subarray(0, most).toSorted() : null;
}

/** Counts the users of each item, and all events and dislikes. */
async function countUsers(events: UnorderedEvents) {
  const users = new Uint32Array(events.itemIds.length);
  const lastUser = new Uint32Array(users.length).fill(NO_ITEM);
  let length = 0;
  let disliked = 0;
  for await (const { firstUser, userCount, userOffsets, item, dislikes } of events.parts()) {
    for (let row = 0; row < userCount; row++) {
      const user = firstUser + row;
      for (let event = userOffsets[row]; event < userOffsets[row + 1]; event++) {
        if (lastUser[item[event]] === user) continue;
        lastUser[item[event]] = user;
        users[item[event]]++;
      }
    }
    length += userOffsets[userCount];
    disliked += dislikes?.user.length ?? 0;
  }
  return { users, length, dislikes: disliked };
}
