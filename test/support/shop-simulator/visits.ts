// One visit to the simulated shop: what a person does there, given what is going on in the person's life. Views lead to carts and
// carts to purchases. Consumables are bought when they run out. Durable goods are compared over several visits, bought once, and
// their accessories go into the same basket. Volumes follow each other. What is left is wandering about, by taste and trend.
// On a phone people read and restock, at a desk they look for durable goods: that is what the context tells.
import { WeightedDraw } from '../../../src/base/seeded-random.ts';
import { DURABLES, type Good } from './goods.ts';
import { appetite, type Device, isDue, type ShopperState, takeHome } from './state.ts';

export type EventType = 'view' | 'cart' | 'purchase';

export interface ShopEvent {
  readonly shopper: string;
  readonly good: string;
  readonly type: EventType;
  readonly ts: number;
  readonly quantity: number;
  readonly device: Device;
}

export interface Visit {
  readonly state: ShopperState;
  readonly device: Device;
  readonly startTs: number;
  readonly day: number;
  readonly events: ShopEvent[];
}

export const DAY_MS = 86_400_000;
const FAVORITE_SHARE = 0.85;
const ACCESSORY_CHANCE = 0.7;
const SEARCH_CHANCE = 0.15;
/** Of the other device: what is not done on it is rare, not impossible. */
const UNUSUAL_CHANCE = 0.1;
const MAX_WANDERED = 3;

/** The goods of a shop, by what a visit asks of them. */
export class Shelves {
  readonly goods: readonly Good[];
  readonly #byCategory = new Map<string, Good[]>();
  readonly #byId: ReadonlyMap<string, Good>;

  constructor(goods: readonly Good[]) {
    this.goods = goods;
    this.#byId = new Map(goods.map((good) => [good.id, good]));
    for (const good of goods) {
      const own = this.#byCategory.get(good.category);
      if (own === undefined) this.#byCategory.set(good.category, [good]);
      else own.push(good);
    }
  }

  get(id: string): Good {
    return this.#byId.get(id)!;
  }

  of(category: string, day: number): Good[] {
    return (this.#byCategory.get(category) ?? []).filter(({ releaseDay }) => releaseDay <= day);
  }

  accessoriesOf(durable: Good): Good[] {
    return this.goods.filter(({ goesWith, brand }) => goesWith === durable.category && brand === durable.brand);
  }
}

export function makeVisit(state: ShopperState, shelves: Shelves, startTs: number, day: number): Visit {
  const { random, phoneShare, id } = state.shopper;
  const device: Device = random.chance(phoneShare) ? 'phone' : 'desktop';
  const visit: Visit = { state, device, startTs, day, events: [] };
  let ts = startTs;
  const act = (good: Good, type: EventType, quantity = 1): void => {
    visit.events.push({ shopper: id, good: good.id, type, ts, quantity, device });
    if (type === 'purchase') takeHome(state, good, day);
    ts += 15_000 + random.below(120_000);
  };
  restock(visit, shelves, act);
  readOn(visit, shelves, act);
  lookForDurable(visit, shelves, act);
  wander(visit, shelves, act);
  return visit;
}

type Act = (good: Good, type: EventType, quantity?: number) => void;

function restock({ state, day }: Visit, shelves: Shelves, act: Act): void {
  const { random, pantry } = state.shopper;
  for (const { category, favorite } of pantry) {
    if (!isDue(state, category, day)) continue;
    const good = random.chance(FAVORITE_SHARE)
      ? shelves.get(favorite)
      : byAppeal(shelves.of(category, day), state, day);
    if (random.chance(0.4)) act(good, 'view');
    if (random.chance(0.5)) act(good, 'cart');
    act(good, 'purchase', 1 + random.below(3));
  }
}

function readOn({ state, day, device }: Visit, shelves: Shelves, act: Act): void {
  const { random, taste } = state.shopper;
  if (device === 'desktop' && !random.chance(UNUSUAL_CHANCE)) return;
  const novels = shelves.of('novel', day);
  const buy = (volume: Good): void => {
    act(volume, 'view');
    act(volume, 'purchase');
  };
  for (const [series, { volume, dueDay }] of [...state.reading]) {
    const next = novels.find((novel) => novel.series === series && novel.volume === volume + 1);
    if (next !== undefined && dueDay <= day && random.chance(0.8)) buy(next);
  }
  const first = novels.filter((novel) => novel.volume === 1 && !state.reading.has(novel.series!));
  const wanted = first.find((novel) => random.chance(0.4 * (taste.get(novel.series!) ?? 0)));
  if (wanted !== undefined) buy(wanted);
}

function lookForDurable({ state, day, device }: Visit, shelves: Shelves, act: Act): void {
  const { random, taste, brand } = state.shopper;
  if (device === 'phone' && !random.chance(UNUSUAL_CHANCE)) return;
  if (state.search === null) {
    const open = DURABLES.filter((category) => !state.ownedSince.has(category));
    if (open.length === 0 || !random.chance(SEARCH_CHANCE)) return;
    const category = open[new WeightedDraw(open.map((name) => taste.get(name) ?? 0)).draw(random)];
    state.search = { category, considered: new Set(), visitsLeft: 2 + random.below(2) };
  }
  const { search } = state;
  const rivals = shelves.of(search.category, day);
  const draw = new WeightedDraw(rivals.map((good) => good.appeal * (good.brand === brand ? 3 : 1)));
  for (let n = 2 + random.below(3); n > 0; n--) {
    const good = rivals[draw.draw(random)];
    act(good, 'view');
    search.considered.add(good.id);
  }
  if (--search.visitsLeft > 0) return;
  const considered = [...search.considered].map((id) => shelves.get(id));
  const chosen = considered.find((good) => good.brand === brand) ?? considered[0];
  act(chosen, 'cart');
  act(chosen, 'purchase');
  for (const accessory of shelves.accessoriesOf(chosen)) {
    if (!state.owned.has(accessory.id) && random.chance(ACCESSORY_CHANCE)) act(accessory, 'purchase');
  }
}

/** Looks at goods that catch the eye; what is in fashion is also bought. */
function wander({ state, day }: Visit, shelves: Shelves, act: Act): void {
  const { random } = state.shopper;
  for (let n = random.below(MAX_WANDERED + 1); n > 0; n--) {
    const good = byAppeal(shelves.goods, state, day);
    act(good, 'view');
    const inFashion = good.trend !== undefined && day >= good.trend[0] && day < good.trend[1];
    if (inFashion && random.chance(0.5)) act(good, 'purchase');
  }
}

function byAppeal(goods: readonly Good[], state: ShopperState, day: number): Good {
  const draw = new WeightedDraw(goods.map((good) => good.appeal * appetite(state, good, day)));
  return goods[draw.draw(state.shopper.random)];
}
