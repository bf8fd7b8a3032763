// Converts the scoring chosen for each moment to the form that a model stores.
import type { G1Model, MomentScoring } from '../artifact/g1-model.ts';
import { rankerOver } from './fit-ranker.ts';
import type { Scoring } from './scoring-choice.ts';
import type { SearchResult } from './search-result.ts';

/** `facts`: of the items that the model is fitted on (item-facts.ts). */
export function modelScoring(
  scorings: SearchResult['scorings'],
  facts: Float32Array,
): Pick<G1Model, 'blend' | 'moments'> {
  const of = (name: string): MomentScoring | null => {
    const own = scorings.find(({ moment }) => moment === name);
    return own ? momentScoring(own.scoring, facts) : null;
  };
  const { weights, transform } = scorings[0].scoring.blend;
  return {
    blend: { weights, transform },
    moments: {
      arriving: of('arriving'),
      browsing: of('browsing'),
      discovering: of('discovering'),
      discovering_browsing: of('discovering_browsing'),
    },
  };
}

export function momentScoring({ blend, ranker }: Scoring, facts: Float32Array): MomentScoring {
  const { weights, transform } = blend;
  if (ranker === null) return { blend: { weights, transform }, ranker: null };
  const { candidates, deep, bias, weights: features } = rankerOver(ranker, facts);
  return { blend: { weights, transform }, ranker: { candidates, deep, bias, weights: Array.from(features) } };
}
