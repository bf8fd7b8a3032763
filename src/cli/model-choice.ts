// Which model a command means: by id, by name, or the newest one of the project.
import type { Kindred, Model } from '../client/index.ts';
import { UsageError } from './exit-codes.ts';

export async function chooseModel(kindred: Kindred, projectId: string, idOrName: string | undefined): Promise<Model> {
  for await (const model of kindred.iterateModels({ project_id: projectId })) {
    // Lists are newest first.
    if (idOrName === undefined || model.model_id === idOrName || model.name === idOrName) return model;
  }
  if (idOrName !== undefined) throw new UsageError(`the project has no model with the id or name ${idOrName}`);
  throw new UsageError('the project has no model yet: train one with "kindred train"');
}
