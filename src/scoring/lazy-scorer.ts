// A scorer that is made when it is first asked: it takes the memory of a whole model, and work over all users through the bulk
// kernels hardly ever asks.
import type { G1Model } from '../artifact/g1-model.ts';
import { createScorer } from './create-scorer.ts';
import type { CreateScorer, Scorer } from './scorer.ts';

export const createLazyScorer: CreateScorer = (model: G1Model): Scorer => {
  let made: Scorer | null = null;
  const scorer = (): Scorer => {
    made ??= createScorer(model);
    return made;
  };
  return {
    warmItemCount: model.warmItemCount,
    get base() {
      return scorer().base;
    },
    scoreAll: (...args) => scorer().scoreAll(...args),
    top: (...args) => scorer().top(...args),
    candidates: (...args) => scorer().candidates(...args),
    scoreItems: (...args) => scorer().scoreItems(...args),
    explainEach: (...args) => scorer().explainEach(...args),
    memoryBytes: () => made?.memoryBytes() ?? 0,
  };
};
