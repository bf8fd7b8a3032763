// 95% intervals of means over users.
import { seededRandom } from '../../src/base/seeded-random.ts';

export type Interval = [number, number];

const ROUNDS = 500;
const SEED = 1;

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** By bootstrap: users drawn with replacement. */
export function bootstrap(values: readonly number[]): Interval {
  const { next: random } = seededRandom(SEED);
  const means = Float64Array.from({ length: ROUNDS }, () => {
    let sum = 0;
    for (let n = 0; n < values.length; n++) sum += values[Math.floor(random() * values.length)];
    return sum / Math.max(1, values.length);
  }).sort();
  return [means[Math.floor(ROUNDS * 0.025)], means[Math.floor(ROUNDS * 0.975)]];
}

/** Means of several groups of questions as one. */
export function pooled(groups: readonly { mean: number; interval: Interval; count: number }[]): {
  mean: number;
  interval: Interval;
  count: number;
} {
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const mean = groups.reduce((sum, group) => sum + group.mean * group.count, 0) / count;
  // How far an interval reaches down and up, each by itself: a figure near 0 reaches further up, and none begins below 0.
  const reach = (of: (group: (typeof groups)[number]) => number) =>
    Math.sqrt(groups.reduce((sum, group) => sum + ((group.count / count) * of(group)) ** 2, 0));
  const down = reach(({ mean: own, interval: [low] }) => own - low);
  const up = reach(({ mean: own, interval: [, high] }) => high - own);
  return { mean, interval: [mean - down, mean + up], count };
}
