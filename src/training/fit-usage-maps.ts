// Fits the maps of artifact/usage-maps.ts on held-out questions: a logistic regression of what came on the shares that scores gave,
// for all values together, for each attribute drawn towards that, and for each value drawn towards its attribute. How far depends
// on the evidence: a value with few events follows its attribute, one with many goes its own way.
//
// Figures are cross-fitted: each half of the questions is predicted by maps fitted on the other half.
import {
  IDENTITY_MAP,
  logit,
  type MappedValue,
  mapUsage,
  type UsageMap,
  type UsageMaps,
} from '../artifact/usage-maps.ts';
import { usageFigures } from './usage-figures.ts';

/** The evidence for one value: its share in the distribution of each question, and its share in what users chose. */
export interface ValueEvidence {
  readonly attribute: string;
  readonly value: string | number | boolean;
  /** share of the value in popularity */
  readonly population: number;
  readonly said: Float32Array;
  readonly seen: Float32Array;
  readonly events: number;
}

/** Precision of the priors: 1 / variance of what a level's parameters differ by from those of the level above. */
const PRIORS = {
  all: { offset: 4, slope: 4 },
  attribute: { offset: 10, slope: 10 },
  value: { offset: 6, slope: 10 },
} as const;
const MIN_SLOPE = 0.2;
const MAX_SLOPE = 5;
const MAX_OFFSET = 4;
const NEWTON_STEPS = 12;
const CONVERGED = 1e-5;

/** null when there is too little to learn from. */
export function fitUsageMaps(values: readonly ValueEvidence[]): UsageMaps | null {
  const questions = values[0]?.said.length ?? 0;
  if (questions === 0) return null;
  const evidence = values.map(prepare);
  const all = fitLevels(evidence, (_question) => true);
  const halves = [0, 1].map((half) => fitLevels(evidence, (question) => question % 2 === half));
  return {
    questions,
    all: all.all,
    attributes: [...all.attributes].map(([attribute, map]) => ({ attribute, map })),
    values: values.map((value, n): MappedValue => {
      const predicted = Float64Array.from(value.said, (share, question) =>
        mapUsage(halves[1 - (question % 2)].values[n], share, value.population),
      );
      return {
        attribute: value.attribute,
        value: value.value,
        map: all.values[n],
        events: value.events,
        figures: usageFigures(predicted, value.seen),
      };
    }),
  };
}

/** A value's questions as the regression sees them. */
interface Prepared {
  readonly attribute: string;
  readonly center: number;
  /** log odds of the share relative to the center */
  readonly x: Float32Array;
  readonly seen: Float32Array;
}

function prepare({ attribute, population, said, seen }: ValueEvidence): Prepared {
  const center = logit(population);
  return { attribute, center, x: Float32Array.from(said, (share) => logit(share) - center), seen };
}

interface Levels {
  readonly all: UsageMap;
  readonly attributes: Map<string, UsageMap>;
  readonly values: readonly UsageMap[];
}

function fitLevels(values: readonly Prepared[], takesPart: (question: number) => boolean): Levels {
  const asked: Asked = { takesPart, counts: 1 };
  const counts = worthOf(values, fitMap(values, IDENTITY_MAP, PRIORS.all, asked), asked);
  const weighed = { takesPart, counts };
  const all = fitMap(values, IDENTITY_MAP, PRIORS.all, weighed);
  const attributes = new Map<string, UsageMap>();
  for (const name of new Set(values.map(({ attribute }) => attribute))) {
    const own = values.filter(({ attribute }) => attribute === name);
    attributes.set(name, fitMap(own, all, PRIORS.attribute, weighed));
  }
  return {
    all,
    attributes,
    values: values.map((value) => fitMap([value], attributes.get(value.attribute)!, PRIORS.value, weighed)),
  };
}

/** The questions of a fit. */
interface Asked {
  readonly takesPart: (question: number) => boolean;
  /** how many single choices a question is worth */
  readonly counts: number;
}

/**
 * How many single choices a question is worth: what users chose is a share of several things, which says more than one thing does. Seen by
 * how much less shares scatter around what is predicted.
 */
function worthOf(values: readonly Prepared[], map: UsageMap, { takesPart }: Asked): number {
  let scatter = 0;
  let ofSingle = 0;
  for (const { center, x, seen } of values) {
    for (let question = 0; question < x.length; question++) {
      if (!takesPart(question)) continue;
      const p = usageAt(map, center, x[question]);
      scatter += (seen[question] - p) ** 2;
      ofSingle += p * (1 - p);
    }
  }
  return scatter > 0 ? Math.max(1, ofSingle / scatter) : 1;
}

function usageAt({ offset, below, above }: UsageMap, center: number, x: number): number {
  return 1 / (1 + Math.exp(-(center + offset + x * (x < 0 ? below : above))));
}

/** Newton's method on the penalized log likelihood, which is concave in the three parameters. */
function fitMap(
  values: readonly Prepared[],
  prior: UsageMap,
  precision: { readonly offset: number; readonly slope: number },
  { takesPart, counts }: Asked,
): UsageMap {
  let map = prior;
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const gradient = [
      -precision.offset * (map.offset - prior.offset),
      -precision.slope * (map.below - prior.below),
      -precision.slope * (map.above - prior.above),
    ];
    // Rows of the negative Hessian; below and above never meet in one question.
    let [oo, ob, oa] = [precision.offset, 0, 0];
    let [bb, aa] = [precision.slope, precision.slope];
    for (const { center, x, seen } of values) {
      for (let question = 0; question < x.length; question++) {
        if (!takesPart(question)) continue;
        const value = x[question];
        const p = usageAt(map, center, value);
        const miss = counts * (seen[question] - p);
        const weight = counts * p * (1 - p);
        gradient[0] += miss;
        oo += weight;
        if (value < 0) {
          gradient[1] += miss * value;
          ob += weight * value;
          bb += weight * value * value;
        } else {
          gradient[2] += miss * value;
          oa += weight * value;
          aa += weight * value * value;
        }
      }
    }
    // What is pushed against its limit stays there, and the others are solved without it: they would make room for a step it cannot take.
    if (isHeld(map.offset, gradient[0], -MAX_OFFSET, MAX_OFFSET)) [gradient[0], ob, oa] = [0, 0, 0];
    if (isHeld(map.below, gradient[1], MIN_SLOPE, MAX_SLOPE)) [gradient[1], ob] = [0, 0];
    if (isHeld(map.above, gradient[2], MIN_SLOPE, MAX_SLOPE)) [gradient[2], oa] = [0, 0];
    const [offset, below, above] = solveArrow({ oo, ob, oa, bb, aa }, gradient);
    map = {
      offset: clamp(map.offset + limited(offset), -MAX_OFFSET, MAX_OFFSET),
      below: clamp(map.below + limited(below), MIN_SLOPE, MAX_SLOPE),
      above: clamp(map.above + limited(above), MIN_SLOPE, MAX_SLOPE),
    };
    if (Math.abs(offset) + Math.abs(below) + Math.abs(above) < CONVERGED) break;
  }
  return map;
}

/** Solves [[oo, ob, oa], [ob, bb, 0], [oa, 0, aa]] · d = g. */
function solveArrow(
  { oo, ob, oa, bb, aa }: { oo: number; ob: number; oa: number; bb: number; aa: number },
  [go, gb, ga]: readonly number[],
): [number, number, number] {
  const pivot = oo - (ob * ob) / bb - (oa * oa) / aa;
  const offset = (go - (ob * gb) / bb - (oa * ga) / aa) / pivot;
  return [offset, (gb - ob * offset) / bb, (ga - oa * offset) / aa];
}

function isHeld(value: number, gradient: number, low: number, high: number): boolean {
  return (value <= low && gradient < 0) || (value >= high && gradient > 0);
}

/** A step that is not too long for a quadratic picture of the likelihood. */
function limited(step: number): number {
  return clamp(step, -1, 1);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
