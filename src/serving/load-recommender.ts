// How a model file becomes a recommender over a live catalogue.
import type { Catalogue } from '../models/catalogue.ts';
import type { Recommender } from '../models/recommender.ts';
import { ModelUnavailable } from './model-cache.ts';

export async function loadRecommender(_file: string, _catalogue: Catalogue): Promise<Recommender> {
  throw new ModelUnavailable('Models cannot be loaded.');
}
