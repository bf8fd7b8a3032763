// Twelve items that users take three apart, in four categories, and a recommender over them.
import { Catalog } from '../../src/catalog/catalog.ts';
import type { SignalEvent } from '../../src/history/user-signal.ts';
import { createScorer } from '../../src/scoring/create-scorer.ts';
import { G1Recommender } from '../../src/scoring/g1-recommender.ts';
import { type ToyEvent, toyModel } from './toy-model.ts';

export const TOY_ITEMS = 12;
export const TOY_NOW = 1_800_000_000_000;

export function toyEvents(): ToyEvent[] {
  return Array.from({ length: 90 }, (_, n) => ({
    user: `u${n % 30}`,
    item: `i${((n % 3) + 3 * (n % 7)) % TOY_ITEMS}`,
  }));
}

/** Categories: i0 to i5 are "a", then two each of "b", "c" and "d". */
export function toyRecommender(change: Parameters<typeof toyModel>[1] = {}): G1Recommender {
  const catalog = new Catalog('items');
  for (let n = 0; n < TOY_ITEMS; n++) {
    const category = n < 6 ? 'a' : 'bcd'[Math.floor((n - 6) / 2)];
    catalog.put(`i${n}`, { n, category, tags: n % 2 === 0 ? ['even', category] : ['odd'] });
  }
  return new G1Recommender(toyModel(toyEvents(), change), catalog, createScorer);
}

export function bought(...items: number[]): SignalEvent[] {
  return items.map((item, n) => ({
    item_id: `i${item}`,
    event_type: 'buy',
    event_value: 1,
    ts: TOY_NOW - (n + 1) * 86_400_000,
  }));
}
