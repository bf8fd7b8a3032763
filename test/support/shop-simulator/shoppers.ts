// Who comes to the simulated shop: what each person likes, buys regularly and can afford. All of it is planted truth.
import { type Random, seededRandom, WeightedDraw } from '../../../src/base/seeded-random.ts';
import { BRANDS, CONSUMABLES, DURABLES, type Good } from './goods.ts';

export interface PantryGood {
  readonly category: string;
  readonly favorite: string;
  readonly intervalDays: number;
}

export interface Shopper {
  readonly id: string;
  readonly attributes: { readonly household: 'cat' | 'baby' | 'plain'; readonly age_band: 'young' | 'old' };
  readonly visitsPerWeek: number;
  /** chance that a visit is made on the phone */
  readonly phoneShare: number;
  /** how much the person cares for each durable category and each series; sums to 1 */
  readonly taste: ReadonlyMap<string, number>;
  readonly brand: string;
  readonly pantry: readonly PantryGood[];
  readonly random: Random;
}

export interface ShoppersOptions {
  readonly seed: number;
  readonly users: number;
  readonly goods: readonly Good[];
  readonly visitsPerWeek: number;
}

/** How much sharper tastes are than even: the favorite subject of a person gets most of the attention. */
const TASTE_SHARPNESS = 1.6;
const MIN_INTERVAL_DAYS = 7;
const MAX_INTERVAL_DAYS = 35;

export function makeShoppers({ seed, users, goods, visitsPerWeek }: ShoppersOptions): Shopper[] {
  const subjects = [...DURABLES, ...new Set(goods.flatMap(({ series }) => series ?? []))];
  return Array.from({ length: users }, (_, n) => {
    const random = seededRandom(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(n + 1, 0x85ebca6b));
    const household = random.pick(['cat', 'baby', 'plain', 'plain'] as const);
    return {
      id: `shopper-${n}`,
      attributes: { household, age_band: random.chance(0.5) ? 'young' : 'old' },
      visitsPerWeek: visitsPerWeek * Math.exp(0.5 * random.normal() - 0.125),
      phoneShare: random.chance(0.5) ? 0.8 : 0.2,
      taste: tasteOf(subjects, random),
      brand: random.pick(BRANDS),
      pantry: pantryOf(household, goods, random),
      random,
    };
  });
}

function tasteOf(subjects: readonly string[], random: Random): Map<string, number> {
  const weights = subjects.map(() => Math.exp(TASTE_SHARPNESS * random.normal()));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return new Map(subjects.map((subject, n) => [subject, weights[n] / sum]));
}

/** Cat food is for households with a cat, diapers for those with a baby: what attributes of users can tell. */
function pantryOf(household: Shopper['attributes']['household'], goods: readonly Good[], random: Random): PantryGood[] {
  const wanted = CONSUMABLES.filter((category) => {
    if (category === 'cat food') return household === 'cat';
    if (category === 'diapers') return household === 'baby';
    return random.chance(0.4);
  });
  return wanted.map((category) => {
    const choices = goods.filter((good) => good.category === category && good.releaseDay < 0);
    const favorite = choices[new WeightedDraw(choices.map(({ appeal }) => appeal)).draw(random)];
    const intervalDays = MIN_INTERVAL_DAYS + random.below(MAX_INTERVAL_DAYS - MIN_INTERVAL_DAYS);
    return { category, favorite: favorite.id, intervalDays };
  });
}
