// Fills an empty service with what a kept release holds, through the public API as a customer would: two accounts, datasets,
// projects, algorithms, two models of which one is deployed, finished jobs of every type and a failed one.
import { Kindred, KindredJobError } from '../../src/client/index.ts';
import type { KeptAccounts, KeptCredentials, KeptIds } from './kept-release.ts';
import { releaseEvents, releaseItems, releaseUsers } from './release-content.ts';

type FirstAccounts = Pick<KeptAccounts, 'default' | 'second'>;

export async function fillRelease(
  baseUrl: string,
  first: FirstAccounts,
): Promise<{ accounts: KeptAccounts; ids: KeptIds }> {
  const shop = clientOf(baseUrl, first.default);
  const revoked = await createRevokedKey(shop);
  const second = await createSecondTenant(clientOf(baseUrl, first.second));
  const datasets = await createDatasets(shop);
  const projects = await createProjects(shop, datasets);
  const jobs = await runJobs(shop, projects);
  await failOnPurpose(shop, projects.project_without_target);
  await deleteSome(shop, datasets);
  return { accounts: { ...first, revoked }, ids: { ...second, ...datasets, ...projects, ...jobs } };
}

export function clientOf(baseUrl: string, { api_key, client_secret }: KeptCredentials): Kindred {
  return new Kindred({ baseUrl, apiKey: api_key, clientSecret: client_secret });
}

async function createRevokedKey(shop: Kindred): Promise<KeptCredentials> {
  const { key_id, api_key, client_secret } = await shop.createApiKey({ name: 'revoked' });
  await shop.disableApiKey({ key_id });
  return { api_key, client_secret };
}

/** Another account with records of its own, one of them under an id that the shop uses too. */
async function createSecondTenant(tenant: Kindred) {
  const { item_dataset_id: second_item_dataset_id } = await tenant.createItemDataset({ name: 'books' });
  await tenant.bulkUpsertItems(second_item_dataset_id, [
    { item_id: 'drama-00', attributes: { title: 'A book' } },
    { item_id: 'isbn-1', attributes: { title: 'Another', pages: 321 } },
  ]);
  return { second_item_dataset_id };
}

async function createDatasets(shop: Kindred) {
  const { user_dataset_id } = await shop.createUserDataset({
    name: 'customers',
    num_shards: 1,
    attribute_schema: { age: 'NUMERICAL', region: 'CATEGORICAL' },
  });
  const { item_dataset_id } = await shop.createItemDataset({
    name: 'films',
    num_shards: 2,
    attribute_schema: { genre: 'CATEGORICAL', price: 'NUMERICAL' },
  });
  const { event_dataset_id } = await shop.createEventDataset({
    name: 'clicks and sales',
    num_shards: 3,
    attribute_schema: { device: 'CATEGORICAL' },
  });
  const written = [
    await shop.bulkUpsertUsers(user_dataset_id, releaseUsers()),
    await shop.bulkUpsertItems(item_dataset_id, releaseItems()),
    await shop.bulkUpsertEvents(event_dataset_id, releaseEvents()),
  ];
  for (const { failures } of written) {
    if (failures.length > 0) throw new Error(`records were refused: ${JSON.stringify(failures.slice(0, 3))}`);
  }
  return { user_dataset_id, item_dataset_id, event_dataset_id };
}

async function createProjects(
  shop: Kindred,
  datasets: Record<'user_dataset_id' | 'item_dataset_id' | 'event_dataset_id', string>,
) {
  const project = { project_type: 'RECOMMEND_ITEMS_TO_USER' as const, ...datasets };
  const { project_id } = await shop.createProject({ ...project, name: 'shop', target_event_type: 'purchase' });
  const { project_id: project_without_target } = await shop.createProject({
    ...project,
    name: 'rental',
    target_event_type: 'rent',
  });
  const { algorithm_id } = await shop.createAlgorithm({
    project_id,
    name: 'daily',
    algorithm_type: 'G1',
    // `validation` is what `horizon` was called in 0.1.0.
    algorithm_parameters: { validation: 'last_item', seed: 16, event_type_weights: { view: 0.1 } } as object,
  });
  const { algorithm_id: other_algorithm_id } = await shop.createAlgorithm({
    project_id,
    name: 'few experts',
    algorithm_type: 'G1',
    algorithm_parameters: { experts: ['local_ridge', 'popularity'], local_ridge: { neighbours: 30 }, seed: 1 },
  });
  return { project_id, project_without_target, algorithm_id, other_algorithm_id };
}

async function runJobs(
  shop: Kindred,
  {
    project_id,
    algorithm_id,
    other_algorithm_id,
  }: Record<'project_id' | 'algorithm_id' | 'other_algorithm_id', string>,
) {
  const finish = async (submitted: Promise<{ job_id: string }>) =>
    shop.waitForJob({ project_id, job_id: (await submitted).job_id });
  const train = async (algorithm: string, name: string): Promise<string> => {
    const job = await finish(shop.submitTrainingJob({ project_id, algorithm_id: algorithm, name }));
    return String(job.job_result!.model_id);
  };
  const model_id = await train(algorithm_id, 'deployed');
  const other_model_id = await train(other_algorithm_id, 'kept in reserve');
  await finish(shop.submitDeploymentJob({ project_id, generator_model_id: model_id, qps: 100, name: 'go live' }));
  const querying = await finish(
    shop.submitQueryingJob({
      project_id,
      model_id,
      name: 'who likes drama',
      query_type: 'user_list',
      queries: [{ conditions: [{ attribute: 'genre', value: 'drama', lower_bound: 0.3 }] }],
    }),
  );
  const clustering = await finish(
    shop.submitClusteringJob({
      project_id,
      model_id,
      name: 'groups',
      cluster_type: 'user',
      parameters: { min_user_num: 2 },
    }),
  );
  return { model_id, other_model_id, querying_job_id: querying.job_id, clustering_job_id: clustering.job_id };
}

async function failOnPurpose(shop: Kindred, project_id: string): Promise<void> {
  const { algorithm_id } = await shop.createAlgorithm({ project_id, name: 'no target events', algorithm_type: 'G1' });
  const { job_id } = await shop.submitTrainingJob({ project_id, algorithm_id, name: 'fails' });
  const error = await shop.waitForJob({ project_id, job_id }).catch((reason: unknown) => reason);
  if (!(error instanceof KindredJobError)) throw new Error('training without target events must fail');
}

/** After the training, so that the model knows an item that the dataset no longer holds. */
async function deleteSome(
  shop: Kindred,
  datasets: Record<'user_dataset_id' | 'item_dataset_id' | 'event_dataset_id', string>,
): Promise<void> {
  const { user_dataset_id, item_dataset_id, event_dataset_id } = datasets;
  await shop.deleteDatasetItems({ item_dataset_id, item_ids: ['drama-00'] });
  await shop.deleteDatasetUsers({ user_dataset_id, user_ids: ['leaver'] });
  await shop.deleteDatasetUserEvents({ event_dataset_id, user_id: 'leaver' });
}
