// The client: every call (calls.ts) and the helpers one wants around them: bulk upserts, following jobs, paging, downloads.
import type {
  Algorithm,
  AuditEntry,
  EventDataset,
  EventRecord,
  EventRecordInput,
  ItemDataset,
  ItemRecord,
  ItemRecordInput,
  Job,
  JobResultFile,
  Model,
  Project,
  UserDataset,
  UserRecord,
  UserRecordInput,
} from './api-types.ts';
import { type BulkOptions, type BulkResult, bulkUpsert } from './bulk-upsert.ts';
import { KindredCalls } from './calls.ts';
import type { AnswerOf, RequestOf } from './operations.ts';
import type { AnyIterable } from './parallel.ts';
import type { CallOptions, SaveChunks } from './transport.ts';
import { type WaitOptions, waitForJob } from './wait-for-job.ts';

/** A finished job, or just its link. */
export type ResultLink = Pick<Job, 'job_result'> | { download_url: string };

/** Formats of querying and clustering jobs. Links of other jobs include their format. */
type ResultFormat = 'json' | 'csv' | 'svg';

type KeyResponse = AnswerOf<'/create-api-key'>;

/** A secret key, which is the default, has a secret; a browser key has none. */
export type CreatedKey<Request> = Request extends { kind: 'browser' }
  ? KeyResponse & { client_secret?: undefined }
  : Request extends { kind: 'secret' }
    ? KeyResponse & { client_secret: string }
    : 'kind' extends keyof Request
      ? KeyResponse
      : KeyResponse & { client_secret: string };

export class Kindred extends KindredCalls {
  /** Create an API key. The key and secret are in this response only; a browser key has no secret. */
  override createApiKey<Request extends RequestOf<'/create-api-key'>>(
    request: Request,
    options?: CallOptions,
  ): Promise<CreatedKey<Request>> {
    return super.createApiKey(request, options) as Promise<CreatedKey<Request>>;
  }

  /** The scopes of the key: paths of operations, or `*` for all of them. Needs the client secret. */
  scopes(): Promise<string[]> {
    return this.transport.scopes();
  }

  // Bulk

  /** Upserts any number of users, in parallel batches; refused records are reported, not thrown. */
  bulkUpsertUsers(
    userDatasetId: string,
    users: AnyIterable<UserRecordInput>,
    options?: BulkOptions<UserRecordInput>,
  ): Promise<BulkResult<UserRecordInput>> {
    return this.#bulk('users', { user_dataset_id: userDatasetId }, users, options);
  }

  bulkUpsertItems(
    itemDatasetId: string,
    items: AnyIterable<ItemRecordInput>,
    options?: BulkOptions<ItemRecordInput>,
  ): Promise<BulkResult<ItemRecordInput>> {
    return this.#bulk('items', { item_dataset_id: itemDatasetId }, items, options);
  }

  bulkUpsertEvents(
    eventDatasetId: string,
    events: AnyIterable<EventRecordInput>,
    options?: BulkOptions<EventRecordInput>,
  ): Promise<BulkResult<EventRecordInput>> {
    return this.#bulk('events', { event_dataset_id: eventDatasetId }, events, options);
  }

  #bulk<Record>(
    kind: 'users' | 'items' | 'events',
    head: object,
    records: AnyIterable<Record>,
    options?: BulkOptions<Record>,
  ): Promise<BulkResult<Record>> {
    const operation = `/upsert-dataset-${kind}` as const;
    const opening = `${JSON.stringify(head).slice(0, -1)},"${kind}":[`;
    return bulkUpsert(
      records,
      (recordsJson, signal) =>
        this.transport.call(
          { method: 'POST', operation, repeatable: true, body: `${opening}${recordsJson}]}` },
          { signal },
        ),
      options,
    );
  }

  // Jobs to their end

  /** Resolves when the job succeeded; throws KindredJobError when it failed or was canceled. */
  waitForJob(job: { project_id: string; job_id: string }, options: WaitOptions = {}): Promise<Job> {
    const request = { project_id: job.project_id, job_id: job.job_id };
    return waitForJob(() => this.getJob(request, { signal: options.signal }), options);
  }

  /** The result file of a querying or clustering job; `csv` and `svg` return text. */
  downloadResult<Result extends JobResultFile = JobResultFile>(
    job: ResultLink,
    format?: 'json',
    options?: CallOptions,
  ): Promise<Result>;
  downloadResult(job: ResultLink, format: 'csv' | 'svg', options?: CallOptions): Promise<string>;
  async downloadResult(job: ResultLink, format: ResultFormat = 'json', options?: CallOptions): Promise<unknown> {
    return this.transport.download(resultUrl(job, format), format === 'json' ? 'json' : 'text', options);
  }

  /** The result file of any job, of any size, as it arrives. `save` gets it from its start again if the connection is lost on the way. */
  streamResult(
    job: ResultLink,
    save: SaveChunks,
    { format = 'json', ...options }: CallOptions & { format?: ResultFormat } = {},
  ): Promise<void> {
    return this.transport.stream(resultUrl(job, format), save, options);
  }

  // Lists to their end, page by page

  iterateUserDatasets(): AsyncGenerator<UserDataset> {
    return this.#pages((page) => this.listUserDatasets(page), 'user_datasets');
  }

  iterateItemDatasets(): AsyncGenerator<ItemDataset> {
    return this.#pages((page) => this.listItemDatasets(page), 'item_datasets');
  }

  iterateEventDatasets(): AsyncGenerator<EventDataset> {
    return this.#pages((page) => this.listEventDatasets(page), 'event_datasets');
  }

  iterateProjects(): AsyncGenerator<Project> {
    return this.#pages((page) => this.listProjects(page), 'projects');
  }

  iterateAlgorithms(request: { project_id: string }): AsyncGenerator<Algorithm> {
    return this.#pages((page) => this.listAlgorithms({ ...request, ...page }), 'algorithms');
  }

  iterateModels(request: { project_id: string }): AsyncGenerator<Model> {
    return this.#pages((page) => this.listModels({ ...request, ...page }), 'models');
  }

  iterateJobs(request: Omit<RequestOf<'/list-jobs'>, 'page_token'>): AsyncGenerator<Job> {
    return this.#pages((page) => this.listJobs({ ...request, ...page }), 'jobs');
  }

  iterateAuditEntries(request: Omit<RequestOf<'/list-audit-entries'>, 'page_token'> = {}): AsyncGenerator<AuditEntry> {
    return this.#pages((page) => this.listAuditEntries({ ...request, ...page }), 'audit_entries');
  }

  /** Records of a dataset, newest first; of users and items those that hold `search`, of events those of one user. */
  iterateDatasetRecords(
    request: Omit<RequestOf<'/list-dataset-records'>, 'page_token'>,
  ): AsyncGenerator<UserRecord | ItemRecord | EventRecord> {
    return this.#pages((page) => this.listDatasetRecords({ ...request, ...page }), 'records');
  }

  async *#pages<Key extends string, Entry>(
    list: (page: { page_token?: string }) => Promise<{ next_page_token: string | null } & Record<Key, Entry[]>>,
    key: Key,
  ): AsyncGenerator<Entry> {
    let page: { page_token?: string } = {};
    for (;;) {
      const response = await list(page);
      yield* response[key];
      if (!response.next_page_token) return;
      page = { page_token: response.next_page_token };
    }
  }
}

function resultUrl(job: ResultLink, format: ResultFormat): string {
  const link = 'download_url' in job ? job.download_url : job.job_result?.download_url;
  if (typeof link !== 'string') throw new TypeError('The job has no result to download: it must have succeeded first');
  const url = new URL(link);
  if (format !== 'json') url.searchParams.set('format', format);
  return url.href;
}
