// How much attributes should count next to a history of n items: learned from what users with histories of n items turned to
// (fit-choice-weight.ts), drawn towards a weight that falls with n as far as they say little. Weights never rise with n.
import type { HistoryWeights } from '../artifact/g1-model.ts';
import { type Choices, type Prior, weightTowards } from './fit-choice-weight.ts';

/** Lengths of histories that are learned from. */
export const HISTORY_LENGTHS = [0, 1, 2, 5, 10, 20] as const;

/** Choices of users with histories of one length. */
export interface LengthChoices extends Choices {
  readonly length: number;
}

/** Without any choices, attributes weigh as much as two items of a history. */
const WORTH_ITEMS = 2;
const DEVIATION = 0.5;

function priorOf(length: number): Prior {
  return { mean: WORTH_ITEMS / (WORTH_ITEMS + length), deviation: DEVIATION };
}

/** `choices`: of some or all of the lengths, or of none. */
export function fitHistoryWeights(choices: readonly LengthChoices[]): HistoryWeights {
  const known = HISTORY_LENGTHS.map((length) => {
    const own = choices.find((one) => one.length === length);
    if (own === undefined) return { weight: priorOf(length).mean, size: 1 };
    return { weight: weightTowards(own, priorOf(length)), size: 1 + own.scores.length / own.options };
  });
  return {
    counts: [...HISTORY_LENGTHS],
    weights: falling(
      known.map(({ weight }) => weight),
      known.map(({ size }) => size),
    ),
  };
}

/** The nearest weights that never rise: neighbors that do are averaged, by their sizes. */
function falling(weights: readonly number[], sizes: readonly number[]): number[] {
  const blocks: { weight: number; size: number; count: number }[] = [];
  for (const [n, weight] of weights.entries()) {
    blocks.push({ weight, size: sizes[n], count: 1 });
    for (let last = blocks.length - 1; last > 0 && blocks[last].weight > blocks[last - 1].weight; last--) {
      const [a, b] = blocks.splice(last - 1, 2);
      const size = a.size + b.size;
      blocks.push({ weight: (a.weight * a.size + b.weight * b.size) / size, size, count: a.count + b.count });
    }
  }
  return blocks.flatMap(({ weight, count }) => new Array<number>(count).fill(weight));
}
