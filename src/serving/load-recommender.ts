// How a model file becomes a recommender over a live catalogue.
import { loadModel } from '../artifact/g1-file.ts';
import type { Catalogue } from '../models/catalogue.ts';
import { G1Recommender } from '../models/g1-recommender.ts';
import { createScorer } from '../models/scorer.ts';
import type { LoadedRecommender } from './model-cache.ts';

export async function loadRecommender(file: string, catalogue: Catalogue): Promise<LoadedRecommender> {
  const { model, bytes } = await loadModel(file);
  const recommender = new G1Recommender(model, catalogue, createScorer);
  await recommender.settle();
  return { recommender, fileBytes: bytes };
}
