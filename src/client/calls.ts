// Made by "npm run generate" from the API description; not edited by hand.
// Every call of the service as a method, named like its path: `/create-user-dataset` is `createUserDataset`.
import { OperationCaller } from './operation-caller.ts';
import type { AnswerOf, RequestOf } from './operations.ts';
import type { CallOptions, ServingOptions } from './transport.ts';

export class KindredCalls extends OperationCaller {
  /** Create a user dataset */
  createUserDataset(
    request: RequestOf<'/create-user-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/create-user-dataset'>> {
    return this.call('/create-user-dataset', request, options);
  }

  /** Read its configuration and count */
  getUserDataset(
    request: RequestOf<'/get-user-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-user-dataset'>> {
    return this.call('/get-user-dataset', request, options);
  }

  /** List the account's, newest first */
  listUserDatasets(
    request: RequestOf<'/list-user-datasets'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/list-user-datasets'>> {
    return this.call('/list-user-datasets', request, options);
  }

  /** Change its name or attribute schema. Missing fields keep their value. A new attribute schema applies to records upserted from now on. */
  updateUserDataset(
    request: RequestOf<'/update-user-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/update-user-dataset'>> {
    return this.call('/update-user-dataset', request, options);
  }

  /** Delete it with all its records. Fails while a project uses it. Returns its last configuration. */
  deleteUserDataset(
    request: RequestOf<'/delete-user-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-user-dataset'>> {
    return this.call('/delete-user-dataset', request, options);
  }

  /** Create an item dataset */
  createItemDataset(
    request: RequestOf<'/create-item-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/create-item-dataset'>> {
    return this.call('/create-item-dataset', request, options);
  }

  /** Read its configuration and count */
  getItemDataset(
    request: RequestOf<'/get-item-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-item-dataset'>> {
    return this.call('/get-item-dataset', request, options);
  }

  /** List the account's, newest first */
  listItemDatasets(
    request: RequestOf<'/list-item-datasets'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/list-item-datasets'>> {
    return this.call('/list-item-datasets', request, options);
  }

  /** Change its name or attribute schema. Missing fields keep their value. A new attribute schema applies to records upserted from now on. */
  updateItemDataset(
    request: RequestOf<'/update-item-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/update-item-dataset'>> {
    return this.call('/update-item-dataset', request, options);
  }

  /** Delete it with all its records. Fails while a project uses it. Returns its last configuration. */
  deleteItemDataset(
    request: RequestOf<'/delete-item-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-item-dataset'>> {
    return this.call('/delete-item-dataset', request, options);
  }

  /** Create an event dataset */
  createEventDataset(
    request: RequestOf<'/create-event-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/create-event-dataset'>> {
    return this.call('/create-event-dataset', request, options);
  }

  /** Read its configuration and count */
  getEventDataset(
    request: RequestOf<'/get-event-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-event-dataset'>> {
    return this.call('/get-event-dataset', request, options);
  }

  /** List the account's, newest first */
  listEventDatasets(
    request: RequestOf<'/list-event-datasets'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/list-event-datasets'>> {
    return this.call('/list-event-datasets', request, options);
  }

  /** Change its name or attribute schema. Missing fields keep their value. A new attribute schema applies to records upserted from now on. */
  updateEventDataset(
    request: RequestOf<'/update-event-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/update-event-dataset'>> {
    return this.call('/update-event-dataset', request, options);
  }

  /** Delete it with all its records. Fails while a project uses it. Returns its last configuration. */
  deleteEventDataset(
    request: RequestOf<'/delete-event-dataset'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-event-dataset'>> {
    return this.call('/delete-event-dataset', request, options);
  }

  /** Insert or replace users. Inserts or replaces whole records by id, up to 1,000 per call. Each record succeeds or fails on its own; `failures` says why. If an id is sent twice, the last record wins. Succeeded records are on disk when the call returns. */
  upsertDatasetUsers(
    request: RequestOf<'/upsert-dataset-users'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/upsert-dataset-users'>> {
    return this.call('/upsert-dataset-users', request, options);
  }

  /** Change single attributes of users. Sets and removes attributes without the rest of the record, up to 1,000 users per call. The next call sees the change. Each record changes whole or not at all; `failures` says why one did not. A user without a record fails with `RECORD_NOT_FOUND`: upsert it first. Patches of one id in a call are applied in their order, together. Patches and upserts of one record that run at the same time are applied one after the other, each to the whole record as the one before left it. */
  patchDatasetUsers(
    request: RequestOf<'/patch-dataset-users'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/patch-dataset-users'>> {
    return this.call('/patch-dataset-users', request, options);
  }

  /** Insert or replace items. Inserts or replaces whole records by id, up to 1,000 per call. Each record succeeds or fails on its own; `failures` says why. If an id is sent twice, the last record wins. Succeeded records are on disk when the call returns. */
  upsertDatasetItems(
    request: RequestOf<'/upsert-dataset-items'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/upsert-dataset-items'>> {
    return this.call('/upsert-dataset-items', request, options);
  }

  /** Change single attributes of items. Sets and removes attributes without the rest of the record, up to 1,000 items per call. The next call sees the change. Each record changes whole or not at all; `failures` says why one did not. An item without a record fails with `RECORD_NOT_FOUND`: upsert it first. Patches of one id in a call are applied in their order, together. Patches and upserts of one record that run at the same time are applied one after the other, each to the whole record as the one before left it. */
  patchDatasetItems(
    request: RequestOf<'/patch-dataset-items'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/patch-dataset-items'>> {
    return this.call('/patch-dataset-items', request, options);
  }

  /** Insert or replace events. Inserts or replaces whole records by id, up to 1,000 per call. Each record succeeds or fails on its own; `failures` says why. If an id is sent twice, the last record wins. Succeeded records are on disk when the call returns. An event over 20,480 bytes of JSON fails without affecting the others. `warnings` lists events that were stored but look like mistakes: a time before 2000 or more than a day ahead and, once the dataset has 10,000 events, an item or a type that is new and resembles a known one. */
  upsertDatasetEvents(
    request: RequestOf<'/upsert-dataset-events'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/upsert-dataset-events'>> {
    return this.call('/upsert-dataset-events', request, options);
  }

  /** Store a few events of one visitor. For web pages, with a browser key (`?key=`), and for servers. Takes up to 20 events into the event dataset of the project. Each event succeeds or fails alone and has at most 4096 bytes. The stored event ids are made by the service from the visitor and what was sent, so a request that is sent again stores its events once if they have an `event_id` or a `ts`, else within the same minute. JSON may be sent as `text/plain`, as `navigator.sendBeacon` does. */
  track(request: RequestOf<'/track'>, options?: CallOptions): Promise<AnswerOf<'/track'>> {
    return this.call('/track', request, options);
  }

  /** Delete users by id. Unknown ids are skipped; `deleted_count` counts the records that were deleted. To remove a person, delete the user and the events of the user. Results that can still be downloaded then say `[deleted]` in place of the id. */
  deleteDatasetUsers(
    request: RequestOf<'/delete-dataset-users'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-dataset-users'>> {
    return this.call('/delete-dataset-users', request, options);
  }

  /** Delete items by id. Unknown ids are skipped; `deleted_count` counts the records that were deleted. */
  deleteDatasetItems(
    request: RequestOf<'/delete-dataset-items'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-dataset-items'>> {
    return this.call('/delete-dataset-items', request, options);
  }

  /** Delete events by id. Unknown ids are skipped; `deleted_count` counts the records that were deleted. */
  deleteDatasetEvents(
    request: RequestOf<'/delete-dataset-events'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-dataset-events'>> {
    return this.call('/delete-dataset-events', request, options);
  }

  /** Delete all events of a user. To remove a person, delete the user and the events of the user. Results that can still be downloaded then say `[deleted]` in place of the id. */
  deleteDatasetUserEvents(
    request: RequestOf<'/delete-dataset-user-events'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-dataset-user-events'>> {
    return this.call('/delete-dataset-user-events', request, options);
  }

  /** Delete old events. Deletes events with start_ts ≤ ts of the event < ts. With `dry_run` only counts them. */
  deleteDatasetEventsBeforeTs(
    request: RequestOf<'/delete-dataset-events-before-ts'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-dataset-events-before-ts'>> {
    return this.call('/delete-dataset-events-before-ts', request, options);
  }

  /** Merge a visitor into a user. All events of `from_user_id` become events of `into_user_id`, with their ids and times, in the event dataset of the project. The records in its user dataset become one: where both have an attribute, `into_user_id` keeps its own; one that is null counts as missing. Nothing is left of `from_user_id`. Takes effect at once on every node. `into_user_id` may be new. Safe to send again: if nothing is stored about `from_user_id` (any more), `merged_events` is 0. Events that arrive later under `from_user_id` are a new visitor's; call again to merge them. */
  mergeUsers(request: RequestOf<'/merge-users'>, options?: CallOptions): Promise<AnswerOf<'/merge-users'>> {
    return this.call('/merge-users', request, options);
  }

  /** Read one user, item or event. With `event_dataset_id` and `event_id`, or the user or item pair. */
  getDatasetRecord(
    request: RequestOf<'/get-dataset-record'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-dataset-record'>> {
    return this.call('/get-dataset-record', request, options);
  }

  /** List records, newest first. Users and items are sorted by time of writing; `search` keeps those with this text in their id or attributes, ignoring the case of A–Z. On PostgreSQL, a search in attributes also ignores the case of other letters in the locale of the database. Events are sorted by `ts`; `user_id` keeps those of one user. A page of large records may be shorter than `page_size`. */
  listDatasetRecords(
    request: RequestOf<'/list-dataset-records'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/list-dataset-records'>> {
    return this.call('/list-dataset-records', request, options);
  }

  /** Events by type and over time. The 1,000 most frequent types. */
  getEventStatistics(
    request: RequestOf<'/get-event-statistics'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-event-statistics'>> {
    return this.call('/get-event-statistics', request, options);
  }

  /** Values of each attribute, from a sample. At most about 20,000 of the newest records are looked at, fewer where they are large; `sampled_records` says how many. */
  getAttributeStatistics(
    request: RequestOf<'/get-attribute-statistics'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-attribute-statistics'>> {
    return this.call('/get-attribute-statistics', request, options);
  }

  /** Create a project */
  createProject(request: RequestOf<'/create-project'>, options?: CallOptions): Promise<AnswerOf<'/create-project'>> {
    return this.call('/create-project', request, options);
  }

  /** Read a project */
  getProject(request: RequestOf<'/get-project'>, options?: CallOptions): Promise<AnswerOf<'/get-project'>> {
    return this.call('/get-project', request, options);
  }

  /** List the account's projects, newest first */
  listProjects(request: RequestOf<'/list-projects'> = {}, options?: CallOptions): Promise<AnswerOf<'/list-projects'>> {
    return this.call('/list-projects', request, options);
  }

  /** Change the name of a project, its automation, its assist window, or how it reads messages of Segment. What is left out stays. `segment_mapping: null` goes back to the defaults, `automation: null` switches it off. */
  updateProject(request: RequestOf<'/update-project'>, options?: CallOptions): Promise<AnswerOf<'/update-project'>> {
    return this.call('/update-project', request, options);
  }

  /** Delete a project with its algorithms, models and jobs. Fails while it is deployed or has an unfinished job. Results of its jobs can no longer be downloaded. Its datasets are kept. */
  deleteProject(request: RequestOf<'/delete-project'>, options?: CallOptions): Promise<AnswerOf<'/delete-project'>> {
    return this.call('/delete-project', request, options);
  }

  /** Create an algorithm configuration. An empty `algorithm_parameters` lets the service choose all of them from the data. */
  createAlgorithm(
    request: RequestOf<'/create-algorithm'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/create-algorithm'>> {
    return this.call('/create-algorithm', request, options);
  }

  /** Read an algorithm configuration */
  getAlgorithm(request: RequestOf<'/get-algorithm'>, options?: CallOptions): Promise<AnswerOf<'/get-algorithm'>> {
    return this.call('/get-algorithm', request, options);
  }

  /** List a project's algorithm configurations, newest first */
  listAlgorithms(request: RequestOf<'/list-algorithms'>, options?: CallOptions): Promise<AnswerOf<'/list-algorithms'>> {
    return this.call('/list-algorithms', request, options);
  }

  /** Delete an algorithm configuration. Models trained with it are kept. */
  deleteAlgorithm(
    request: RequestOf<'/delete-algorithm'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-algorithm'>> {
    return this.call('/delete-algorithm', request, options);
  }

  /** Train a model with an algorithm */
  submitTrainingJob(
    request: RequestOf<'/submit-training-job'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/submit-training-job'>> {
    return this.call('/submit-training-job', request, options);
  }

  /** Deploy a model, or a generator and a ranker. The job succeeds when every API node serves the new model or models. The previous deployment serves until then; no call fails during the switch. */
  submitDeploymentJob(
    request: RequestOf<'/submit-deployment-job'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/submit-deployment-job'>> {
    return this.call('/submit-deployment-job', request, options);
  }

  /** Find users who prefer an attribute value, or how popular it is */
  submitQueryingJob(
    request: RequestOf<'/submit-querying-job'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/submit-querying-job'>> {
    return this.call('/submit-querying-job', request, options);
  }

  /** Group users of similar taste */
  submitClusteringJob(
    request: RequestOf<'/submit-clustering-job'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/submit-clustering-job'>> {
    return this.call('/submit-clustering-job', request, options);
  }

  /** Recommend items to many users at once, as a file. Each user gets the list that /recommend-items-to-user would return. The job result has `download_url`, good for 24 hours. */
  submitRecommendationJob(
    request: RequestOf<'/submit-recommendation-job'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/submit-recommendation-job'>> {
    return this.call('/submit-recommendation-job', request, options);
  }

  /** Export a dataset, the vectors of a model or a report as a file. Users, items and events come with the fields of the upsert calls: the file can be imported again. The job result has `download_url`, good for 24 hours. */
  submitExportJob(
    request: RequestOf<'/submit-export-job'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/submit-export-job'>> {
    return this.call('/submit-export-job', request, options);
  }

  /** Import a file in S3 into a dataset of a project. Rows become users, items or events of the project, checked as the upsert calls check them. The job result has `kind`, `dataset_id`, `rows`, `stored`, `skipped`, `warnings`, `notes` (what was guessed) and `skipped_rows`, the first 100 with the reason. Importing a file twice stores its records once. */
  submitImportJob(
    request: RequestOf<'/submit-import-job'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/submit-import-job'>> {
    return this.call('/submit-import-job', request, options);
  }

  /** Read a job and its progress */
  getJob(request: RequestOf<'/get-job'>, options?: CallOptions): Promise<AnswerOf<'/get-job'>> {
    return this.call('/get-job', request, options);
  }

  /** List jobs, newest first, of one project or of all */
  listJobs(request: RequestOf<'/list-jobs'> = {}, options?: CallOptions): Promise<AnswerOf<'/list-jobs'>> {
    return this.call('/list-jobs', request, options);
  }

  /** Cancel a job that has not ended */
  cancelJob(request: RequestOf<'/cancel-job'>, options?: CallOptions): Promise<AnswerOf<'/cancel-job'>> {
    return this.call('/cancel-job', request, options);
  }

  /** Read a model */
  getModel(request: RequestOf<'/get-model'>, options?: CallOptions): Promise<AnswerOf<'/get-model'>> {
    return this.call('/get-model', request, options);
  }

  /** List a project's models, newest first */
  listModels(request: RequestOf<'/list-models'>, options?: CallOptions): Promise<AnswerOf<'/list-models'>> {
    return this.call('/list-models', request, options);
  }

  /** Rename a model */
  updateModel(request: RequestOf<'/update-model'>, options?: CallOptions): Promise<AnswerOf<'/update-model'>> {
    return this.call('/update-model', request, options);
  }

  /** Delete a model that is not deployed, with its file */
  deleteModel(request: RequestOf<'/delete-model'>, options?: CallOptions): Promise<AnswerOf<'/delete-model'>> {
    return this.call('/delete-model', request, options);
  }

  /** Read the deployment of a project */
  getDeployment(request: RequestOf<'/get-deployment'>, options?: CallOptions): Promise<AnswerOf<'/get-deployment'>> {
    return this.call('/get-deployment', request, options);
  }

  /** Stop serving a project. Stops serving the project and cancels its unfinished deployment jobs: a deployment submitted before this call never serves after it. Returns when no API node serves the project. */
  shutdownDeployment(
    request: RequestOf<'/shutdown-deployment'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/shutdown-deployment'>> {
    return this.call('/shutdown-deployment', request, options);
  }

  /** List what automation decided about new models, newest first */
  listAutomationDecisions(
    request: RequestOf<'/list-automation-decisions'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/list-automation-decisions'>> {
    return this.call('/list-automation-decisions', request, options);
  }

  /** Read when a project is trained next */
  getAutomationStatus(
    request: RequestOf<'/get-automation-status'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-automation-status'>> {
    return this.call('/get-automation-status', request, options);
  }

  /** Roll back to the model that served before. Submits a deployment job; the current model serves until it has ended, and no call fails. A repeated call returns the same job while it runs. Later calls go further back: give `from_model_id` to roll back only if that model is deployed. */
  rollbackDeployment(
    request: RequestOf<'/rollback-deployment'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/rollback-deployment'>> {
    return this.call('/rollback-deployment', request, options);
  }

  /** Recommend items to a user. Without `project_id` the account's default project is used: the first one deployed, or the one set with /update-account. */
  recommendItemsToUser(
    request: RequestOf<'/recommend-items-to-user'> = {},
    options?: ServingOptions,
  ): Promise<AnswerOf<'/recommend-items-to-user'>> {
    return this.call('/recommend-items-to-user', request, options);
  }

  /** Recommend related items. Alternatives to an item, items that go with it, or items that come after it. Items without events are matched by their attributes. Unknown items are ignored with a warning. */
  recommendItemsToItem(
    request: RequestOf<'/recommend-items-to-item'> = {},
    options?: ServingOptions,
  ): Promise<AnswerOf<'/recommend-items-to-item'>> {
    return this.call('/recommend-items-to-item', request, options);
  }

  /** Sort items for a user. Best first, each with its score. Items that the user dislikes come last with a warning, then items that are unknown or deleted, each in the order given. Every item counts once. */
  rankItemsToUser(
    request: RequestOf<'/rank-items-to-user'>,
    options?: ServingOptions,
  ): Promise<AnswerOf<'/rank-items-to-user'>> {
    return this.call('/rank-items-to-user', request, options);
  }

  /** Get the list of a placement. Fields of the call win over the placement's defaults; filters are joined with AND. Without project_id the account's default project is used. */
  callPlacement(request: RequestOf<'/call-placement'>, options?: ServingOptions): Promise<AnswerOf<'/call-placement'>> {
    return this.call('/call-placement', request, options);
  }

  /** Get several placements, no item twice. A whole page in one call. An item appears once on the page. Fields next to `placements` apply to all of them. */
  composePage(request: RequestOf<'/compose-page'>, options?: ServingOptions): Promise<AnswerOf<'/compose-page'>> {
    return this.call('/compose-page', request, options);
  }

  /** Preview a placement before it is saved. For editors: what a definition would show. Nothing is stored. */
  previewPlacement(
    request: RequestOf<'/preview-placement'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/preview-placement'>> {
    return this.call('/preview-placement', request, options);
  }

  /** Create a placement. A named list of the project that can be changed without a release. */
  createPlacement(
    request: RequestOf<'/create-placement'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/create-placement'>> {
    return this.call('/create-placement', request, options);
  }

  /** Change a placement. What is left out stays; `fatigue: null` switches fatigue off. The change is kept as a new version. Every node uses it when the call returns. */
  updatePlacement(
    request: RequestOf<'/update-placement'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/update-placement'>> {
    return this.call('/update-placement', request, options);
  }

  /** Read a placement */
  getPlacement(request: RequestOf<'/get-placement'>, options?: CallOptions): Promise<AnswerOf<'/get-placement'>> {
    return this.call('/get-placement', request, options);
  }

  /** List a project's placements, newest first */
  listPlacements(request: RequestOf<'/list-placements'>, options?: CallOptions): Promise<AnswerOf<'/list-placements'>> {
    return this.call('/list-placements', request, options);
  }

  /** List the versions of a placement, newest first. Who changed it, when, and what it was. The newest 100 are kept. */
  listPlacementVersions(
    request: RequestOf<'/list-placement-versions'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/list-placement-versions'>> {
    return this.call('/list-placement-versions', request, options);
  }

  /** Roll back a placement to an earlier version. It becomes a new version, so that this can be undone too. */
  rollbackPlacement(
    request: RequestOf<'/rollback-placement'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/rollback-placement'>> {
    return this.call('/rollback-placement', request, options);
  }

  /** Delete a placement with its versions */
  deletePlacement(
    request: RequestOf<'/delete-placement'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/delete-placement'>> {
    return this.call('/delete-placement', request, options);
  }

  /** Compare variants of a placement. Starts immediately. A user always gets the same variant; calls without a user_id take no part. One experiment runs on a placement at a time. */
  createExperiment(
    request: RequestOf<'/create-experiment'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/create-experiment'>> {
    return this.call('/create-experiment', request, options);
  }

  /** Read an experiment and its result so far. Look as often as you like: the intervals are valid for all looks together, and the chance that an experiment without a difference ever names a winner is below 5%. */
  getExperiment(request: RequestOf<'/get-experiment'>, options?: CallOptions): Promise<AnswerOf<'/get-experiment'>> {
    return this.call('/get-experiment', request, options);
  }

  /** List a project's experiments, newest first */
  listExperiments(
    request: RequestOf<'/list-experiments'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/list-experiments'>> {
    return this.call('/list-experiments', request, options);
  }

  /** Stop an experiment, and promote a variant if you want. With `promote` the overrides of that variant become the next version of the placement, which /rollback-placement can undo. No call fails in between. Also works on an experiment that was stopped before; the same request again changes nothing. */
  stopExperiment(request: RequestOf<'/stop-experiment'>, options?: CallOptions): Promise<AnswerOf<'/stop-experiment'>> {
    return this.call('/stop-experiment', request, options);
  }

  /** List popular, trending or new items. From counts that are kept as events arrive: current within a minute on every node, without training. `popular`: most events in the window. `trending`: events rise above what was expected; items whose rise is not clear are not listed. `newest`: the items stored last. Only items with a record are listed, unless the dataset has none. The list has fewer items than `limit` if no more are known; a filter chooses among the best 20,000. */
  listTopItems(request: RequestOf<'/list-top-items'>, options?: CallOptions): Promise<AnswerOf<'/list-top-items'>> {
    return this.call('/list-top-items', request, options);
  }

  /** Say which lists were seen. Up to 1,000 impressions with 20,000 items in all. An item counts once per list, so sending again changes nothing. Works with a browser key for lists of its project. A time ahead of the clock counts as now. */
  recordImpressions(
    request: RequestOf<'/record-impressions'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/record-impressions'>> {
    return this.call('/record-impressions', request, options);
  }

  /** Read the results of placements. Lists served and shown, clicks, target events and value by placement, variant and day or hour, with 95% intervals. Everything counts for the time in which the list was made, also when the event comes later. From counters that are kept as events arrive: exact and in milliseconds. Served lists appear within a second or two. */
  getPlacementReport(
    request: RequestOf<'/get-placement-report'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-placement-report'>> {
    return this.call('/get-placement-report', request, options);
  }

  /** Check the data of a project. Reads events and items once and looks for what makes recommendations worse. Read the report with /get-data-health. A repeated call returns the same job while it waits or runs. */
  submitDataHealthJob(
    request: RequestOf<'/submit-data-health-job'>,
    options?: CallOptions,
  ): Promise<AnswerOf<'/submit-data-health-job'>> {
    return this.call('/submit-data-health-job', request, options);
  }

  /** Read the newest check of a project’s data */
  getDataHealth(
    request: RequestOf<'/get-data-health'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-data-health'>> {
    return this.call('/get-data-health', request, options);
  }

  /** See how fresh data and model are, and how fast lists are returned */
  getProjectStatus(
    request: RequestOf<'/get-project-status'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/get-project-status'>> {
    return this.call('/get-project-status', request, options);
  }

  /** Read plan and usage */
  getAccount(request: RequestOf<'/get-account'> = {}, options?: CallOptions): Promise<AnswerOf<'/get-account'>> {
    return this.call('/get-account', request, options);
  }

  /** Choose the default project. Recommendation calls without a `project_id` use the default project. Returns when every API node uses it. */
  updateAccount(
    request: RequestOf<'/update-account'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/update-account'>> {
    return this.call('/update-account', request, options);
  }

  /** List the account's API keys, newest first */
  listApiKeys(request: RequestOf<'/list-api-keys'> = {}, options?: CallOptions): Promise<AnswerOf<'/list-api-keys'>> {
    return this.call('/list-api-keys', request, options);
  }

  /** Create an API key. The key and secret are in this response only. `scopes` limits what the key may call. It cannot exceed the scope of this call's token, which is also the default. The key expires no later than the key of this call. A `browser` key needs `origins` and `project_id`, has no secret, and its `api_key` is public. An account can have 100 active keys. */
  createApiKey(request: RequestOf<'/create-api-key'>, options?: CallOptions): Promise<AnswerOf<'/create-api-key'>> {
    return this.call('/create-api-key', request, options);
  }

  /** Give an API key a new secret. The new secret is in this response only. The old secret and its tokens work until the grace time ends; the API key does not change. A second rotation ends the oldest secret at once. The key must not cover more or last longer than the key of this call. */
  rotateApiKey(request: RequestOf<'/rotate-api-key'>, options?: CallOptions): Promise<AnswerOf<'/rotate-api-key'>> {
    return this.call('/rotate-api-key', request, options);
  }

  /** Disable an API key. Takes effect within 10 seconds on all nodes, including for tokens issued with the key. The key must not cover more or last longer than the key of this call. The last active key, and the last one that covers everything, cannot be disabled. */
  disableApiKey(request: RequestOf<'/disable-api-key'>, options?: CallOptions): Promise<AnswerOf<'/disable-api-key'>> {
    return this.call('/disable-api-key', request, options);
  }

  /** List changes: who did what, when, newest first. Each change of the account is in the log before its call returns. Calls that write or delete records count in one entry per key, dataset and hour; upserts appear within seconds. The newest 50,000 entries of the last 400 days are kept. */
  listAuditEntries(
    request: RequestOf<'/list-audit-entries'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/list-audit-entries'>> {
    return this.call('/list-audit-entries', request, options);
  }

  /** Create a webhook. Sends a signed POST request for each of the events. `secret`, which checks the signature, is in this response only. A delivery that fails is repeated for about a day and a half. An account can have 20 webhooks. */
  createWebhook(request: RequestOf<'/create-webhook'>, options?: CallOptions): Promise<AnswerOf<'/create-webhook'>> {
    return this.call('/create-webhook', request, options);
  }

  /** List the account's webhooks, newest first */
  listWebhooks(request: RequestOf<'/list-webhooks'> = {}, options?: CallOptions): Promise<AnswerOf<'/list-webhooks'>> {
    return this.call('/list-webhooks', request, options);
  }

  /** Delete a webhook. Deliveries that wait are dropped. */
  deleteWebhook(request: RequestOf<'/delete-webhook'>, options?: CallOptions): Promise<AnswerOf<'/delete-webhook'>> {
    return this.call('/delete-webhook', request, options);
  }

  /** List who is signed in to the console. Sessions of people who signed in with OpenID Connect, newest first. At most 10 per person and 1,000 per account. */
  listConsoleSessions(
    request: RequestOf<'/list-console-sessions'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/list-console-sessions'>> {
    return this.call('/list-console-sessions', request, options);
  }

  /** Sign people out of the console. Ends one session, or all sessions of a person. Takes effect within 10 seconds on all nodes. It does not keep the person from signing in again: remove them at the provider or from the settings of roles. */
  endConsoleSessions(
    request: RequestOf<'/end-console-sessions'> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<'/end-console-sessions'>> {
    return this.call('/end-console-sessions', request, options);
  }
}
