// A board of users × items with two planted tastes, for tests of recommenders.

import { seededRandom } from '../../src/base/seeded-random.ts';
import { Catalog } from '../../src/catalog/catalog.ts';
import type { SignalEvent, UserSignal } from '../../src/history/user-signal.ts';
import type { ToyEvent } from './toy-model.ts';

/** Two kinds of users on a board of users × items: even users choose even items, odd users odd items; the diagonal is held out. */
export const BOARD = 50;

export function checkerboard(): ToyEvent[] {
  const { next: chance } = seededRandom(3);
  const events: ToyEvent[] = [];
  for (let user = 0; user < BOARD; user++) {
    // in a random order per user, so that sequences carry no information
    const items = Array.from({ length: BOARD / 2 }, (_, n) => ({ item: 2 * n + (user % 2), at: chance() }));
    for (const { item } of items.sort((a, b) => a.at - b.at)) {
      if (item !== user) events.push({ user: `u${user}`, item: `i${item}` });
    }
  }
  return events;
}

export function signal(items: readonly string[], change: Partial<SignalEvent> = {}): UserSignal {
  const history = items.map((item_id, n) => ({ item_id, event_type: 'buy', event_value: 1, ts: 1000 - n, ...change }));
  return { history, attributes: {} };
}

export function userOf(board: readonly ToyEvent[], user: string): UserSignal {
  return signal(
    board
      .filter((event) => event.user === user)
      .map((event) => event.item)
      .reverse(),
  );
}

export function catalogOf(board: readonly ToyEvent[]): Catalog {
  const catalog = new Catalog('items');
  for (const item of new Set(board.map((event) => event.item))) {
    const n = Number(item.slice(1));
    catalog.put(item, { side: n % 2 === 0 ? 'even' : 'odd', n, tags: [`t${n % 3}`] });
  }
  return catalog;
}
