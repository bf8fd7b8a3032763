// Histories of a test as aggregations read them.
import { type AllHistories, inOne } from '../../src/dataset/history-blocks.ts';
import type { PlainMatrix } from './kernel-twins/rows.ts';

export function plainHistories({ users, itemCount }: PlainMatrix): AllHistories {
  return inOne({
    itemCount,
    userCount: users.length,
    bound: (user) => users[user].items.length,
    write(user, into, at) {
      into.items.set(users[user].items, at);
      into.weights.set(users[user].weights, at);
      return users[user].items.length;
    },
  });
}
