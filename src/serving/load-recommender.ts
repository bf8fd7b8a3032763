// Loads a model file as a recommender over a live catalog, in short steps because calls are served meanwhile.
import { loadModel } from '../artifact/g1-file.ts';
import { inTurns } from '../base/steps.ts';
import { traced } from '../base/trace.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { scorerSteps } from '../scoring/create-scorer.ts';
import { G1Recommender } from '../scoring/g1-recommender.ts';
import { modelSteps } from '../scoring/model-steps.ts';
import type { LoadedRecommender } from './model-cache.ts';

export async function loadRecommender(file: string, catalog: Catalog): Promise<LoadedRecommender> {
  const { model, bytes } = await loadModel(file);
  const scorer = await traced('create scorer', () => inTurns(scorerSteps(model)));
  const parts = await inTurns(modelSteps(model, catalog));
  const recommender = new G1Recommender(model, catalog, () => scorer, parts);
  await recommender.settle();
  return { recommender, fileBytes: bytes };
}
