// Every call of the service as a method, named like its path: `/create-user-dataset` is `createUserDataset`.
import { type AnswerOf, OPERATIONS, type OperationPath, type RequestOf } from './operations.ts';
import { type CallOptions, type KindredOptions, Transport } from './transport.ts';

export class KindredCalls {
  protected readonly transport: Transport;

  constructor(options: KindredOptions) {
    this.transport = new Transport(options);
  }

  get baseUrl(): string {
    return this.transport.baseUrl;
  }

  /** Any call by its path; the methods below are this with a name. */
  call<Path extends OperationPath>(
    path: Path,
    request: RequestOf<Path>,
    options?: CallOptions,
  ): Promise<AnswerOf<Path>> {
    const { method, repeatable } = OPERATIONS[path];
    const content = method === 'GET' ? { query: request } : { body: request };
    return this.transport.call({ method, operation: path, repeatable, ...content }, options);
  }

  // Datasets of users

  createUserDataset(
    request: RequestOf<'/create-user-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/create-user-dataset'>> {
    return this.call('/create-user-dataset', request, options);
  }

  getUserDataset(
    request: RequestOf<'/get-user-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-user-dataset'>> {
    return this.call('/get-user-dataset', request, options);
  }

  listUserDatasets(
    request: RequestOf<'/list-user-datasets'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/list-user-datasets'>> {
    return this.call('/list-user-datasets', request, options);
  }

  updateUserDataset(
    request: RequestOf<'/update-user-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/update-user-dataset'>> {
    return this.call('/update-user-dataset', request, options);
  }

  deleteUserDataset(
    request: RequestOf<'/delete-user-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-user-dataset'>> {
    return this.call('/delete-user-dataset', request, options);
  }

  upsertDatasetUsers(
    request: RequestOf<'/upsert-dataset-users'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/upsert-dataset-users'>> {
    return this.call('/upsert-dataset-users', request, options);
  }

  deleteDatasetUsers(
    request: RequestOf<'/delete-dataset-users'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-dataset-users'>> {
    return this.call('/delete-dataset-users', request, options);
  }

  // Datasets of items

  createItemDataset(
    request: RequestOf<'/create-item-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/create-item-dataset'>> {
    return this.call('/create-item-dataset', request, options);
  }

  getItemDataset(
    request: RequestOf<'/get-item-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-item-dataset'>> {
    return this.call('/get-item-dataset', request, options);
  }

  listItemDatasets(
    request: RequestOf<'/list-item-datasets'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/list-item-datasets'>> {
    return this.call('/list-item-datasets', request, options);
  }

  updateItemDataset(
    request: RequestOf<'/update-item-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/update-item-dataset'>> {
    return this.call('/update-item-dataset', request, options);
  }

  deleteItemDataset(
    request: RequestOf<'/delete-item-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-item-dataset'>> {
    return this.call('/delete-item-dataset', request, options);
  }

  upsertDatasetItems(
    request: RequestOf<'/upsert-dataset-items'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/upsert-dataset-items'>> {
    return this.call('/upsert-dataset-items', request, options);
  }

  deleteDatasetItems(
    request: RequestOf<'/delete-dataset-items'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-dataset-items'>> {
    return this.call('/delete-dataset-items', request, options);
  }

  // Datasets of events

  createEventDataset(
    request: RequestOf<'/create-event-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/create-event-dataset'>> {
    return this.call('/create-event-dataset', request, options);
  }

  getEventDataset(
    request: RequestOf<'/get-event-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-event-dataset'>> {
    return this.call('/get-event-dataset', request, options);
  }

  listEventDatasets(
    request: RequestOf<'/list-event-datasets'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/list-event-datasets'>> {
    return this.call('/list-event-datasets', request, options);
  }

  updateEventDataset(
    request: RequestOf<'/update-event-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/update-event-dataset'>> {
    return this.call('/update-event-dataset', request, options);
  }

  deleteEventDataset(
    request: RequestOf<'/delete-event-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-event-dataset'>> {
    return this.call('/delete-event-dataset', request, options);
  }

  upsertDatasetEvents(
    request: RequestOf<'/upsert-dataset-events'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/upsert-dataset-events'>> {
    return this.call('/upsert-dataset-events', request, options);
  }

  deleteDatasetUserEvents(
    request: RequestOf<'/delete-dataset-user-events'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-dataset-user-events'>> {
    return this.call('/delete-dataset-user-events', request, options);
  }

  deleteDatasetEventsBeforeTs(
    request: RequestOf<'/delete-dataset-events-before-ts'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-dataset-events-before-ts'>> {
    return this.call('/delete-dataset-events-before-ts', request, options);
  }

  getDatasetRecord(
    request: RequestOf<'/get-dataset-record'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-dataset-record'>> {
    return this.call('/get-dataset-record', request, options);
  }

  // Projects and algorithms

  createProject(request: RequestOf<'/create-project'>, options?: CallOptions): Promise<AnswerOf<'/create-project'>> {
    return this.call('/create-project', request, options);
  }

  getProject(request: RequestOf<'/get-project'>, options?: CallOptions): Promise<AnswerOf<'/get-project'>> {
    return this.call('/get-project', request, options);
  }

  listProjects(request: RequestOf<'/list-projects'> = {}, options?: CallOptions): Promise<AnswerOf<'/list-projects'>> {
    return this.call('/list-projects', request, options);
  }

  deleteProject(request: RequestOf<'/delete-project'>, options?: CallOptions): Promise<AnswerOf<'/delete-project'>> {
    return this.call('/delete-project', request, options);
  }

  createAlgorithm(
    request: RequestOf<'/create-algorithm'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/create-algorithm'>> {
    return this.call('/create-algorithm', request, options);
  }

  getAlgorithm(request: RequestOf<'/get-algorithm'>, options?: CallOptions): Promise<AnswerOf<'/get-algorithm'>> {
    return this.call('/get-algorithm', request, options);
  }

  listAlgorithms(request: RequestOf<'/list-algorithms'>, options?: CallOptions): Promise<AnswerOf<'/list-algorithms'>> {
    return this.call('/list-algorithms', request, options);
  }

  deleteAlgorithm(
    request: RequestOf<'/delete-algorithm'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-algorithm'>> {
    return this.call('/delete-algorithm', request, options);
  }

  // Jobs

  submitTrainingJob(
    request: RequestOf<'/submit-training-job'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/submit-training-job'>> {
    return this.call('/submit-training-job', request, options);
  }

  submitDeploymentJob(
    request: RequestOf<'/submit-deployment-job'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/submit-deployment-job'>> {
    return this.call('/submit-deployment-job', request, options);
  }

  submitQueryingJob(
    request: RequestOf<'/submit-querying-job'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/submit-querying-job'>> {
    return this.call('/submit-querying-job', request, options);
  }

  submitClusteringJob(
    request: RequestOf<'/submit-clustering-job'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/submit-clustering-job'>> {
    return this.call('/submit-clustering-job', request, options);
  }

  getJob(request: RequestOf<'/get-job'>, options?: CallOptions): Promise<AnswerOf<'/get-job'>> {
    return this.call('/get-job', request, options);
  }

  listJobs(request: RequestOf<'/list-jobs'>, options?: CallOptions): Promise<AnswerOf<'/list-jobs'>> {
    return this.call('/list-jobs', request, options);
  }

  cancelJob(request: RequestOf<'/cancel-job'>, options?: CallOptions): Promise<AnswerOf<'/cancel-job'>> {
    return this.call('/cancel-job', request, options);
  }

  // Models and deployments

  updateModel(request: RequestOf<'/update-model'>, options?: CallOptions): Promise<AnswerOf<'/update-model'>> {
    return this.call('/update-model', request, options);
  }

  getModel(request: RequestOf<'/get-model'>, options?: CallOptions): Promise<AnswerOf<'/get-model'>> {
    return this.call('/get-model', request, options);
  }

  listModels(request: RequestOf<'/list-models'>, options?: CallOptions): Promise<AnswerOf<'/list-models'>> {
    return this.call('/list-models', request, options);
  }

  deleteModel(request: RequestOf<'/delete-model'>, options?: CallOptions): Promise<AnswerOf<'/delete-model'>> {
    return this.call('/delete-model', request, options);
  }

  shutdownDeployment(
    request: RequestOf<'/shutdown-deployment'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/shutdown-deployment'>> {
    return this.call('/shutdown-deployment', request, options);
  }

  // Recommendations and the account

  getAccount(request: RequestOf<'/get-account'> = {}, options?: CallOptions): Promise<AnswerOf<'/get-account'>> {
    return this.call('/get-account', request, options);
  }
}
