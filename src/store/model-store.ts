// Trained models: rows only; the artifact they name is in the blob store. A model row appears together with the success of its
// training job, and goes only while no deployment uses it.
import type { Model } from '../domain/model.ts';
import type { Page, PageRequest } from './page.ts';

/** A model and whether its project serves from it, in either role. */
export type ListedModel = Model & { deployed: boolean };

export interface DeletedModel {
  /** the model as it was before the deletion */
  model: Model;
  /** nodes that have followed this epoch do not serve the model */
  epoch: number;
}

export interface ModelStore {
  get(accountId: string, projectId: string, modelId: string): Promise<ListedModel | null>;
  list(accountId: string, projectId: string, page: PageRequest): Promise<Page<ListedModel>>;
  rename(accountId: string, projectId: string, modelId: string, name: string): Promise<ListedModel | null>;
  /** Returns 'deployed' if a deployment uses the model or is about to. The caller removes its artifact. */
  delete(accountId: string, projectId: string, modelId: string): Promise<DeletedModel | 'deployed' | null>;
  /** Returns which of these models exist. */
  existing(modelIds: readonly string[]): Promise<Set<string>>;
  /** Returns which of these artifacts belong to a model. The others are orphans. */
  knownArtifacts(artifactKeys: readonly string[]): Promise<Set<string>>;
}
