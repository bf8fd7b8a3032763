// Worlds in which every user's usage of every attribute value is planted: users draw a value by their own shares, then an item
// with it, the popular ones more often. For tests of usage.
import { seededRandom, WeightedDraw } from '../../../src/base/seeded-random.ts';

export interface TasteWorld {
  readonly items: { id: string; attributes: Record<string, string> }[];
  readonly events: { user_id: string; item_id: string; ts: number }[];
  readonly users: readonly string[];
  /** planted share of a value for a user */
  readonly shareOf: (user: string, value: string) => number;
  readonly values: readonly string[];
}

export interface TasteWorldOptions {
  readonly seed: number;
  readonly users: number;
  readonly eventsPerUser: number;
  readonly itemsPerValue: number;
  /** shares of the values for user n; they sum to 1 */
  readonly sharesOf: (user: number, random: () => number) => readonly number[];
}

const START_TS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

/** Values are called v0, v1 … and are in the attribute `taste`. */
export function tasteWorld(options: TasteWorldOptions): TasteWorld {
  const random = seededRandom(options.seed);
  const shares = Array.from({ length: options.users }, (_, user) => options.sharesOf(user, random.next));
  const values = shares[0].map((_, value) => `v${value}`);
  const itemId = (value: number, n: number) => `item-${value}-${n}`;
  const items = values.flatMap((taste, value) =>
    Array.from({ length: options.itemsPerValue }, (_, n) => ({ id: itemId(value, n), attributes: { taste } })),
  );
  const events: TasteWorld['events'] = [];
  for (const [user, own] of shares.entries()) {
    const draw = new WeightedDraw(own);
    let ts = START_TS + random.below(1000) * HOUR_MS;
    for (let n = 0; n < options.eventsPerUser; n++) {
      const item = itemId(draw.draw(random), Math.floor(random.next() ** 2 * options.itemsPerValue));
      events.push({ user_id: `user-${user}`, item_id: item, ts });
      ts += (1 + random.below(48)) * HOUR_MS;
    }
  }
  return {
    items,
    events: events.sort((a, b) => a.ts - b.ts),
    users: shares.map((_, user) => `user-${user}`),
    shareOf: (user, value) => shares[Number(user.slice('user-'.length))][Number(value.slice(1))],
    values,
  };
}

/** Most users like one side much, or little, or both alike. */
export const twoSides = (user: number): readonly number[] =>
  [
    [0.1, 0.9],
    [0.5, 0.5],
    [0.9, 0.1],
  ][user % 3];

/** Each user has a favorite of several values, drawn so that some are favorites of many. */
export function favorites(count: number, favoriteShare: number) {
  return (_user: number, random: () => number): readonly number[] => {
    const favorite = Math.floor(random() ** 2 * count);
    return Array.from({ length: count }, (_, value) =>
      value === favorite ? favoriteShare : (1 - favoriteShare) / (count - 1),
    );
  };
}
