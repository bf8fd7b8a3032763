// What the simulated shop sells, with relations that a person knows: durable goods of a category are rivals of each other, an
// accessory goes with the durable goods of its brand, consumables are bought again and again, and volumes of a series follow
// each other.
import { type Random, seededRandom } from '../../../src/base/seeded-random.ts';

export type GoodKind = 'durable' | 'accessory' | 'consumable' | 'volume';

export interface Good {
  readonly id: string;
  readonly kind: GoodKind;
  readonly category: string;
  readonly brand: string;
  readonly price: number;
  /** how attractive it is compared with others of its category; skewed as in real shops */
  readonly appeal: number;
  /** day on which it comes into the shop; below 0: it was always there */
  readonly releaseDay: number;
  /** an accessory: category of the durable goods of the same brand that it goes with */
  readonly goesWith?: string;
  readonly series?: string;
  /** from 1 */
  readonly volume?: number;
  /** days [from, to) in which many more people want it */
  readonly trend?: readonly [number, number];
}

export interface GoodsOptions {
  readonly seed: number;
  /** rivals in each durable category, and goods in each category of consumables */
  readonly goodsPerCategory: number;
  readonly seriesCount: number;
  readonly volumesPerSeries: number;
  /** share of durable goods and consumables that come into the shop while the simulation runs, evenly over its days */
  readonly newShare: number;
  /** goods with a trend in the last days */
  readonly trendingGoods: number;
  readonly days: number;
}

export const ACCESSORY_OF: Readonly<Record<string, string>> = {
  sofa: 'cushion',
  phone: 'charger',
  laptop: 'sleeve',
  camera: 'memory card',
  bicycle: 'helmet',
  washer: 'hose',
};
export const DURABLES = Object.keys(ACCESSORY_OF);
export const CONSUMABLES = ['coffee', 'cat food', 'detergent', 'diapers', 'tea', 'printer ink'];
export const BRANDS = ['Alba', 'Borea', 'Corvo'];
export const TREND_DAYS = 10;

const BASE_PRICE: Readonly<Record<GoodKind, number>> = { durable: 400, accessory: 25, consumable: 9, volume: 14 };

export function makeGoods(options: GoodsOptions): Good[] {
  const random = seededRandom(options.seed);
  const goods: Good[] = [];
  const add = (good: Omit<Good, 'price' | 'appeal'>, rank: number): void => {
    goods.push({ ...good, price: priceOf(good.kind, random), appeal: 1 / (rank + 1) ** 0.7 });
  };
  const releaseDay = (): number => (random.chance(options.newShare) ? random.below(options.days) : -1);
  for (const category of DURABLES) {
    for (let n = 0; n < options.goodsPerCategory; n++) {
      const brand = BRANDS[n % BRANDS.length];
      add({ id: `${category}-${n}`, kind: 'durable', category, brand, releaseDay: releaseDay() }, n);
    }
    for (const [n, brand] of BRANDS.entries()) {
      const accessory = ACCESSORY_OF[category];
      add(
        { id: `${accessory}-${n}`, kind: 'accessory', category: accessory, brand, releaseDay: -1, goesWith: category },
        0,
      );
    }
  }
  for (const category of CONSUMABLES) {
    for (let n = 0; n < options.goodsPerCategory; n++) {
      const brand = BRANDS[n % BRANDS.length];
      add({ id: `${category}-${n}`, kind: 'consumable', category, brand, releaseDay: releaseDay() }, n);
    }
  }
  for (let n = 0; n < options.seriesCount; n++) {
    const series = `saga-${n}`;
    for (let volume = 1; volume <= options.volumesPerSeries; volume++) {
      const about = { category: 'novel', brand: BRANDS[n % BRANDS.length], releaseDay: -1, series, volume };
      add({ id: `${series}-volume-${volume}`, kind: 'volume', ...about }, n);
    }
  }
  return withTrends(goods, options, random);
}

/** Trends hit goods that few knew before. */
function withTrends(goods: Good[], { trendingGoods, days }: GoodsOptions, random: Random): Good[] {
  const candidates = goods.filter((good) => good.kind === 'consumable' && good.appeal < 0.5 && good.releaseDay < 0);
  const chosen = new Set<Good>();
  while (chosen.size < Math.min(trendingGoods, candidates.length)) chosen.add(random.pick(candidates));
  return goods.map((good) => (chosen.has(good) ? { ...good, trend: [days - TREND_DAYS, days] } : good));
}

function priceOf(kind: GoodKind, random: Random): number {
  return Math.round(BASE_PRICE[kind] * Math.exp(0.5 * random.normal()) * 100) / 100;
}
