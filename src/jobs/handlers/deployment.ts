// Deployment: announce the models, wait until every live API node has loaded them, switch, wait until every live node serves
// them. A model that cannot be read, here or on any node, fails the job before the switch, and what was deployed keeps serving.
// After an interruption it resumes: a job that had already switched only waits for the nodes.
import { ArtifactError } from '../../artifact/format.ts';
import { readArtifact } from '../../artifact/read-artifact.ts';
import { projectStateOf, waitForNodes } from '../../cluster/node-watch.ts';
import { JobFailure } from '../../domain/job.ts';
import { BlobNotFound } from '../../store/blob-store.ts';
import type { StoredDeployment } from '../../store/deployment-store.ts';
import type { Publication } from '../../store/job-queue.ts';
import type { NodeProjectState } from '../../store/node-store.ts';
import type { JobContext } from '../job-handler.ts';

/** A live node that does not follow within this time is an unexpected error. */
const PATIENCE_MS = 10 * 60_000;

/** The data of a deployment job. */
export interface DeploymentJobData extends Record<string, unknown> {
  generator_model_id: string;
  ranker_model_id: string | null;
  /** null: the current qps of the project, or the plan's maximum */
  qps: number | null;
}

/** `checkFile` throws an ArtifactError if a model's file is damaged. */
export async function deploy(
  context: JobContext,
  checkFile: (file: string) => Promise<unknown> = readArtifact,
): Promise<Publication> {
  const { job, store } = context;
  const switched = (await store.deployments.activatedBy(job.job_id)) ?? (await switchTo(context, checkFile));
  await forEveryNode(context, switched, 0.8, (state) => state.serving >= switched.version);
  return { result: { serving_path: `/projects/${job.project_id}`, qps: switched.qps } };
}

async function switchTo(context: JobContext, checkFile: (file: string) => Promise<unknown>): Promise<StoredDeployment> {
  const { job, lease, store, runtime } = context;
  const { deployments } = store;
  const { generator_model_id, ranker_model_id, qps } = job.job_data as DeploymentJobData;
  await readModels(context, [generator_model_id, ranker_model_id], checkFile);
  const candidate = await deployments.announce(lease, {
    account_id: job.account_id,
    project_id: job.project_id,
    generator_model_id,
    ranker_model_id,
    qps,
    job_id: job.job_id,
    created_ts: runtime.nowMs(),
  });
  if (candidate === 'missing-model') throw missingModel(generator_model_id, ranker_model_id);
  if (candidate === 'lost') throw new Error('The lease was lost.');
  try {
    await forEveryNode(context, candidate, 0.4, (state) => state.prepared >= candidate.version);
    if (!(await deployments.activate(lease, candidate, runtime.nowMs()))) throw new Error('The lease was lost.');
    return candidate;
  } catch (error) {
    await deployments.withdraw(candidate);
    throw error;
  }
}

async function readModels(
  context: JobContext,
  modelIds: readonly (string | null)[],
  checkFile: (file: string) => Promise<unknown>,
): Promise<void> {
  const { job, store, blobs, progress, signal } = context;
  for (const modelId of modelIds) {
    if (modelId === null) continue;
    signal.throwIfAborted();
    progress({ fraction: 0.1, phase: 'check', message: `Checking the file of model ${modelId}.` });
    const model = await store.models.get(job.account_id, job.project_id, modelId);
    if (model === null) throw missingModel(modelId);
    let file = '';
    try {
      file = await blobs.localFile(model.artifact_key);
      await checkFile(file);
    } catch (error) {
      if (error instanceof ArtifactError) {
        throw new JobFailure('MODEL_UNREADABLE', error.message.replaceAll(file, `The file of model ${modelId}`));
      }
      if (error instanceof BlobNotFound) {
        const isDeleted = (await store.models.get(job.account_id, job.project_id, modelId)) === null;
        if (isDeleted) throw missingModel(modelId);
        throw new JobFailure('MODEL_UNREADABLE', `The file of model ${modelId} is missing. Train the model again.`);
      }
      throw error;
    }
  }
}

function missingModel(...modelIds: (string | null)[]): JobFailure {
  const named = modelIds.filter((id) => id !== null).join(' or ');
  return new JobFailure('MODEL_NOT_FOUND', `Model ${named} was deleted before it could be deployed.`);
}

/** Waits until every live API node has reached the state. A node that cannot load the models fails the job. */
async function forEveryNode(
  { store, signal, progress, runtime }: JobContext,
  deployment: StoredDeployment,
  fraction: number,
  reached: (state: NodeProjectState) => boolean,
): Promise<void> {
  const all = await waitForNodes({
    nodes: store.nodes,
    reached: (node) => reached(projectStateOf(node, deployment.project_id)),
    signal,
    patienceMs: PATIENCE_MS,
    runtime,
    onLook({ live, behind }, nodes) {
      const states = nodes.map((node) => projectStateOf(node, deployment.project_id));
      const failed = states.find((state) => state.failed?.version === deployment.version)?.failed;
      if (failed) throw new JobFailure('MODEL_UNREADABLE', `An API node cannot load the deployment. ${failed.message}`);
      progress({ fraction, phase: 'nodes', message: `${live - behind} of ${live} API nodes are ready.` });
    },
  });
  if (!all) throw new Error('An API node that is alive did not follow in time.');
}
