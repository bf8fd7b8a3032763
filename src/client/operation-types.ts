// Made by "npm run generate" from the API description; not edited by hand.
// Every call: its method, request and response.
import type {
  Account,
  Algorithm,
  ApiKey,
  AttributeSchema,
  AttributeStatistics,
  AuditEntry,
  AutomationDecision,
  AutomationInput,
  AutomationStatus,
  Boost,
  ClusteringResult,
  ConsoleSession,
  Deployment,
  DiversityLimits,
  EventDataset,
  EventRecord,
  EventRecordInput,
  EventStatistics,
  Experiment,
  ExperimentReport,
  Fatigue,
  HealthReport,
  Impression,
  ItemDataset,
  ItemPatch,
  ItemRecord,
  ItemRecordInput,
  Job,
  Model,
  PagePlacement,
  Pin,
  Placement,
  PlacementDefaultsInput,
  PlacementList,
  PlacementPage,
  PlacementReport,
  PlacementRuleInput,
  PlacementVersion,
  Project,
  ProjectStatus,
  Ranking,
  Recommendation,
  RecordFailure,
  RecordWarning,
  RelatedItems,
  SegmentMappingInput,
  SessionEvent,
  SubmittedJob,
  TopItems,
  TrackedEvent,
  UserDataset,
  UserDistributionQueryInput,
  UserDistributionResult,
  UserListQuery,
  UserListResult,
  UserPatch,
  UserRecord,
  UserRecordInput,
  VariantOverridesInput,
  Webhook,
  WebhookAttempt,
} from './schema-types.ts';

export interface Operations {
  /** Create a user dataset */
  '/create-user-dataset': {
    method: 'POST';
    request: {
      name: string;
      /** Capacity: 100,000 records per shard. Cannot be changed later. Default 10. */
      num_shards?: number | null;
      /** Attribute name to `NUMERICAL` or `CATEGORICAL`; null: the service infers the handling. */
      attribute_schema?: AttributeSchema | null;
    };
    answer: {
      user_dataset_id: string;
      name: string;
      num_shards: number;
      attribute_schema: AttributeSchema | null;
      created_ts: number;
    };
  };
  /** Read its configuration and count */
  '/get-user-dataset': {
    method: 'GET';
    request: {
      user_dataset_id: string;
    };
    answer: UserDataset;
  };
  /** List the account's, newest first */
  '/list-user-datasets': {
    method: 'GET';
    request: {
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      user_datasets: UserDataset[];
      next_page_token: string | null;
    };
  };
  /** Change its name or attribute schema. Missing fields keep their value. A new attribute schema applies to records upserted from now on. */
  '/update-user-dataset': {
    method: 'PUT';
    request: {
      user_dataset_id: string;
      name?: string | null;
      /** Attribute name to `NUMERICAL` or `CATEGORICAL`; null: the service infers the handling. */
      attribute_schema?: AttributeSchema | null;
    };
    answer: UserDataset;
  };
  /** Delete it with all its records. Fails while a project uses it. Returns its last configuration. */
  '/delete-user-dataset': {
    method: 'DELETE';
    request: {
      user_dataset_id: string;
    };
    answer: UserDataset;
  };
  /** Create an item dataset */
  '/create-item-dataset': {
    method: 'POST';
    request: {
      name: string;
      /** Capacity: 100,000 records per shard. Cannot be changed later. Default 10. */
      num_shards?: number | null;
      /** Attribute name to `NUMERICAL` or `CATEGORICAL`; null: the service infers the handling. */
      attribute_schema?: AttributeSchema | null;
    };
    answer: {
      item_dataset_id: string;
      user_dataset_id: string;
      name: string;
      num_shards: number;
      attribute_schema: AttributeSchema | null;
      created_ts: number;
    };
  };
  /** Read its configuration and count */
  '/get-item-dataset': {
    method: 'GET';
    request: {
      item_dataset_id: string;
    };
    answer: ItemDataset;
  };
  /** List the account's, newest first */
  '/list-item-datasets': {
    method: 'GET';
    request: {
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      item_datasets: ItemDataset[];
      next_page_token: string | null;
    };
  };
  /** Change its name or attribute schema. Missing fields keep their value. A new attribute schema applies to records upserted from now on. */
  '/update-item-dataset': {
    method: 'PUT';
    request: {
      item_dataset_id: string;
      name?: string | null;
      /** Attribute name to `NUMERICAL` or `CATEGORICAL`; null: the service infers the handling. */
      attribute_schema?: AttributeSchema | null;
    };
    answer: ItemDataset;
  };
  /** Delete it with all its records. Fails while a project uses it. Returns its last configuration. */
  '/delete-item-dataset': {
    method: 'DELETE';
    request: {
      item_dataset_id: string;
    };
    answer: ItemDataset;
  };
  /** Create an event dataset */
  '/create-event-dataset': {
    method: 'POST';
    request: {
      name: string;
      /** Capacity: 100,000 records per shard. Cannot be changed later. Default 10. */
      num_shards?: number | null;
      /** Attribute name to `NUMERICAL` or `CATEGORICAL`; null: the service infers the handling. */
      attribute_schema?: AttributeSchema | null;
    };
    answer: {
      event_dataset_id: string;
      user_dataset_id: string;
      name: string;
      num_shards: number;
      attribute_schema: AttributeSchema | null;
      created_ts: number;
    };
  };
  /** Read its configuration and count */
  '/get-event-dataset': {
    method: 'GET';
    request: {
      event_dataset_id: string;
    };
    answer: EventDataset;
  };
  /** List the account's, newest first */
  '/list-event-datasets': {
    method: 'GET';
    request: {
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      event_datasets: EventDataset[];
      next_page_token: string | null;
    };
  };
  /** Change its name or attribute schema. Missing fields keep their value. A new attribute schema applies to records upserted from now on. */
  '/update-event-dataset': {
    method: 'PUT';
    request: {
      event_dataset_id: string;
      name?: string | null;
      /** Attribute name to `NUMERICAL` or `CATEGORICAL`; null: the service infers the handling. */
      attribute_schema?: AttributeSchema | null;
    };
    answer: EventDataset;
  };
  /** Delete it with all its records. Fails while a project uses it. Returns its last configuration. */
  '/delete-event-dataset': {
    method: 'DELETE';
    request: {
      event_dataset_id: string;
    };
    answer: EventDataset;
  };
  /** Insert or replace users. Inserts or replaces whole records by id, up to 1,000 per call. Each record succeeds or fails on its own; `failures` says why. If an id is sent twice, the last record wins. Succeeded records are on disk when the call returns. */
  '/upsert-dataset-users': {
    method: 'POST';
    request: {
      user_dataset_id: string;
      /** Up to 1,000 records. */
      users: UserRecordInput[];
    };
    answer: {
      user_dataset_id: string;
      succeed_ids: string[];
      /** Every record of the batch is here or in succeed_ids. A record without a usable id is listed as in failures. */
      failed_ids: string[];
      /** Why each failed record was not stored. */
      failures: RecordFailure[];
      /** Likely mistakes in records that were stored. */
      warnings: RecordWarning[];
    };
  };
  /** Change single attributes of users. Sets and removes attributes without the rest of the record, up to 1,000 users per call. The next call sees the change. Each record changes whole or not at all; `failures` says why one did not. A user without a record fails with `RECORD_NOT_FOUND`: upsert it first. Patches of one id in a call are applied in their order, together. Patches and upserts of one record that run at the same time are applied one after the other, each to the whole record as the one before left it. */
  '/patch-dataset-users': {
    method: 'POST';
    request: {
      user_dataset_id: string;
      /** Up to 1,000 records. */
      users: UserPatch[];
    };
    answer: {
      user_dataset_id: string;
      succeed_ids: string[];
      /** Every record of the batch is here or in succeed_ids. A record without a usable id is listed as in failures. */
      failed_ids: string[];
      /** Why each failed record was not stored. */
      failures: RecordFailure[];
      /** Likely mistakes in records that were stored. */
      warnings: RecordWarning[];
    };
  };
  /** Insert or replace items. Inserts or replaces whole records by id, up to 1,000 per call. Each record succeeds or fails on its own; `failures` says why. If an id is sent twice, the last record wins. Succeeded records are on disk when the call returns. */
  '/upsert-dataset-items': {
    method: 'POST';
    request: {
      item_dataset_id: string;
      /** Up to 1,000 records. */
      items: ItemRecordInput[];
    };
    answer: {
      item_dataset_id: string;
      succeed_ids: string[];
      /** Every record of the batch is here or in succeed_ids. A record without a usable id is listed as in failures. */
      failed_ids: string[];
      /** Why each failed record was not stored. */
      failures: RecordFailure[];
      /** Likely mistakes in records that were stored. */
      warnings: RecordWarning[];
    };
  };
  /** Change single attributes of items. Sets and removes attributes without the rest of the record, up to 1,000 items per call. The next call sees the change. Each record changes whole or not at all; `failures` says why one did not. An item without a record fails with `RECORD_NOT_FOUND`: upsert it first. Patches of one id in a call are applied in their order, together. Patches and upserts of one record that run at the same time are applied one after the other, each to the whole record as the one before left it. */
  '/patch-dataset-items': {
    method: 'POST';
    request: {
      item_dataset_id: string;
      /** Up to 1,000 records. */
      items: ItemPatch[];
    };
    answer: {
      item_dataset_id: string;
      succeed_ids: string[];
      /** Every record of the batch is here or in succeed_ids. A record without a usable id is listed as in failures. */
      failed_ids: string[];
      /** Why each failed record was not stored. */
      failures: RecordFailure[];
      /** Likely mistakes in records that were stored. */
      warnings: RecordWarning[];
    };
  };
  /** Insert or replace events. Inserts or replaces whole records by id, up to 1,000 per call. Each record succeeds or fails on its own; `failures` says why. If an id is sent twice, the last record wins. Succeeded records are on disk when the call returns. An event over 20,480 bytes of JSON fails without affecting the others. `warnings` lists events that were stored but look like mistakes: a time before 2000 or more than a day ahead and, once the dataset has 10,000 events, an item or a type that is new and resembles a known one. */
  '/upsert-dataset-events': {
    method: 'POST';
    request: {
      event_dataset_id: string;
      /** Up to 1,000 records. */
      events: EventRecordInput[];
    };
    answer: {
      event_dataset_id: string;
      succeed_ids: string[];
      /** Every record of the batch is here or in succeed_ids. A record without a usable id is listed as in failures. */
      failed_ids: string[];
      /** Why each failed record was not stored. */
      failures: RecordFailure[];
      /** Likely mistakes in records that were stored. */
      warnings: RecordWarning[];
    };
  };
  /** Store a few events of one visitor. For web pages, with a browser key (`?key=`), and for servers. Takes up to 20 events into the event dataset of the project. Each event succeeds or fails alone and has at most 4096 bytes. The stored event ids are made by the service from the visitor and what was sent, so a request that is sent again stores its events once if they have an `event_id` or a `ts`, else within the same minute. JSON may be sent as `text/plain`, as `navigator.sendBeacon` does. */
  '/track': {
    method: 'POST';
    request: {
      /** Default: the key's project, else the default project. */
      project_id?: string | null;
      /** Who did it: a user you know. Send this or visitor_id. */
      user_id?: string | null;
      /** Who did it: a visitor who is not signed in. Stored like a user_id; /merge-users joins them later. */
      visitor_id?: string | null;
      events: TrackedEvent[];
    };
    answer: {
      project_id: string;
      /** Events that are on disk. */
      stored: number;
      /** Ids of the stored events in the event dataset. */
      event_ids: string[];
      failures: {
        /** Place of the event in the request, from 0. */
        index: number;
        code: 'INVALID_RECORD' | 'RECORD_TOO_LARGE' | 'DATASET_FULL' | 'INVALID_RECOMMENDATION_ID';
        message: string;
      }[];
    };
  };
  /** Delete users by id. Unknown ids are skipped; `deleted_count` counts the records that were deleted. To remove a person, delete the user and the events of the user. Results that can still be downloaded then say `[deleted]` in place of the id. */
  '/delete-dataset-users': {
    method: 'DELETE';
    request: {
      user_dataset_id: string;
      /** Up to 1,000 ids. */
      user_ids?: string[] | null;
      /** The same as user_ids. */
      ids?: string[] | null;
    };
    answer: {
      user_dataset_id: string;
      deleted_count: number;
    };
  };
  /** Delete items by id. Unknown ids are skipped; `deleted_count` counts the records that were deleted. */
  '/delete-dataset-items': {
    method: 'DELETE';
    request: {
      item_dataset_id: string;
      /** Up to 1,000 ids. */
      item_ids?: string[] | null;
      /** The same as item_ids. */
      ids?: string[] | null;
    };
    answer: {
      item_dataset_id: string;
      deleted_count: number;
    };
  };
  /** Delete events by id. Unknown ids are skipped; `deleted_count` counts the records that were deleted. */
  '/delete-dataset-events': {
    method: 'DELETE';
    request: {
      event_dataset_id: string;
      /** Up to 1,000 ids. */
      event_ids?: string[] | null;
      /** The same as event_ids. */
      ids?: string[] | null;
    };
    answer: {
      event_dataset_id: string;
      deleted_count: number;
    };
  };
  /** Delete all events of a user. To remove a person, delete the user and the events of the user. Results that can still be downloaded then say `[deleted]` in place of the id. */
  '/delete-dataset-user-events': {
    method: 'DELETE';
    request: {
      event_dataset_id: string;
      user_id: string;
    };
    answer: {
      event_dataset_id: string;
      user_id: string;
      deleted_count: number;
    };
  };
  /** Delete old events. Deletes events with start_ts ≤ ts of the event < ts. With `dry_run` only counts them. */
  '/delete-dataset-events-before-ts': {
    method: 'DELETE';
    request: {
      event_dataset_id: string;
      ts: number;
      start_ts?: number | null;
      /** Count the matching events without deleting them. */
      dry_run?: boolean | null;
    };
    answer: {
      event_dataset_id: string;
      ts: number;
      deleted_count: number;
    };
  };
  /** Merge a visitor into a user. All events of `from_user_id` become events of `into_user_id`, with their ids and times, in the event dataset of the project. The records in its user dataset become one: where both have an attribute, `into_user_id` keeps its own; one that is null counts as missing. Nothing is left of `from_user_id`. Takes effect at once on every node. `into_user_id` may be new. Safe to send again: if nothing is stored about `from_user_id` (any more), `merged_events` is 0. Events that arrive later under `from_user_id` are a new visitor's; call again to merge them. */
  '/merge-users': {
    method: 'POST';
    request: {
      /** Default: the account's default project. */
      project_id?: string | null;
      /** The visitor. It is deleted after the merge. */
      from_user_id: string;
      /** The user to keep. */
      into_user_id: string;
    };
    answer: {
      project_id: string;
      from_user_id: string;
      into_user_id: string;
      /** Events moved by this call. */
      merged_events: number;
      /** Whether from_user_id had a record. */
      merged_record: boolean;
    };
  };
  /** Read one user, item or event. With `event_dataset_id` and `event_id`, or the user or item pair. */
  '/get-dataset-record': {
    method: 'GET';
    request: {
      user_dataset_id?: string;
      item_dataset_id?: string;
      event_dataset_id?: string;
      user_id?: string;
      item_id?: string;
      event_id?: string;
    };
    answer: EventRecord | UserRecord | ItemRecord;
  };
  /** List records, newest first. Users and items are sorted by time of writing; `search` keeps those with this text in their id or attributes, ignoring the case of A–Z. On PostgreSQL, a search in attributes also ignores the case of other letters in the locale of the database. Events are sorted by `ts`; `user_id` keeps those of one user. A page of large records may be shorter than `page_size`. */
  '/list-dataset-records': {
    method: 'GET';
    request: {
      user_dataset_id?: string;
      item_dataset_id?: string;
      event_dataset_id?: string;
      /** Entries per page, fewer if they are large. Default 100. */
      page_size?: number;
      page_token?: string;
      search?: string;
      user_id?: string;
    };
    answer: {
      records: (EventRecord | UserRecord | ItemRecord)[];
      next_page_token: string | null;
    };
  };
  /** Events by type and over time. The 1,000 most frequent types. */
  '/get-event-statistics': {
    method: 'GET';
    request: {
      event_dataset_id: string;
      /** Default 50. */
      buckets?: number;
    };
    answer: EventStatistics;
  };
  /** Values of each attribute, from a sample. At most about 20,000 of the newest records are looked at, fewer where they are large; `sampled_records` says how many. */
  '/get-attribute-statistics': {
    method: 'GET';
    request: {
      user_dataset_id?: string;
      item_dataset_id?: string;
      event_dataset_id?: string;
    };
    answer: {
      num_records: number;
      sampled_records: number;
      attributes: AttributeStatistics[];
    };
  };
  /** Create a project */
  '/create-project': {
    method: 'POST';
    request: {
      name: string;
      project_type: 'RECOMMEND_ITEMS_TO_USER';
      user_dataset_id: string;
      item_dataset_id: string;
      event_dataset_id: string;
      target_event_type: string;
      /** How messages of Segment and RudderStack become events; null: the defaults. */
      segment_mapping?: SegmentMappingInput | null;
      automation?: AutomationInput | null;
      /** For how many hours after an item was shown events without a recommendation_id count as assisted (default: 24). A change applies to items that are shown from then on. */
      assist_window_hours?: number | null;
    };
    answer: Project;
  };
  /** Read a project */
  '/get-project': {
    method: 'GET';
    request: {
      project_id: string;
    };
    answer: Project;
  };
  /** List the account's projects, newest first */
  '/list-projects': {
    method: 'GET';
    request: {
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      projects: Project[];
      next_page_token: string | null;
    };
  };
  /** Change the name of a project, its automation, its assist window, or how it reads messages of Segment. What is left out stays. `segment_mapping: null` goes back to the defaults, `automation: null` switches it off. */
  '/update-project': {
    method: 'PUT';
    request: {
      project_id: string;
      name?: string | null;
      segment_mapping?: SegmentMappingInput | null;
      automation?: AutomationInput | null;
      /** For how many hours after an item was shown events without a recommendation_id count as assisted (default: 24). A change applies to items that are shown from then on. */
      assist_window_hours?: number | null;
    };
    answer: Project;
  };
  /** Delete a project with its algorithms, models and jobs. Fails while it is deployed or has an unfinished job. Results of its jobs can no longer be downloaded. Its datasets are kept. */
  '/delete-project': {
    method: 'DELETE';
    request: {
      project_id: string;
    };
    answer: Project;
  };
  /** Create an algorithm configuration. An empty `algorithm_parameters` lets the service choose all of them from the data. */
  '/create-algorithm': {
    method: 'POST';
    request: {
      project_id: string;
      name: string;
      algorithm_type: 'G1';
      /** Parameters of G1, each optional; an empty object lets the service choose all of them. */
      algorithm_parameters?: {
        /** Which experts may be used; popularity is always available for users without events. */
        experts?: ('local_ridge' | 'walk' | 'transitions' | 'low_rank' | 'popularity')[] | 'auto' | null;
        /** Sparse ridge regression of each item on its nearest items. */
        local_ridge?:
          | {
              /** How many nearest items each item is regressed on; auto uses all items of catalogs up to 4,000. */
              neighbours?: number | 'auto' | null;
              /** Strength of the ridge relative to the mean of the gram's diagonal. */
              lambda?: number | 'auto' | null;
              /** How fast older items of a history lose weight: the l-th newest counts (l + 1)^-rho; with 0 all count the same. */
              rho?: number | 'auto' | null;
              /** A user with n items counts n^-gamma. */
              gamma?: number | 'auto' | null;
            }
          | 'auto'
          | null;
        /** Damped two-step walk from item to user to item. */
        walk?:
          | {
              /** A user with n items counts n^-gamma. */
              gamma?: number | 'auto' | null;
              /** Damps popular items of the history by count^-beta. */
              beta?: number | 'auto' | null;
              /** Damps popular recommended items by count^-delta. */
              delta?: number | 'auto' | null;
              /** How fast older items of a history lose weight: the l-th newest counts (l + 1)^-rho; with 0 all count the same. */
              rho?: number | 'auto' | null;
            }
          | 'auto'
          | null;
        /** Which items follow which in the users' sequences. */
        transitions?:
          | {
              /** How pairs further apart in a sequence are weighted; each variant is one expert. */
              variants?: ('mk1' | 'mk2-4' | 'mk5-10' | 'mk.75' | 'forward' | '1/lag' | 'window')[] | 'auto' | null;
            }
          | 'auto'
          | null;
        /** Compares items in the few directions in which tastes differ most. */
        low_rank?:
          | {
              /** Number of directions. */
              factors?: number | 'auto' | null;
            }
          | 'auto'
          | null;
        /** Popularity, with recent events counting more. */
        popularity?:
          | {
              /** Days after which an event counts half in popularity; null for no decay. */
              half_life_days?: number | null | 'auto';
            }
          | 'auto'
          | null;
        /** Weight of event types other than the target type, which has 1. Auto chooses for types not listed. */
        event_type_weights?:
          | {
              [name: string]: number;
            }
          | 'auto'
          | null;
        /** How much more a larger event_value counts: by its logarithm, in proportion up to 10 ordinary values, or relative to the user's own mean (ratings). */
        value_weighting?: 'log' | 'linear' | 'relative' | 'auto' | null;
        /** Up to this many newest distinct items of a user are used, in training and in serving. */
        history_cap?: number | 'auto' | null;
        /** Days after which an event counts half everywhere; null for no decay. */
        half_life_days?: number | null | 'auto';
        /** Whether items a user already had a target event with may be recommended again. */
        repeats?: 'recommend' | 'exclude' | 'auto' | null;
        /** What the model predicts: the next visit of an arriving user, the next item of a browsing user, or the weeks after (mailings). Auto: arriving and browsing if the data has visits, else the next item. */
        horizon?: 'arriving' | 'browsing' | 'later' | 'auto' | null;
        /** Seconds for the search of settings; the final fit comes on top. Without it the amount of work is bounded instead, and the model does not depend on the load of the machine. */
        time_budget_seconds?: number | 'auto' | null;
        /** Same data, parameters and seed give the same model. */
        seed?: number | 'auto' | null;
      } | null;
    };
    answer: Algorithm;
  };
  /** Read an algorithm configuration */
  '/get-algorithm': {
    method: 'GET';
    request: {
      project_id: string;
      algorithm_id: string;
    };
    answer: Algorithm;
  };
  /** List a project's algorithm configurations, newest first */
  '/list-algorithms': {
    method: 'GET';
    request: {
      project_id: string;
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      algorithms: Algorithm[];
      next_page_token: string | null;
    };
  };
  /** Delete an algorithm configuration. Models trained with it are kept. */
  '/delete-algorithm': {
    method: 'DELETE';
    request: {
      project_id: string;
      algorithm_id: string;
    };
    answer: Algorithm;
  };
  /** Train a model with an algorithm */
  '/submit-training-job': {
    method: 'POST';
    request: {
      project_id: string;
      algorithm_id: string;
      /** Default: what the job does and when, such as "Training of Nov 15, 20:36" (UTC). */
      name?: string | null;
    };
    answer: SubmittedJob;
  };
  /** Deploy a model, or a generator and a ranker. The job succeeds when every API node serves the new model or models. The previous deployment serves until then; no call fails during the switch. */
  '/submit-deployment-job': {
    method: 'POST';
    request: {
      project_id: string;
      /** Default: what the job does and when, such as "Training of Nov 15, 20:36" (UTC). */
      name?: string | null;
      /** The model that generates the recommendations. */
      generator_model_id: string;
      /** The model that re-ranks the generator's results, if any. */
      ranker_model_id?: string | null;
      /** Recommendation calls per second allowed. Left out: what the project had; for a first deployment the plan's max_qps. */
      qps?: number | null;
    };
    answer: SubmittedJob;
  };
  /** Find users who prefer an attribute value, or how popular it is */
  '/submit-querying-job': {
    method: 'POST';
    request: {
      name?: string | null;
      project_id: string;
      model_id: string;
      /** user_list: users that meet conditions; user_distribution: a histogram of usage. */
      query_type: 'user_list' | 'user_distribution';
      /** 1 to 100 queries; conditions for user_list, one attribute value for user_distribution. */
      queries: (UserListQuery | UserDistributionQueryInput)[];
    };
    answer: SubmittedJob;
  };
  /** Group users of similar taste */
  '/submit-clustering-job': {
    method: 'POST';
    request: {
      name?: string | null;
      project_id: string;
      model_id: string;
      cluster_type: 'user';
      /** Settings of the groups; {} lets the service choose. */
      parameters?: {
        /** Groups with fewer users are dropped. */
        min_user_num?: number | null;
        /** Number of groups. Default: chosen automatically. */
        num_clusters?: number | null;
        /** The same seed and data give the same groups. */
        seed?: number | null;
      } | null;
    };
    answer: SubmittedJob;
  };
  /** Recommend items to many users at once, as a file. Each user gets the list that /recommend-items-to-user would return. The job result has `download_url`, good for 24 hours. */
  '/submit-recommendation-job': {
    method: 'POST';
    request: {
      project_id: string;
      /** Default: what the job does and when, such as "Training of Nov 15, 20:36" (UTC). */
      name?: string | null;
      /** Default: what is deployed, with its ranker if it has one. */
      model_id?: string | null;
      /** Whom the lists are for. */
      users:
        | {
            /** Users of the user dataset and users with events. */
            all: true;
          }
        | {
            user_ids: string[];
          }
        | {
            /** The users of a finished user_list querying job. */
            job_id: string;
          };
      /** A placement of the project that makes the lists. It must not start from items. Fields below win over its defaults. */
      placement?: string | null;
      /** Items per user. */
      limit?: number | null;
      /** What the list is for. discover: items new to the user; continue: items the user started; again: items the user had before; any: all of them; auto (default): any where the data shows that users come back to items, else discover. */
      objective?: 'auto' | 'discover' | 'continue' | 'again' | 'any' | null;
      /** An item counts as new again this many days after an event other than the target event. */
      touch_days?: number | null;
      /** true: exclude items the user had a target event with; false: allow them. Default: the objective decides. */
      exclude_seen?: boolean | null;
      /** Only items that meet it, e.g. genre = 'Drama' AND price < $max. */
      filter_query?: string | null;
      /** Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false or lists of them. */
      filter_params?: {
        [name: string]: string | number | boolean | (string | number | boolean)[];
      } | null;
      /** Items to exclude. */
      exclude_item_ids?: string[] | null;
      /** Exclude items the user had an event of one of these types with. */
      exclude_event_types?: string[] | null;
      /** Multiply the chance of matching items: with factor 2 a matching item becomes twice as likely relative to others. An item outside the plain list can come in. Factors of several boosts multiply. */
      boosts?: Boost[] | null;
      /** Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out is skipped with a warning. */
      pins?: Pin[] | null;
      /** {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled with other items. Or a number from 0 to 1: near-duplicates in taste move down. */
      diversity?: number | DiversityLimits | null;
      /** The circumstances of the call, as events have them in their attributes, e.g. {"device": "phone"}. Attributes the model does not know are ignored with a warning. */
      context?: {
        [name: string]: unknown;
      } | null;
      /** Item attributes to return; null where an item lacks one. */
      attributes?: string[] | null;
      /** jsonl (default): one line per user; csv or parquet: a table with one row per user and item. */
      format?: 'jsonl' | 'csv' | 'parquet' | null;
      /** Where the file is written instead of being kept for download: s3://bucket/prefix/name, below a place that the service allows (KINDRED_EXPORT_DESTINATIONS). The name has lowercase letters, digits and _ . - /. */
      destination?: string | null;
    };
    answer: SubmittedJob;
  };
  /** Export a dataset, the vectors of a model or a report as a file. Users, items and events come with the fields of the upsert calls: the file can be imported again. The job result has `download_url`, good for 24 hours. */
  '/submit-export-job': {
    method: 'POST';
    request: {
      project_id: string;
      /** Default: what the job does and when, such as "Training of Nov 15, 20:36" (UTC). */
      name?: string | null;
      /** users, items, events: a dataset of the project, with the fields of the upsert calls. item_vectors, user_vectors: taste vectors of a model. report_days, report_hours: results of lists, one row per placement, variant and day or hour (UTC). */
      what: 'users' | 'items' | 'events' | 'item_vectors' | 'user_vectors' | 'report_days' | 'report_hours';
      /** Vectors: of which model. Default: the deployed one. */
      model_id?: string | null;
      /** jsonl (default): one object per line; parquet: the same as columns. */
      format?: 'jsonl' | 'parquet' | null;
      /** Where the file is written instead of being kept for download: s3://bucket/prefix/name, below a place that the service allows (KINDRED_EXPORT_DESTINATIONS). The name has lowercase letters, digits and _ . - /. */
      destination?: string | null;
    };
    answer: SubmittedJob;
  };
  /** Import a file in S3 into a dataset of a project. Rows become users, items or events of the project, checked as the upsert calls check them. The job result has `kind`, `dataset_id`, `rows`, `stored`, `skipped`, `warnings`, `notes` (what was guessed) and `skipped_rows`, the first 100 with the reason. Importing a file twice stores its records once. */
  '/submit-import-job': {
    method: 'POST';
    request: {
      project_id: string;
      /** Default: what the job does and when, such as "Training of Nov 15, 20:36" (UTC). */
      name?: string | null;
      /** The file: s3://bucket/prefix/name, below a place that the service allows (KINDRED_IMPORT_SOURCES). CSV, JSON Lines (both also gzipped) or Parquet, up to 64 GiB. */
      source: string;
      /** What the rows are. Default: guessed from the columns and the name. */
      kind?: 'users' | 'items' | 'events' | null;
      /** Default: by name and content. */
      format?: 'csv' | 'jsonl' | 'parquet' | null;
      /** The column of a field, where its name does not say: {"user_id": "buyer", "ts": "ordered_at"}. */
      map?: {
        event_id?: string | null;
        user_id?: string | null;
        item_id?: string | null;
        ts?: string | null;
        event_type?: string | null;
        event_value?: string | null;
        recommendation_id?: string | null;
      } | null;
      /** Columns of a CSV file with lists, and what separates the entries: {"genres": "|"}. */
      lists?: {
        [name: string]: string;
      } | null;
      /** Columns that stay text even if they look like numbers. */
      text?: string[] | null;
      /** Columns to leave out. */
      skip?: string[] | null;
      /** Unit of the time column. Default: guessed. */
      ts_unit?: 's' | 'ms' | 'us' | 'date' | null;
      /** Type of events whose file has no column for it. Default: view. */
      event_type?: string | null;
      /** Separator of the cells of a CSV file. Default: guessed. */
      separator?: string | null;
      /** Such as utf-8 (default), latin1 or utf-16le. */
      encoding?: string | null;
    };
    answer: SubmittedJob;
  };
  /** Read a job and its progress */
  '/get-job': {
    method: 'GET';
    request: {
      project_id: string;
      job_id: string;
    };
    answer: Job;
  };
  /** List jobs, newest first, of one project or of all */
  '/list-jobs': {
    method: 'GET';
    request: {
      project_id?: string;
      job_type?:
        | 'TRAINING'
        | 'DEPLOYMENT'
        | 'QUERYING'
        | 'CLUSTERING'
        | 'RECOMMENDATION'
        | 'EXPORT'
        | 'DATA_HEALTH'
        | 'IMPORT';
      job_status?: 'PENDING' | 'RUNNING' | 'SUCCEED' | 'FAILED' | 'CANCELLED';
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      jobs: Job[];
      next_page_token: string | null;
    };
  };
  /** Cancel a job that has not ended */
  '/cancel-job': {
    method: 'POST';
    request: {
      project_id: string;
      job_id: string;
    };
    answer: Job;
  };
  /** Read a model */
  '/get-model': {
    method: 'GET';
    request: {
      project_id: string;
      model_id: string;
    };
    answer: Model;
  };
  /** List a project's models, newest first */
  '/list-models': {
    method: 'GET';
    request: {
      project_id: string;
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      models: Model[];
      next_page_token: string | null;
    };
  };
  /** Rename a model */
  '/update-model': {
    method: 'PUT';
    request: {
      project_id: string;
      model_id: string;
      name?: string | null;
    };
    answer: Model;
  };
  /** Delete a model that is not deployed, with its file */
  '/delete-model': {
    method: 'DELETE';
    request: {
      project_id: string;
      model_id: string;
    };
    answer: Model;
  };
  /** Read the deployment of a project */
  '/get-deployment': {
    method: 'GET';
    request: {
      project_id: string;
    };
    answer: Deployment;
  };
  /** Stop serving a project. Stops serving the project and cancels its unfinished deployment jobs: a deployment submitted before this call never serves after it. Returns when no API node serves the project. */
  '/shutdown-deployment': {
    method: 'DELETE';
    request: {
      project_id: string;
    };
    answer: {
      project_id: string;
    };
  };
  /** List what automation decided about new models, newest first */
  '/list-automation-decisions': {
    method: 'GET';
    request: {
      project_id: string;
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      decisions: AutomationDecision[];
      next_page_token: string | null;
    };
  };
  /** Read when a project is trained next */
  '/get-automation-status': {
    method: 'GET';
    request: {
      project_id: string;
    };
    answer: AutomationStatus;
  };
  /** Roll back to the model that served before. Submits a deployment job; the current model serves until it has ended, and no call fails. A repeated call returns the same job while it runs. Later calls go further back: give `from_model_id` to roll back only if that model is deployed. */
  '/rollback-deployment': {
    method: 'POST';
    request: {
      project_id: string;
      /** The model to roll back from. If another one is deployed, nothing is done and job_id is null. */
      from_model_id?: string | null;
    };
    answer: {
      job_id: string | null;
      model_id: string;
    };
  };
  /** Recommend items to a user. Without `project_id` the account's default project is used: the first one deployed, or the one set with /update-account. */
  '/recommend-items-to-user': {
    method: 'POST';
    request: {
      /** Item attributes to return; null where an item lacks one. */
      attributes?: string[] | null;
      /** Number of items. */
      limit?: number | null;
      /** Only items that meet it, e.g. genre = 'Drama' AND price < $max. */
      filter_query?: string | null;
      /** Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false or lists of them. */
      filter_params?: {
        [name: string]: string | number | boolean | (string | number | boolean)[];
      } | null;
      /** Items to exclude. */
      exclude_item_ids?: string[] | null;
      /** Exclude items the user had an event of one of these types with. */
      exclude_event_types?: string[] | null;
      /** Multiply the chance of matching items: with factor 2 a matching item becomes twice as likely relative to others. An item outside the plain list can come in. Factors of several boosts multiply. */
      boosts?: Boost[] | null;
      /** Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out is skipped with a warning. */
      pins?: Pin[] | null;
      /** {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled with other items. Or a number from 0 to 1: near-duplicates in taste move down. */
      diversity?: number | DiversityLimits | null;
      /** next_page_token of the page before, with the same request otherwise: the next page of the list. No item comes twice, even while events arrive. limit, attributes, session_events and context may differ. */
      page_token?: string | null;
      /** Events that are not stored and count as this user's newest, in the order in which they happened. */
      session_events?: SessionEvent[] | null;
      /** The circumstances of the call, as events have them in their attributes, e.g. {"device": "phone"}. Attributes the model does not know are ignored with a warning. */
      context?: {
        [name: string]: unknown;
      } | null;
      /** Add score and reasons to each result. */
      explain?: boolean | null;
      /** At the base address. Left out: the account's default project. */
      project_id?: string | null;
      /** Use this model of the project instead of the deployed one. */
      model_id?: string | null;
      /** Optional with session_events: a visitor without an id. */
      user_id?: string | null;
      /** What the list is for. discover: items new to the user; continue: items the user started; again: items the user had before; any: all of them; auto (default): any where the data shows that users come back to items, else discover. */
      objective?: 'auto' | 'discover' | 'continue' | 'again' | 'any' | null;
      /** An item counts as new again this many days after an event other than the target event. */
      touch_days?: number | null;
      /** true: exclude items the user had a target event with; false: allow them. Default: the objective decides. */
      exclude_seen?: boolean | null;
    };
    answer: Recommendation;
  };
  /** Recommend related items. Alternatives to an item, items that go with it, or items that come after it. Items without events are matched by their attributes. Unknown items are ignored with a warning. */
  '/recommend-items-to-item': {
    method: 'POST';
    request: {
      /** The item to start from, or item_ids. */
      item_id?: string | null;
      /** Several items to start from. */
      item_ids?: string[] | null;
      /** similar (default): instead of the item, by taste and attributes; together: with it, in the same basket or visit; next: after it. */
      relation?: 'similar' | 'together' | 'next' | null;
      /** Whose taste orders the list. Left out: nobody's. */
      user_id?: string | null;
      /** With a user: which items come first. discover: items new to the user; continue: items the user started; again: items the user had before. The others fill the list, with filled. any, auto (default): all the same. */
      objective?: 'auto' | 'discover' | 'continue' | 'again' | 'any' | null;
      /** Item attributes to return; null where an item lacks one. */
      attributes?: string[] | null;
      /** Number of items. */
      limit?: number | null;
      /** Only items that meet it, e.g. genre = 'Drama' AND price < $max. */
      filter_query?: string | null;
      /** Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false or lists of them. */
      filter_params?: {
        [name: string]: string | number | boolean | (string | number | boolean)[];
      } | null;
      /** Items to exclude. */
      exclude_item_ids?: string[] | null;
      /** Exclude items the user had an event of one of these types with. */
      exclude_event_types?: string[] | null;
      /** Multiply the chance of matching items: with factor 2 a matching item becomes twice as likely relative to others. An item outside the plain list can come in. Factors of several boosts multiply. */
      boosts?: Boost[] | null;
      /** Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out is skipped with a warning. */
      pins?: Pin[] | null;
      /** {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled with other items. Or a number from 0 to 1: near-duplicates in taste move down. */
      diversity?: number | DiversityLimits | null;
      /** next_page_token of the page before, with the same request otherwise: the next page of the list. No item comes twice, even while events arrive. limit, attributes, session_events and context may differ. */
      page_token?: string | null;
      /** Events that are not stored and count as this user's newest, in the order in which they happened. */
      session_events?: SessionEvent[] | null;
      /** The circumstances of the call, as events have them in their attributes, e.g. {"device": "phone"}. Attributes the model does not know are ignored with a warning. */
      context?: {
        [name: string]: unknown;
      } | null;
      /** Add score and reasons to each result. */
      explain?: boolean | null;
      /** At the base address. Left out: the account's default project. */
      project_id?: string | null;
      /** Use this model of the project instead of the deployed one. */
      model_id?: string | null;
    };
    answer: RelatedItems;
  };
  /** Sort items for a user. Best first, each with its score. Items that the user dislikes come last with a warning, then items that are unknown or deleted, each in the order given. Every item counts once. */
  '/rank-items-to-user': {
    method: 'POST';
    request: {
      /** The items to sort. */
      item_ids: string[];
      /** Optional with session_events: a visitor without an id. */
      user_id?: string | null;
      /** With a user: which items come first. discover: items new to the user; continue: items the user started; again: items the user had before. The others fill the list, with filled. any, auto (default): all the same. */
      objective?: 'auto' | 'discover' | 'continue' | 'again' | 'any' | null;
      /** Item attributes to return; null where an item lacks one. */
      attributes?: string[] | null;
      /** Only items that meet it, e.g. genre = 'Drama' AND price < $max. */
      filter_query?: string | null;
      /** Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false or lists of them. */
      filter_params?: {
        [name: string]: string | number | boolean | (string | number | boolean)[];
      } | null;
      /** Items to exclude. */
      exclude_item_ids?: string[] | null;
      /** Exclude items the user had an event of one of these types with. */
      exclude_event_types?: string[] | null;
      /** Multiply the chance of matching items: with factor 2 a matching item becomes twice as likely relative to others. An item outside the plain list can come in. Factors of several boosts multiply. */
      boosts?: Boost[] | null;
      /** Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out is skipped with a warning. */
      pins?: Pin[] | null;
      /** {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled with other items. Or a number from 0 to 1: near-duplicates in taste move down. */
      diversity?: number | DiversityLimits | null;
      /** Events that are not stored and count as this user's newest, in the order in which they happened. */
      session_events?: SessionEvent[] | null;
      /** The circumstances of the call, as events have them in their attributes, e.g. {"device": "phone"}. Attributes the model does not know are ignored with a warning. */
      context?: {
        [name: string]: unknown;
      } | null;
      /** At the base address. Left out: the account's default project. */
      project_id?: string | null;
      /** Use this model of the project instead of the deployed one. */
      model_id?: string | null;
      /** As in other calls. All items are on one page, so any token is INVALID_PAGE_TOKEN. */
      page_token?: string | null;
    };
    answer: Ranking;
  };
  /** Get the list of a placement. Fields of the call win over the placement's defaults; filters are joined with AND. Without project_id the account's default project is used. */
  '/call-placement': {
    method: 'POST';
    request: {
      /** Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit. */
      placement: string;
      /** Optional with session_events: a visitor without an id. */
      user_id?: string | null;
      /** Similar, together and next: the item to start from. */
      item_id?: string | null;
      /** Several items to start from, or the items of a ranking. */
      item_ids?: string[] | null;
      /** What the list is for. discover: items new to the user; continue: items the user started; again: items the user had before; any: all of them; auto (default): any where the data shows that users come back to items, else discover. */
      objective?: 'auto' | 'discover' | 'continue' | 'again' | 'any' | null;
      /** An item counts as new again this many days after an event other than the target event. */
      touch_days?: number | null;
      /** true: exclude items the user had a target event with; false: allow them. Default: the objective decides. */
      exclude_seen?: boolean | null;
      /** Popular and trending: how far back to count. */
      window_hours?: number | null;
      /** Popular and trending: which events to count. Left out: all. */
      event_type?: string | null;
      /** Item attributes to return; null where an item lacks one. */
      attributes?: string[] | null;
      /** Number of items. */
      limit?: number | null;
      /** Only items that meet it, e.g. genre = 'Drama' AND price < $max. */
      filter_query?: string | null;
      /** Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false or lists of them. */
      filter_params?: {
        [name: string]: string | number | boolean | (string | number | boolean)[];
      } | null;
      /** Items to exclude. */
      exclude_item_ids?: string[] | null;
      /** Exclude items the user had an event of one of these types with. */
      exclude_event_types?: string[] | null;
      /** Multiply the chance of matching items: with factor 2 a matching item becomes twice as likely relative to others. An item outside the plain list can come in. Factors of several boosts multiply. */
      boosts?: Boost[] | null;
      /** Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out is skipped with a warning. */
      pins?: Pin[] | null;
      /** {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled with other items. Or a number from 0 to 1: near-duplicates in taste move down. */
      diversity?: number | DiversityLimits | null;
      /** next_page_token of the page before, with the same request otherwise: the next page of the list. No item comes twice, even while events arrive. limit, attributes, session_events and context may differ. */
      page_token?: string | null;
      /** Events that are not stored and count as this user's newest, in the order in which they happened. */
      session_events?: SessionEvent[] | null;
      /** The circumstances of the call, as events have them in their attributes, e.g. {"device": "phone"}. Attributes the model does not know are ignored with a warning. */
      context?: {
        [name: string]: unknown;
      } | null;
      /** Add score and reasons to each result. */
      explain?: boolean | null;
      /** At the base address. Left out: the account's default project. */
      project_id?: string | null;
      /** Use this model of the project instead of the deployed one. */
      model_id?: string | null;
      /** For editors. The response is the same, but neither counts its lists as served nor its user as a visitor of an experiment. */
      preview?: boolean | null;
    };
    answer: PlacementList;
  };
  /** Get several placements, no item twice. A whole page in one call. An item appears once on the page. Fields next to `placements` apply to all of them. */
  '/compose-page': {
    method: 'POST';
    request: {
      /** Placements from the top of the page to its end, each with fields of its own call if it needs any. */
      placements: PagePlacement[];
      /** Optional with session_events: a visitor without an id. */
      user_id?: string | null;
      /** Similar, together and next: the item to start from. */
      item_id?: string | null;
      /** Several items to start from, or the items of a ranking. */
      item_ids?: string[] | null;
      /** What the list is for. discover: items new to the user; continue: items the user started; again: items the user had before; any: all of them; auto (default): any where the data shows that users come back to items, else discover. */
      objective?: 'auto' | 'discover' | 'continue' | 'again' | 'any' | null;
      /** An item counts as new again this many days after an event other than the target event. */
      touch_days?: number | null;
      /** true: exclude items the user had a target event with; false: allow them. Default: the objective decides. */
      exclude_seen?: boolean | null;
      /** Popular and trending: how far back to count. */
      window_hours?: number | null;
      /** Popular and trending: which events to count. Left out: all. */
      event_type?: string | null;
      /** Item attributes to return; null where an item lacks one. */
      attributes?: string[] | null;
      /** Number of items. */
      limit?: number | null;
      /** Only items that meet it, e.g. genre = 'Drama' AND price < $max. */
      filter_query?: string | null;
      /** Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false or lists of them. */
      filter_params?: {
        [name: string]: string | number | boolean | (string | number | boolean)[];
      } | null;
      /** Items to exclude. */
      exclude_item_ids?: string[] | null;
      /** Exclude items the user had an event of one of these types with. */
      exclude_event_types?: string[] | null;
      /** Multiply the chance of matching items: with factor 2 a matching item becomes twice as likely relative to others. An item outside the plain list can come in. Factors of several boosts multiply. */
      boosts?: Boost[] | null;
      /** Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out is skipped with a warning. */
      pins?: Pin[] | null;
      /** {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled with other items. Or a number from 0 to 1: near-duplicates in taste move down. */
      diversity?: number | DiversityLimits | null;
      /** As in an entry of placements. A token is for one list: with several placements, send it in the entry of its placement. */
      page_token?: string | null;
      /** Events that are not stored and count as this user's newest, in the order in which they happened. */
      session_events?: SessionEvent[] | null;
      /** The circumstances of the call, as events have them in their attributes, e.g. {"device": "phone"}. Attributes the model does not know are ignored with a warning. */
      context?: {
        [name: string]: unknown;
      } | null;
      /** Add score and reasons to each result. */
      explain?: boolean | null;
      /** At the base address. Left out: the account's default project. */
      project_id?: string | null;
      /** Use this model of the project instead of the deployed one. */
      model_id?: string | null;
      /** For editors. The response is the same, but neither counts its lists as served nor its user as a visitor of an experiment. */
      preview?: boolean | null;
    };
    answer: PlacementPage;
  };
  /** Preview a placement before it is saved. For editors: what a definition would show. Nothing is stored. */
  '/preview-placement': {
    method: 'POST';
    request: {
      project_id: string;
      definition: {
        /** for_you: for the user; similar, together, next: instead of, with and after an item; popular, trending, newest: for everybody; continue, again: what the user is not done with or had before; ranking: the given items, sorted for the user. */
        kind:
          | 'for_you'
          | 'similar'
          | 'together'
          | 'next'
          | 'popular'
          | 'trending'
          | 'newest'
          | 'continue'
          | 'again'
          | 'ranking';
        /** Fields of every call of the placement that the call itself does not give. */
        defaults?: PlacementDefaultsInput | null;
        /** Changes that apply for a time or for some users. */
        rules?: PlacementRuleInput[] | null;
        /** Kinds that fill the list, in this order, if fewer than limit items remain. */
        fallback?:
          | ('for_you' | 'similar' | 'together' | 'next' | 'popular' | 'trending' | 'newest' | 'continue' | 'again')[]
          | null;
        fatigue?: Fatigue | null;
      };
      request?: {
        /** Optional with session_events: a visitor without an id. */
        user_id?: string | null;
        /** Similar, together and next: the item to start from. */
        item_id?: string | null;
        /** Several items to start from, or the items of a ranking. */
        item_ids?: string[] | null;
        /** What the list is for. discover: items new to the user; continue: items the user started; again: items the user had before; any: all of them; auto (default): any where the data shows that users come back to items, else discover. */
        objective?: 'auto' | 'discover' | 'continue' | 'again' | 'any' | null;
        /** An item counts as new again this many days after an event other than the target event. */
        touch_days?: number | null;
        /** true: exclude items the user had a target event with; false: allow them. Default: the objective decides. */
        exclude_seen?: boolean | null;
        /** Popular and trending: how far back to count. */
        window_hours?: number | null;
        /** Popular and trending: which events to count. Left out: all. */
        event_type?: string | null;
        /** Item attributes to return; null where an item lacks one. */
        attributes?: string[] | null;
        /** Number of items. */
        limit?: number | null;
        /** Only items that meet it, e.g. genre = 'Drama' AND price < $max. */
        filter_query?: string | null;
        /** Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false or lists of them. */
        filter_params?: {
          [name: string]: string | number | boolean | (string | number | boolean)[];
        } | null;
        /** Items to exclude. */
        exclude_item_ids?: string[] | null;
        /** Exclude items the user had an event of one of these types with. */
        exclude_event_types?: string[] | null;
        /** Multiply the chance of matching items: with factor 2 a matching item becomes twice as likely relative to others. An item outside the plain list can come in. Factors of several boosts multiply. */
        boosts?: Boost[] | null;
        /** Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out is skipped with a warning. */
        pins?: Pin[] | null;
        /** {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled with other items. Or a number from 0 to 1: near-duplicates in taste move down. */
        diversity?: number | DiversityLimits | null;
        /** next_page_token of the page before, with the same request otherwise: the next page of the list. No item comes twice, even while events arrive. limit, attributes, session_events and context may differ. */
        page_token?: string | null;
        /** Events that are not stored and count as this user's newest, in the order in which they happened. */
        session_events?: SessionEvent[] | null;
        /** The circumstances of the call, as events have them in their attributes, e.g. {"device": "phone"}. Attributes the model does not know are ignored with a warning. */
        context?: {
          [name: string]: unknown;
        } | null;
        /** Add score and reasons to each result. */
        explain?: boolean | null;
        /** Use this model of the project instead of the deployed one. */
        model_id?: string | null;
      } | null;
    };
    answer: PlacementList;
  };
  /** Create a placement. A named list of the project that can be changed without a release. */
  '/create-placement': {
    method: 'POST';
    request: {
      project_id: string;
      /** Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit. */
      name: string;
      /** for_you: for the user; similar, together, next: instead of, with and after an item; popular, trending, newest: for everybody; continue, again: what the user is not done with or had before; ranking: the given items, sorted for the user. */
      kind:
        | 'for_you'
        | 'similar'
        | 'together'
        | 'next'
        | 'popular'
        | 'trending'
        | 'newest'
        | 'continue'
        | 'again'
        | 'ranking';
      /** Fields of every call of the placement that the call itself does not give. */
      defaults?: PlacementDefaultsInput | null;
      /** Changes that apply for a time or for some users. */
      rules?: PlacementRuleInput[] | null;
      /** Kinds that fill the list, in this order, if fewer than limit items remain. */
      fallback?:
        | ('for_you' | 'similar' | 'together' | 'next' | 'popular' | 'trending' | 'newest' | 'continue' | 'again')[]
        | null;
      fatigue?: Fatigue | null;
    };
    answer: Placement;
  };
  /** Change a placement. What is left out stays; `fatigue: null` switches fatigue off. The change is kept as a new version. Every node uses it when the call returns. */
  '/update-placement': {
    method: 'PUT';
    request: {
      project_id: string;
      /** Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit. */
      name: string;
      /** for_you: for the user; similar, together, next: instead of, with and after an item; popular, trending, newest: for everybody; continue, again: what the user is not done with or had before; ranking: the given items, sorted for the user. */
      kind?:
        | 'for_you'
        | 'similar'
        | 'together'
        | 'next'
        | 'popular'
        | 'trending'
        | 'newest'
        | 'continue'
        | 'again'
        | 'ranking'
        | null;
      /** Fields of every call of the placement that the call itself does not give. */
      defaults?: PlacementDefaultsInput | null;
      /** Changes that apply for a time or for some users. */
      rules?: PlacementRuleInput[] | null;
      /** Kinds that fill the list, in this order, if fewer than limit items remain. */
      fallback?:
        | ('for_you' | 'similar' | 'together' | 'next' | 'popular' | 'trending' | 'newest' | 'continue' | 'again')[]
        | null;
      fatigue?: Fatigue | null;
      /** Refuse the change if another version is active by now. */
      expected_version?: number | null;
    };
    answer: Placement;
  };
  /** Read a placement */
  '/get-placement': {
    method: 'GET';
    request: {
      project_id: string;
      /** Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit. */
      name: string;
    };
    answer: Placement;
  };
  /** List a project's placements, newest first */
  '/list-placements': {
    method: 'GET';
    request: {
      project_id: string;
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      placements: Placement[];
      next_page_token: string | null;
    };
  };
  /** List the versions of a placement, newest first. Who changed it, when, and what it was. The newest 100 are kept. */
  '/list-placement-versions': {
    method: 'GET';
    request: {
      project_id: string;
      /** Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit. */
      name: string;
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      versions: PlacementVersion[];
      next_page_token: string | null;
    };
  };
  /** Roll back a placement to an earlier version. It becomes a new version, so that this can be undone too. */
  '/rollback-placement': {
    method: 'POST';
    request: {
      project_id: string;
      /** Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit. */
      name: string;
      /** Default: the one before the active version. */
      version?: number | null;
    };
    answer: Placement;
  };
  /** Delete a placement with its versions */
  '/delete-placement': {
    method: 'DELETE';
    request: {
      project_id: string;
      /** Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit. */
      name: string;
    };
    answer: Placement;
  };
  /** Compare variants of a placement. Starts immediately. A user always gets the same variant; calls without a user_id take no part. One experiment runs on a placement at a time. */
  '/create-experiment': {
    method: 'POST';
    request: {
      project_id: string;
      /** Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit. */
      placement: string;
      name?: string | null;
      /** The first one is the control. */
      variants: {
        /** Unique within the experiment. */
        name: string;
        /** Share of the users, relative to the other shares: 1 and 1 are halves. */
        share: number;
        overrides?: VariantOverridesInput | null;
      }[];
      /** Per visitor: click (default), who had an event with the id of a list; target, who had a target event; value, the sum of target values. */
      metric?: 'click' | 'target' | 'value' | null;
      /** No winner is named earlier: weekends differ from workdays. */
      min_days?: number | null;
    };
    answer: Experiment;
  };
  /** Read an experiment and its result so far. Look as often as you like: the intervals are valid for all looks together, and the chance that an experiment without a difference ever names a winner is below 5%. */
  '/get-experiment': {
    method: 'GET';
    request: {
      project_id: string;
      experiment_id: string;
    };
    answer: ExperimentReport;
  };
  /** List a project's experiments, newest first */
  '/list-experiments': {
    method: 'GET';
    request: {
      project_id: string;
      /** Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit. */
      placement?: string;
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      experiments: Experiment[];
      next_page_token: string | null;
    };
  };
  /** Stop an experiment, and promote a variant if you want. With `promote` the overrides of that variant become the next version of the placement, which /rollback-placement can undo. No call fails in between. Also works on an experiment that was stopped before; the same request again changes nothing. */
  '/stop-experiment': {
    method: 'POST';
    request: {
      project_id: string;
      experiment_id: string;
      /** Name of a variant. */
      promote?: string | null;
    };
    answer: Experiment;
  };
  /** List popular, trending or new items. From counts that are kept as events arrive: current within a minute on every node, without training. `popular`: most events in the window. `trending`: events rise above what was expected; items whose rise is not clear are not listed. `newest`: the items stored last. Only items with a record are listed, unless the dataset has none. The list has fewer items than `limit` if no more are known; a filter chooses among the best 20,000. */
  '/list-top-items': {
    method: 'POST';
    request: {
      /** What the list is ordered by. */
      by: 'popular' | 'trending' | 'newest';
      /** The last hours that count. Default: 168 for popular, 24 for trending (at most 168), all time for newest. Up to 2 hours are counted to the minute; longer windows begin at the nearest full hour. */
      window_hours?: number | null;
      /** Count only events of this type. Not for newest. */
      event_type?: string | null;
      /** Who sees the list: for filters with user., and to leave out what the user dislikes. */
      user_id?: string | null;
      /** With a user: which items come first. discover: items new to the user; continue: items the user started; again: items the user had before. The others fill the list, with filled. any, auto (default): all the same. */
      objective?: 'auto' | 'discover' | 'continue' | 'again' | 'any' | null;
      /** true: exclude items the user had a target event with; false: allow them. Default: the objective decides. */
      exclude_seen?: boolean | null;
      /** Item attributes to return; null where an item lacks one. */
      attributes?: string[] | null;
      /** Number of items. */
      limit?: number | null;
      /** Only items that meet it, e.g. genre = 'Drama' AND price < $max. */
      filter_query?: string | null;
      /** Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false or lists of them. */
      filter_params?: {
        [name: string]: string | number | boolean | (string | number | boolean)[];
      } | null;
      /** Items to exclude. */
      exclude_item_ids?: string[] | null;
      /** Exclude items the user had an event of one of these types with. */
      exclude_event_types?: string[] | null;
      /** Multiply the chance of matching items: with factor 2 a matching item becomes twice as likely relative to others. An item outside the plain list can come in. Factors of several boosts multiply. */
      boosts?: Boost[] | null;
      /** Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out is skipped with a warning. */
      pins?: Pin[] | null;
      /** {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled with other items. Or a number from 0 to 1: near-duplicates in taste move down. */
      diversity?: number | DiversityLimits | null;
      /** next_page_token of the page before, with the same request otherwise: the next page of the list. No item comes twice, even while events arrive. limit, attributes, session_events and context may differ. */
      page_token?: string | null;
      /** Events that are not stored and count as this user's newest, in the order in which they happened. */
      session_events?: SessionEvent[] | null;
      /** The circumstances of the call, as events have them in their attributes, e.g. {"device": "phone"}. Attributes the model does not know are ignored with a warning. */
      context?: {
        [name: string]: unknown;
      } | null;
      /** At the base address. Left out: the account's default project. */
      project_id?: string | null;
    };
    answer: TopItems;
  };
  /** Say which lists were seen. Up to 1,000 impressions with 20,000 items in all. An item counts once per list, so sending again changes nothing. Works with a browser key for lists of its project. A time ahead of the clock counts as now. */
  '/record-impressions': {
    method: 'POST';
    request: {
      /** Up to 1,000 impressions. */
      impressions: Impression[];
    };
    answer: {
      recorded: number;
      failures: {
        /** Place of the impression in the request, from 0. */
        index: number;
        code: 'INVALID_RECOMMENDATION_ID' | 'RECOMMENDATION_EXPIRED';
        message: string;
      }[];
    };
  };
  /** Read the results of placements. Lists served and shown, clicks, target events and value by placement, variant and day or hour, with 95% intervals. Everything counts for the time in which the list was made, also when the event comes later. From counters that are kept as events arrive: exact and in milliseconds. Served lists appear within a second or two. */
  '/get-placement-report': {
    method: 'GET';
    request: {
      /** Default: the account's default project. */
      project_id?: string;
      /** Only this placement. Default: all. */
      placement?: string;
      /** Default: 30 days before to_ts. */
      from_ts?: number;
      /** Up to but not including. Default: now. */
      to_ts?: number;
      /** Rows per day (default), per hour (up to 31 days) or only totals. Days are UTC. */
      by?: 'hour' | 'day' | 'total';
    };
    answer: PlacementReport;
  };
  /** Check the data of a project. Reads events and items once and looks for what makes recommendations worse. Read the report with /get-data-health. A repeated call returns the same job while it waits or runs. */
  '/submit-data-health-job': {
    method: 'POST';
    request: {
      project_id: string;
      /** Default: what the job does and when, such as "Training of Nov 15, 20:36" (UTC). */
      name?: string | null;
    };
    answer: SubmittedJob;
  };
  /** Read the newest check of a project’s data */
  '/get-data-health': {
    method: 'GET';
    request: {
      /** Default: the account's default project. */
      project_id?: string;
    };
    answer: {
      project_id: string;
      report: HealthReport | null;
      running_job_id: string | null;
    };
  };
  /** See how fresh data and model are, and how fast lists are returned */
  '/get-project-status': {
    method: 'GET';
    request: {
      /** Default: the account's default project. */
      project_id?: string;
    };
    answer: ProjectStatus;
  };
  /** Read plan and usage */
  '/get-account': {
    method: 'GET';
    request: {
      [name: string]: unknown;
    };
    answer: Account;
  };
  /** Choose the default project. Recommendation calls without a `project_id` use the default project. Returns when every API node uses it. */
  '/update-account': {
    method: 'PUT';
    request: {
      default_project_id?: string | null;
    };
    answer: Account;
  };
  /** List the account's API keys, newest first */
  '/list-api-keys': {
    method: 'GET';
    request: {
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      api_keys: ApiKey[];
      next_page_token: string | null;
    };
  };
  /** Create an API key. The key and secret are in this response only. `scopes` limits what the key may call. It cannot exceed the scope of this call's token, which is also the default. The key expires no later than the key of this call. A `browser` key needs `origins` and `project_id`, has no secret, and its `api_key` is public. An account can have 100 active keys. */
  '/create-api-key': {
    method: 'POST';
    request: {
      name: string;
      /** `secret` (default): for programs, with a client secret. `browser`: public, for web pages: it may only track events, record impressions and call placements of one project. */
      kind?: 'secret' | 'browser' | null;
      /** Operation paths, or `*`. Default: what the token of this call covers. */
      scopes?: string[] | null;
      /** When it stops working. Default: when the key of this call does. */
      expires_ts?: number | null;
      /** For `browser` keys, required: exact origins of the pages that use it, such as `https://shop.example`. */
      origins?: string[] | null;
      /** For `browser` keys, required: the one project it is for. */
      project_id?: string | null;
    };
    answer: {
      key_id: string;
      name: string;
      kind: 'secret' | 'browser';
      /** First characters of the key; of a browser key all of it. */
      hint: string;
      /** Operation paths its tokens may cover, or `*`. Of a browser key `*` is all that browser keys may call. */
      scopes: string[];
      /** Browser keys: the origins of pages that may use it. */
      origins: string[];
      project_id: string | null;
      expires_ts: number | null;
      rotated_ts: number | null;
      previous_secret_until_ts: number | null;
      disabled: boolean;
      created_ts: number;
      api_key: string;
      /** Not of a browser key. */
      client_secret?: string;
    };
  };
  /** Give an API key a new secret. The new secret is in this response only. The old secret and its tokens work until the grace time ends; the API key does not change. A second rotation ends the oldest secret at once. The key must not cover more or last longer than the key of this call. */
  '/rotate-api-key': {
    method: 'POST';
    request: {
      key_id: string;
      /** How long the old secret still works. 0: not at all, for a secret that leaked. */
      grace_hours?: number | null;
    };
    answer: {
      key_id: string;
      name: string;
      kind: 'secret' | 'browser';
      /** First characters of the key; of a browser key all of it. */
      hint: string;
      /** Operation paths its tokens may cover, or `*`. Of a browser key `*` is all that browser keys may call. */
      scopes: string[];
      /** Browser keys: the origins of pages that may use it. */
      origins: string[];
      project_id: string | null;
      expires_ts: number | null;
      rotated_ts: number | null;
      previous_secret_until_ts: number | null;
      disabled: boolean;
      created_ts: number;
      current: boolean;
      client_secret: string;
    };
  };
  /** Disable an API key. Takes effect within 10 seconds on all nodes, including for tokens issued with the key. The key must not cover more or last longer than the key of this call. The last active key, and the last one that covers everything, cannot be disabled. */
  '/disable-api-key': {
    method: 'POST';
    request: {
      key_id: string;
    };
    answer: ApiKey;
  };
  /** List changes: who did what, when, newest first. Each change of the account is in the log before its call returns. Calls that write or delete records count in one entry per key, dataset and hour; upserts appear within seconds. The newest 50,000 entries of the last 400 days are kept. */
  '/list-audit-entries': {
    method: 'GET';
    request: {
      /** Changes from this time on. */
      from_ts?: number;
      /** Changes before this time. */
      to_ts?: number;
      /** One operation, such as `/create-api-key`. */
      operation?: string;
      /** Changes by this API key. */
      key_id?: string;
      /** Changes by this person. */
      person_id?: string;
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      audit_entries: AuditEntry[];
      next_page_token: string | null;
    };
  };
  /** Create a webhook. Sends a signed POST request for each of the events. `secret`, which checks the signature, is in this response only. A delivery that fails is repeated for about a day and a half. An account can have 20 webhooks. */
  '/create-webhook': {
    method: 'POST';
    request: {
      /** Receives POST requests. */
      url: string;
      events: (
        | 'job.failed'
        | 'model.trained'
        | 'model.deployed'
        | 'model.rejected'
        | 'experiment.decided'
        | 'data.warning'
      )[];
    };
    answer: {
      webhook_id: string;
      /** Receives POST requests. */
      url: string;
      events: (
        | 'job.failed'
        | 'model.trained'
        | 'model.deployed'
        | 'model.rejected'
        | 'experiment.decided'
        | 'data.warning'
      )[];
      created_ts: number;
      last_attempt: WebhookAttempt | null;
      secret: string;
    };
  };
  /** List the account's webhooks, newest first */
  '/list-webhooks': {
    method: 'GET';
    request: {
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      webhooks: Webhook[];
      next_page_token: string | null;
    };
  };
  /** Delete a webhook. Deliveries that wait are dropped. */
  '/delete-webhook': {
    method: 'DELETE';
    request: {
      webhook_id: string;
    };
    answer: Webhook;
  };
  /** List who is signed in to the console. Sessions of people who signed in with OpenID Connect, newest first. At most 10 per person and 1,000 per account. */
  '/list-console-sessions': {
    method: 'GET';
    request: {
      /** Entries per page, fewer if they are large. Default 1000. */
      page_size?: number;
      page_token?: string;
    };
    answer: {
      sessions: ConsoleSession[];
      next_page_token: string | null;
    };
  };
  /** Sign people out of the console. Ends one session, or all sessions of a person. Takes effect within 10 seconds on all nodes. It does not keep the person from signing in again: remove them at the provider or from the settings of roles. */
  '/end-console-sessions': {
    method: 'POST';
    request: {
      session_id?: string | null;
      person_id?: string | null;
    };
    answer: {
      ended: number;
    };
  };
}

/** What the download of a querying or clustering job holds. */
export type ResultFile = UserListResult | UserDistributionResult | ClusteringResult;
