// Prepares, in short steps, what a recommender needs of a model and its catalog: with millions of items each part takes
// longer than a call may wait.
import type { G1Model } from '../artifact/g1-model.ts';
import type { Steps } from '../base/steps.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { logPopularityOf } from '../experts/popularity.ts';
import { orderSteps } from './order-by.ts';
import { itemNumberSteps, WarmItems } from './warm-items.ts';

export interface ModelParts {
  readonly items: WarmItems;
  /** of warm items, like the next two */
  readonly logPopularity: Float32Array;
  readonly popularity: Float32Array;
  /** warm items, the most popular first */
  readonly byPopularity: Uint32Array;
}

export function* modelSteps(model: G1Model, catalog: Catalog): Steps<ModelParts> {
  const numbers = yield* itemNumberSteps(model, catalog);
  const items = new WarmItems(numbers, catalog.itemCount);
  yield;
  const logPopularity = logPopularityOf(model.experts, model.warmItemCount);
  yield;
  const popularity = logPopularity.map(Math.exp);
  yield;
  return { items, logPopularity, popularity, byPopularity: yield* orderSteps(popularity, true) };
}
