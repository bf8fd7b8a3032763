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

/** Whether attributes of users matter to one of them: if not, nobody needs to read users. */
export function readsAttributes({ generator, ranker }: Pick<RankingModels, 'generator' | 'ranker'>): boolean {
  return generator.recommender.readsAttributes || (ranker?.recommender.readsAttributes ?? false);
}
