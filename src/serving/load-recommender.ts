// How a model file becomes a recommender over a live catalogue: in short steps, because calls are served meanwhile.
import { loadModel } from '../artifact/g1-file.ts';
import type { Catalogue } from '../models/catalogue.ts';
import { G1Recommender, itemNumberSteps } from '../models/g1-recommender.ts';
import { scorerSteps } from '../models/scorer.ts';
import { inTurns } from '../models/steps.ts';
import type { LoadedRecommender } from './model-cache.ts';

export async function loadRecommender(file: string, catalogue: Catalogue): Promise<LoadedRecommender> {
  const { model, bytes } = await loadModel(file);
  const scorer = await inTurns(scorerSteps(model));
  const itemOfWarm = await inTurns(itemNumberSteps(model, catalogue));
  const recommender = new G1Recommender(model, catalogue, () => scorer, itemOfWarm);
  await recommender.settle();
  return { recommender, fileBytes: bytes };
}
