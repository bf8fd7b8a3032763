import type { Project } from '../domain/project.ts';
import type { ServableModel } from './model-cache.ts';

/** The models a ranking is made with. */
export interface RankingModels {
  readonly project: Project;
  /** version of their deployment */
  readonly deployment: number;
  readonly generator: ServableModel;
  readonly ranker: ServableModel | null;
}
