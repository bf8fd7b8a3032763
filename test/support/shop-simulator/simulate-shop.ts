// A shop in which everything is known: goods, people and why they do what they do. The same options give the same events on
// every machine. `visits` continues day after day in the order of time, so that a test can watch, train, recommend and continue.
import type { EntityRecord, EventRecord } from '../../../src/domain/record.ts';
import { type Good, makeGoods } from './goods.ts';
import { makeShoppers, type Shopper } from './shoppers.ts';
import { type ShopperState, startState } from './state.ts';
import { DAY_MS, makeVisit, Shelves, type ShopEvent, type Visit } from './visits.ts';

export interface ShopOptions {
  readonly seed?: number;
  readonly users?: number;
  /** days that `goods` are planned for; trends fall on the last of them */
  readonly days?: number;
  readonly visitsPerWeek?: number;
  readonly goodsPerCategory?: number;
  readonly seriesCount?: number;
  readonly volumesPerSeries?: number;
  readonly newShare?: number;
  readonly trendingGoods?: number;
}

const START_TS = Date.UTC(2026, 0, 1);

export class SimulatedShop {
  readonly goods: readonly Good[];
  readonly shoppers: readonly Shopper[];
  readonly shelves: Shelves;
  readonly days: number;
  readonly events: ShopEvent[] = [];
  readonly #states: readonly ShopperState[];
  readonly #stateOf: ReadonlyMap<string, ShopperState>;
  #day = 0;

  constructor(options: ShopOptions = {}) {
    const { seed = 1, users = 300, visitsPerWeek = 2 } = options;
    this.days = options.days ?? 120;
    this.goods = makeGoods({
      seed,
      days: this.days,
      goodsPerCategory: 8,
      seriesCount: 8,
      volumesPerSeries: 6,
      newShare: 0.15,
      trendingGoods: 2,
      ...options,
    });
    this.shelves = new Shelves(this.goods);
    this.shoppers = makeShoppers({ seed, users, goods: this.goods, visitsPerWeek });
    this.#states = this.shoppers.map((shopper) => startState(shopper, 0));
    this.#stateOf = new Map(this.#states.map((state) => [state.shopper.id, state]));
  }

  /** The first moment that no visit has reached yet. */
  get nowTs(): number {
    return START_TS + this.#day * DAY_MS;
  }

  get today(): number {
    return this.#day;
  }

  stateOf(shopperId: string): ShopperState {
    return this.#stateOf.get(shopperId)!;
  }

  /** The visits of the next days, in the order of time. Their events are part of `events` when they are yielded. */
  *visits(days: number): Generator<Visit> {
    for (const end = this.#day + days; this.#day < end; this.#day++) {
      const today = this.#states.flatMap((state) => {
        const { random, visitsPerWeek } = state.shopper;
        return random.chance(visitsPerWeek / 7) ? [{ state, ts: this.nowTs + random.below(DAY_MS - 7_200_000) }] : [];
      });
      today.sort((a, b) => a.ts - b.ts);
      for (const { state, ts } of today) {
        const visit = makeVisit(state, this.shelves, ts, this.#day);
        this.events.push(...visit.events);
        yield visit;
      }
    }
  }

  /** Lets days go by. */
  run(days = this.days): this {
    for (const _ of this.visits(days)) {
    }
    return this;
  }

  itemRecords(): EntityRecord[] {
    return this.goods
      .filter(({ releaseDay }) => releaseDay <= this.#day)
      .map(({ id, kind, category, brand, price, series, volume }) => ({
        id,
        attributes: { title: id.replaceAll('-', ' '), kind, category, brand, price, ...(series && { series, volume }) },
      }));
  }

  userRecords(): EntityRecord[] {
    return this.shoppers.map(({ id, attributes }) => ({ id, attributes: { ...attributes } }));
  }

  eventRecords(): EventRecord[] {
    return this.events
      .map((event, n) => ({ ...event, n }))
      .sort((a, b) => a.ts - b.ts || a.n - b.n)
      .map(({ shopper, good, type, ts, quantity, device, n }) => ({
        event_id: `event-${n}`,
        user_id: shopper,
        item_id: good,
        ts,
        event_type: type,
        event_value: quantity,
        attributes: { device },
      }));
  }
}

/** A shop after its days have gone by. */
export function simulateShop(options: ShopOptions = {}): SimulatedShop {
  return new SimulatedShop(options).run();
}
