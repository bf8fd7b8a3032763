// Reads the results of an experiment: the rate of each variant, its lift over the control, whether visitors were split as
// planned, and a summary in one sentence. Every interval is valid however often it is looked at; with several variants the chance
// of a false alarm is shared among them. It also bounds the chance of a wrong winner: a winner is told apart from every other
// variant, so a wrong one needs that one of the intervals between the truly best variant and the others misses.

import { DAY_MS } from '../../base/durations.ts';
import {
  alwaysValidLift,
  alwaysValidMean,
  MIN_CONVERTED,
  MISS_CHANCE,
  type VariantSample,
} from '../../domain/always-valid.ts';
import { type Experiment, type ExperimentMetric, METRIC_NAMES } from '../../domain/experiment.ts';
import type { Interval } from '../../domain/intervals.ts';
import type { VariantUsers } from '../../store/outcome-store.ts';
import { isSplitAsPlanned } from './sample-ratio.ts';

/** The result of a variant in one metric. */
export interface MetricReading {
  /** per visitor: share of those who converted, or value */
  readonly rate: number | null;
  readonly rate_interval: [number, number] | null;
  /** relative to the first variant; null for the first and while there are too few conversions */
  readonly lift: number | null;
  readonly lift_interval: [number, number] | null;
}

/** The result of a variant. The fields of MetricReading are those of the experiment's own metric. */
export interface VariantReading extends MetricReading {
  readonly name: string;
  readonly share: number;
  /** users who got at least one list */
  readonly visitors: number;
  /** visitors who clicked, had a target event, or brought value, by the experiment's metric */
  readonly converted: number;
  /** `converted` for every metric, whatever the experiment's own metric is */
  readonly visitors_with: Readonly<Record<ExperimentMetric, number>>;
  /** each interval is valid by itself; the experiment is decided by its own metric */
  readonly metrics: Readonly<Record<ExperimentMetric, MetricReading>>;
}

export interface ExperimentReading {
  readonly variants: readonly VariantReading[];
  readonly split_as_planned: boolean;
  /** the variant that is clearly best; null: none is, yet */
  readonly winner: string | null;
  readonly sentence: string;
}

type Read = Pick<Experiment, 'variants' | 'metric' | 'min_days' | 'created_ts' | 'stopped_ts'>;

export function readExperiment(experiment: Read, users: readonly VariantUsers[], nowMs: number): ExperimentReading {
  const { variants, metric } = experiment;
  const usersOf = variants.map(({ name }) => users.find(({ variant }) => variant === name));
  const alpha = MISS_CHANCE / (variants.length - 1);
  const readings = {
    click: readMetric(usersOf, 'click', alpha),
    target: readMetric(usersOf, 'target', alpha),
    value: readMetric(usersOf, 'value', alpha),
  };
  const { samples, lifts } = readings[metric];
  const visitors = samples.map((sample) => sample.visitors);
  const split = isSplitAsPlanned(
    visitors,
    variants.map(({ share }) => share),
  );
  const tooFew = samples.findIndex(({ converted }) => converted < MIN_CONVERTED);
  const best = split && tooFew < 0 ? bestOf(samples, alpha) : null;
  const isOldEnough = nowMs >= experiment.created_ts + experiment.min_days * DAY_MS;
  const winner = best !== null && isOldEnough ? variants[best].name : null;
  return {
    variants: variants.map(({ name, share }, n) => ({
      name,
      share,
      visitors: samples[n].visitors,
      converted: samples[n].converted,
      visitors_with: visitorsWith(usersOf[n]),
      ...readings[metric].of[n],
      metrics: { click: readings.click.of[n], target: readings.target.of[n], value: readings.value.of[n] },
    })),
    split_as_planned: split,
    winner,
    sentence: sentenceOf(experiment, { samples, lifts, split, tooFew, best, isOldEnough }),
  };
}

/** Reads all variants in one metric. */
function readMetric(users: readonly (VariantUsers | undefined)[], metric: ExperimentMetric, alpha: number) {
  const samples = users.map((own) => sampleOf(own, metric));
  const lifts = samples.map((sample, n) => (n === 0 ? null : alwaysValidLift(samples[0], sample, alpha)));
  return { samples, lifts, of: samples.map((sample, n) => readingOf(sample, lifts[n], alpha)) };
}

function sampleOf(users: VariantUsers | undefined, metric: ExperimentMetric): VariantSample {
  if (users === undefined) return { visitors: 0, sum: 0, sumOfSquares: 0, converted: 0 };
  const { users: visitors, value_users, value_sum, value_squares } = users;
  if (metric === 'value') return { visitors, sum: value_sum, sumOfSquares: value_squares, converted: value_users };
  const converted = metric === 'click' ? users.clicked_users : users.target_users;
  return { visitors, sum: converted, sumOfSquares: converted, converted };
}

/** The place of the variant that is better than each of the others for sure. */
function bestOf(samples: readonly VariantSample[], alpha: number): number | null {
  const isBetter = (one: VariantSample, other: VariantSample) => (alwaysValidLift(other, one, alpha)?.low ?? 0) > 0;
  const best = samples.findIndex((one) => samples.every((other) => other === one || isBetter(one, other)));
  return best < 0 ? null : best;
}

function visitorsWith(users: VariantUsers | undefined): VariantReading['visitors_with'] {
  return { click: users?.clicked_users ?? 0, target: users?.target_users ?? 0, value: users?.value_users ?? 0 };
}

function readingOf(sample: VariantSample, lift: Interval | null, alpha: number): MetricReading {
  const interval = alwaysValidMean(sample, alpha);
  return {
    rate: sample.visitors === 0 ? null : sample.sum / sample.visitors,
    rate_interval: interval && ([interval.low, interval.high] as [number, number]),
    lift: lift?.estimate ?? null,
    lift_interval: lift && ([lift.low, lift.high] as [number, number]),
  };
}

interface Found {
  readonly samples: readonly VariantSample[];
  readonly lifts: readonly (Interval | null)[];
  readonly split: boolean;
  /** the place of the first variant with too few conversions to say anything; -1: all have enough */
  readonly tooFew: number;
  readonly best: number | null;
  readonly isOldEnough: boolean;
}

/** Describes, for messages, which visitors count as converted. */
const CONVERTED: Readonly<Record<ExperimentMetric, string>> = {
  click: 'who clicked',
  target: 'who converted',
  value: 'with a value',
};

function sentenceOf(experiment: Read, found: Found): string {
  const { variants, metric } = experiment;
  const { samples, lifts, split, tooFew, best, isOldEnough } = found;
  const rate = METRIC_NAMES[metric];
  const control = variants[0].name;
  if (samples.every(({ visitors }) => visitors === 0)) return 'No visitors yet.';
  if (!split) {
    return 'Do not trust these figures: visitors are not split as planned. Check that every page calls the placement in the same way and sends its events.';
  }
  if (tooFew >= 0) {
    const { converted } = samples[tooFew];
    return `Too early to tell: each variant needs ${MIN_CONVERTED} visitors ${CONVERTED[metric]}, and ${variants[tooFew].name} has ${converted}.`;
  }
  const until = isOldEnough ? '' : ` ${endOf(experiment)}`;
  if (best === 0) return `${control} is better than the other variants in ${rate}.${until}`;
  if (best !== null) {
    const { estimate, low, high } = lifts[best]!;
    return `${variants[best].name} is better: its ${rate} is ${percent(estimate)} above ${control} (95% interval ${percent(low)} to ${percent(high)}).${until}`;
  }
  const better = variants.filter((_, n) => (lifts[n]?.low ?? 0) > 0).map(({ name }) => name);
  if (better.length === 1) {
    return `${better[0]} is better than ${control} in ${rate}, but not clearly better than every other variant yet.${until}`;
  }
  if (better.length > 1) {
    const names = `${better.slice(0, -1).join(', ')} and ${better.at(-1)}`;
    const [all, none] = better.length === 2 ? ['both', 'neither'] : ['all', 'none'];
    return `${names} are ${all} better than ${control} in ${rate}, but ${none} is clearly the best yet.${until}`;
  }
  const [name, lift] = [variants[1].name, lifts[1]];
  if (variants.length > 2 || lift === null) return `No variant is clearly better yet in ${rate}.${until}`;
  return `No clear difference yet: the ${rate} of ${name} is between ${signed(lift.low)} and ${signed(lift.high)} that of ${control}.${until}`;
}

/** Of an experiment that is, or was stopped, too young for a winner. */
function endOf({ min_days, created_ts, stopped_ts }: Read): string {
  if (stopped_ts !== null) return `It was stopped on ${dayOf(stopped_ts)}, too early for a winner.`;
  return `It runs until ${dayOf(created_ts + min_days * DAY_MS)} at least.`;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
const signed = (share: number): string => (share < 0 ? `${percent(-share)} below` : `${percent(share)} above`);

const dayOf = (ms: number): string =>
  new Date(ms).toLocaleDateString('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' });
