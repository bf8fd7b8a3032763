// A store of made events and items, as large as wanted: nothing is kept, events are made again each time they are read. Every item has an
// event, as in a marketplace where each listing is looked at at least once; the rest go to items that are popular within a topic.

import { seededRandom } from '../../src/base/seeded-random.ts';
import type { EntityRecord } from '../../src/domain/record.ts';
import type { EventBlock, EventStore } from '../../src/store/event-store.ts';
import type { RecordStore } from '../../src/store/record-store.ts';

export interface MarketSize {
  readonly items: number;
  readonly events: number;
  /** of the users, those with EVENTS_PER_USER events; they come first, and the others have one each */
  readonly regulars: number;
  readonly users: number;
}

const EVENTS_PER_USER = 20;

/** `items` and `events` in millions. `visitors`: share of the events of users who have one. */
export function marketSize(given: { items: string; events: string; visitors: string }): MarketSize {
  const [items, events] = [Math.round(Number(given.items) * 1e6), Math.round(Number(given.events) * 1e6)];
  const regulars = Math.round((events * (1 - Number(given.visitors))) / EVENTS_PER_USER);
  return { items, events, regulars, users: regulars + events - regulars * EVENTS_PER_USER };
}

const START_MS = 1_700_000_000_000;
const DAY_MS = 86_400_000;
const TOPICS = 1000;
/** Prime, and larger than any number of items: multiples of it visit each item once. */
const STEP = 2_147_483_647;
const IDS_PER_BLOCK = 10_000;

export function marketplace(size: MarketSize) {
  const shards = Math.ceil(size.events / 100_000);
  const store = { events: madeEventStore(size, shards), items: madeItemStore(size) };
  return { store, shards };
}

export const userIdOf = (user: number) => `u${user}`;
export const itemIdOf = (item: number) => `i${item}`;

/** The items of a user, oldest first. */
export function itemsOfUser({ items, events, regulars }: MarketSize, user: number): number[] {
  const { next } = seededRandom(user + 1);
  const count = user < regulars ? EVENTS_PER_USER : 1;
  const first = user < regulars ? user * EVENTS_PER_USER : regulars * EVENTS_PER_USER + user - regulars;
  const perTopic = Math.floor(items / TOPICS);
  const zipf = (most: number) => Math.min(most - 1, Math.floor((most + 1) ** next()) - 1);
  const tastes = [zipf(TOPICS), zipf(TOPICS)];
  return Array.from({ length: count }, (_, n) => {
    const once = (event: number) => Math.floor((event * items) / events);
    const event = first + n;
    if (once(event + 1) > once(event)) return (once(event) * (STEP % items)) % items;
    return tastes[n % 2] * perTopic + zipf(perTopic);
  });
}

function madeEventStore(size: MarketSize, shards: number): EventStore {
  async function* scan(_: string, { from, to }: { from: number; to: number }): AsyncGenerator<EventBlock> {
    for (let shard = from; shard < to; shard++) {
      const users = [Math.floor((shard * size.users) / shards), Math.floor(((shard + 1) * size.users) / shards)];
      const rows: { user: number; item: number; ts: number }[] = [];
      for (let user = users[0]; user < users[1]; user++) {
        const start = START_MS + (user % 300) * DAY_MS;
        for (const [n, item] of itemsOfUser(size, user).entries()) rows.push({ user, item, ts: start + n * DAY_MS });
      }
      yield {
        length: rows.length,
        user: Uint32Array.from(rows, ({ user }) => user),
        item: Uint32Array.from(rows, ({ item }) => item),
        type: new Uint32Array(rows.length),
        ts: Float64Array.from(rows, ({ ts }) => ts),
        value: new Float64Array(rows.length).fill(1),
      };
    }
  }
  async function* internedIds(_: string, kind: string): AsyncGenerator<string[]> {
    if (kind === 'type') yield ['buy'];
    else yield* blocksOf(kind === 'user' ? size.users : size.items, kind === 'user' ? userIdOf : itemIdOf);
  }
  async function* attributeBlocks() {}
  const internedCount = async (_: string, kind: string) => (kind === 'user' ? size.users : size.items);
  return { scansAtOnce: 1, scan, internedIds, internedCount, attributeBlocks } as unknown as EventStore;
}

function madeItemStore({ items }: MarketSize): RecordStore {
  const record = (item: number): EntityRecord => ({
    id: itemIdOf(item),
    attributes: { topic: `topic-${Math.floor(item / Math.floor(items / TOPICS))}`, price: item % 1000 },
  });
  async function* scan(): AsyncGenerator<EntityRecord[]> {
    yield* blocksOf(items, record);
  }
  async function* deletedIds() {}
  const known = { version: async () => 1, knowsAllDeletions: async () => true };
  return { ...known, scan, deletedIds } as unknown as RecordStore;
}

function* blocksOf<T>(count: number, make: (n: number) => T): Generator<T[]> {
  for (let from = 0; from < count; from += IDS_PER_BLOCK) {
    yield Array.from({ length: Math.min(IDS_PER_BLOCK, count - from) }, (_, n) => make(from + n));
  }
}
