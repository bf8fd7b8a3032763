import type { Project } from '../domain/project.ts';
import type { ServableModel } from './model-cache.ts';

/** The models a ranking is made with. */
export interface RankingModels {
  readonly project: Project;
  /** version of the deployment */
  readonly deployment: number;
  readonly generator: ServableModel;
  readonly ranker: ServableModel | null;
}

/** Whether one of the models uses attributes of users. If not, users need not be read. */
export function readsAttributes({ generator, ranker }: Pick<RankingModels, 'generator' | 'ranker'>): boolean {
  return generator.recommender.readsAttributes || (ranker?.recommender.readsAttributes ?? false);
}
