// What is going on in a shopper's life: what is due, what is being looked for, what is owned. It changes with every visit and
// says what the shopper would welcome at a moment.
import type { Good } from './goods.ts';
import type { Shopper } from './shoppers.ts';

export type Device = 'phone' | 'desktop';

export interface Search {
  readonly category: string;
  /** goods looked at so far */
  readonly considered: Set<string>;
  visitsLeft: number;
}

export interface ShopperState {
  readonly shopper: Shopper;
  /** day on which each category of the pantry runs out */
  readonly pantryDue: Map<string, number>;
  search: Search | null;
  /** durable category → day it was bought */
  readonly ownedSince: Map<string, number>;
  /** durable goods and accessories that were bought: one is enough */
  readonly owned: Map<string, Good>;
  /** series → volumes read and the day on which the next is wanted */
  readonly reading: Map<string, { volume: number; dueDay: number }>;
}

/** The chance that a shopper who looks at a good would open it. */
const APPETITE = {
  dueFavorite: 0.6,
  accessory: 0.5,
  dueSequel: 0.6,
  rival: 0.4,
  trending: 0.3,
  otherOfPantry: 0.08,
  taste: 0.3,
  nothing: 0.01,
} as const;

/** Days after buying a durable good in which its accessories are welcome. */
const ACCESSORY_DAYS = 30;

export function startState(shopper: Shopper, day: number): ShopperState {
  const { random } = shopper;
  return {
    shopper,
    pantryDue: new Map(
      shopper.pantry.map(({ category, intervalDays }) => [category, day + random.next() * intervalDays]),
    ),
    search: null,
    ownedSince: new Map(),
    owned: new Map(),
    reading: new Map(),
  };
}

export function isDue(state: ShopperState, category: string, day: number): boolean {
  return (state.pantryDue.get(category) ?? Number.POSITIVE_INFINITY) <= day;
}

/** What a purchase changes. */
export function takeHome(state: ShopperState, good: Good, day: number): void {
  const { random, pantry } = state.shopper;
  if (good.kind === 'durable' || good.kind === 'accessory') state.owned.set(good.id, good);
  if (good.kind === 'durable') {
    state.ownedSince.set(good.category, day);
    if (state.search?.category === good.category) state.search = null;
  }
  if (good.kind === 'volume') {
    state.reading.set(good.series!, { volume: good.volume!, dueDay: day + 4 + random.below(10) });
  }
  const restocked = pantry.find(({ category }) => category === good.category);
  if (restocked !== undefined) {
    state.pantryDue.set(good.category, day + restocked.intervalDays * (0.9 + 0.2 * random.next()));
  }
}

/** How welcome a good is to a shopper on a day: a known chance, from 0 to 1. */
export function appetite(state: ShopperState, good: Good, day: number): number {
  const { shopper } = state;
  if (good.releaseDay > day) return 0;
  if (state.owned.has(good.id)) return 0;
  if (good.trend !== undefined && day >= good.trend[0] && day < good.trend[1]) return APPETITE.trending;
  switch (good.kind) {
    case 'consumable': {
      const pantry = shopper.pantry.find(({ category }) => category === good.category);
      if (pantry === undefined) return APPETITE.nothing;
      const isFavorite = pantry.favorite === good.id;
      return isFavorite && isDue(state, good.category, day) ? APPETITE.dueFavorite : APPETITE.otherOfPantry;
    }
    case 'durable':
      if (state.ownedSince.has(good.category)) return 0;
      if (state.search?.category === good.category) return APPETITE.rival;
      return APPETITE.nothing + APPETITE.taste * (shopper.taste.get(good.category) ?? 0);
    case 'accessory': {
      const since = state.ownedSince.get(good.goesWith!);
      const fits = since !== undefined && day - since < ACCESSORY_DAYS && ownsBrand(state, good);
      return fits ? APPETITE.accessory : APPETITE.nothing;
    }
    case 'volume': {
      const { volume = 0, dueDay = 0 } = state.reading.get(good.series!) ?? {};
      if (good.volume! <= volume) return 0;
      if (volume > 0 && good.volume === volume + 1 && dueDay <= day) return APPETITE.dueSequel;
      return APPETITE.nothing + (good.volume === 1 ? APPETITE.taste * (shopper.taste.get(good.series!) ?? 0) : 0);
    }
  }
}

function ownsBrand(state: ShopperState, accessory: Good): boolean {
  return [...state.owned.values()].some(
    ({ category, brand }) => category === accessory.goesWith && brand === accessory.brand,
  );
}
