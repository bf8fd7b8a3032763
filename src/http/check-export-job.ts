// Checks an export job at submission and fills in its defaults.

import type { Static } from 'typebox';
import { type ExportJobData, isOfModel } from '../domain/export-job.ts';
import { invalidField } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { modelsOf } from './check-recommendation-job.ts';
import { projectById } from './find-project.ts';
import type { SubmitExportJobBody } from './schemas/jobs.ts';

type Body = Static<typeof SubmitExportJobBody>;

export async function exportJobData(
  store: Pick<Store, 'projects' | 'models' | 'deployments'>,
  accountId: string,
  body: Body,
): Promise<ExportJobData> {
  const { what, model_id, format = 'jsonl', destination = null } = body;
  await projectById(store.projects, accountId, body.project_id);
  if (isOfModel(what))
    return { what, format, destination, model_id: (await modelsOf(store, accountId, body)).model_id };
  if (model_id !== undefined) {
    const message = `does not go with ${what}, which do not come from a model: leave it out`;
    throw invalidField('/model_id', message);
  }
  return { what, format, destination, model_id: null };
}
