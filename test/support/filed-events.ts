// The events of a table in files, some users at a time, as a training has them that do not fit in memory.
import { NO_DISLIKES } from '../../src/dataset/dislikes.ts';
import { EventFiles } from '../../src/dataset/event-files.ts';
import type { EventTable } from '../../src/dataset/event-table.ts';
import type { OrderedEvents } from '../../src/dataset/ordered-files.ts';
import { tableOfUsers } from '../../src/dataset/sample-users.ts';

/** `partUsers`: users in each part. */
export async function filedEvents(table: EventTable, partUsers: number, folder: string): Promise<OrderedEvents> {
  const files = new EventFiles(folder);
  for (let from = 0; from < table.userCount; from += partUsers) {
    const to = Math.min(from + partUsers, table.userCount);
    const { user, item, ts } = table.dislikes ?? NO_DISLIKES;
    const isOwn = (_: unknown, n: number) => user[n] >= from && user[n] < to;
    await files.add({
      ...tableOfUsers(
        table,
        Uint32Array.from({ length: to - from }, (_, row) => from + row),
      ),
      dislikes: { user: user.filter(isOwn).map((row) => row - from), item: item.filter(isOwn), ts: ts.filter(isOwn) },
    });
  }
  const { userOffsets } = table;
  const lengths = Uint32Array.from({ length: table.userCount }, (_, user) => userOffsets[user + 1] - userOffsets[user]);
  return { events: files.events(table, lengths), [Symbol.asyncDispose]: () => files.close() };
}
