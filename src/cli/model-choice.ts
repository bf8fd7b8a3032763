// Resolves the model of a command: by id, by name, or by default the newest or the deployed model of the project.
import { type Kindred, KindredError, type Model } from '../client/index.ts';
import { UsageError } from './exit-codes.ts';

/** If no name is given, returns the deployed model, or the newest one if none is deployed. */
export async function chooseServingModel(kindred: Kindred, projectId: string, idOrName?: string): Promise<Model> {
  if (idOrName !== undefined) return chooseModel(kindred, projectId, idOrName);
  const deployed = await kindred.getDeployment({ project_id: projectId }).catch((error) => {
    if (error instanceof KindredError && error.code === 'NO_MODEL_DEPLOYED') return undefined;
    throw error;
  });
  return chooseModel(kindred, projectId, deployed?.generator_model_id);
}

export async function chooseModel(kindred: Kindred, projectId: string, idOrName: string | undefined): Promise<Model> {
  for await (const model of kindred.iterateModels({ project_id: projectId })) {
    // Models are listed newest first.
    if (idOrName === undefined || model.model_id === idOrName || model.name === idOrName) return model;
  }
  if (idOrName !== undefined) throw new UsageError(`the project has no model with id or name ${idOrName}`);
  throw new UsageError('the project has no model yet. Train one with: kindred train');
}
