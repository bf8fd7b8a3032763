// Made by "npm run generate" from the API description; not edited by hand.
// The named objects of the API, as requests and responses have them.

/** A problem document (RFC 9457). */
export type Problem = {
  type: string;
  title: string;
  status: number;
  /** What happened and what to do. */
  detail: string;
  /** The path that was called. */
  instance: string;
  code:
    | 'INVALID_REQUEST'
    | 'INVALID_JSON'
    | 'INVALID_ENCODING'
    | 'UNKNOWN_FIELD'
    | 'BATCH_TOO_LARGE'
    | 'INVALID_FILTER'
    | 'FILTER_TOO_COSTLY'
    | 'INVALID_ALGORITHM_PARAMETER'
    | 'INVALID_PAGE_TOKEN'
    | 'UNAUTHENTICATED'
    | 'TOKEN_EXPIRED'
    | 'INSUFFICIENT_SCOPE'
    | 'API_KEY_MISMATCH'
    | 'ORIGIN_NOT_ALLOWED'
    | 'PLAN_LIMIT_EXCEEDED'
    | 'DESTINATION_NOT_ALLOWED'
    | 'SOURCE_NOT_ALLOWED'
    | 'ROUTE_NOT_FOUND'
    | 'DATASET_NOT_FOUND'
    | 'RECORD_NOT_FOUND'
    | 'PROJECT_NOT_FOUND'
    | 'ALGORITHM_NOT_FOUND'
    | 'MODEL_NOT_FOUND'
    | 'JOB_NOT_FOUND'
    | 'WEBHOOK_NOT_FOUND'
    | 'PLACEMENT_NOT_FOUND'
    | 'EXPERIMENT_NOT_FOUND'
    | 'SESSION_NOT_FOUND'
    | 'KEY_NOT_FOUND'
    | 'RESULT_NOT_FOUND'
    | 'METHOD_NOT_ALLOWED'
    | 'REQUEST_TIMEOUT'
    | 'DATASET_IN_USE'
    | 'PROJECT_IN_USE'
    | 'MODEL_DEPLOYED'
    | 'NO_MODEL_DEPLOYED'
    | 'NO_EARLIER_DEPLOYMENT'
    | 'PLACEMENT_EXISTS'
    | 'PLACEMENT_CHANGED'
    | 'VARIANT_PROMOTED'
    | 'EXPERIMENT_RUNNING'
    | 'TOO_MANY_PLACEMENTS'
    | 'JOB_FINISHED'
    | 'LAST_KEY'
    | 'LINK_EXPIRED'
    | 'BODY_TOO_LARGE'
    | 'ANSWER_TOO_LARGE'
    | 'UNSUPPORTED_MEDIA_TYPE'
    | 'RATE_LIMITED'
    | 'TOO_MANY_JOBS'
    | 'INTERNAL_ERROR'
    | 'OVERLOADED'
    | 'STARTING'
    | 'SHUTTING_DOWN'
    | 'STORE_UNAVAILABLE';
  /** Also in the header x-request-id and in the logs. */
  request_id: string;
  errors?: {
    /** JSON pointer. */
    pointer: string;
    message: string;
  }[];
};

export type Account = {
  account_id: string;
  name: string;
  plan: {
    max_event_shards: number;
    max_training_hours: number;
    max_qps: number;
    max_storage_bytes: number;
  };
  usage: {
    event_shards: number;
    training_hours: number;
    /** Bytes of users, items and events, including the overhead of their rows. */
    storage_bytes: number;
  };
  default_project_id: string | null;
};

export type Algorithm = {
  project_id: string;
  algorithm_id: string;
  name: string;
  algorithm_type: 'G1';
  algorithm_parameters: {
    [name: string]: unknown;
  };
  created_ts: number;
};

export type ApiKey = {
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
  /** The key of this call. */
  current: boolean;
};

/** Attribute name to handling: `NUMERICAL` (compared by value) or `CATEGORICAL` (compared by match). */
export type AttributeSchema = {
  [name: string]: 'NUMERICAL' | 'CATEGORICAL';
};

export type AttributeStatistics = {
  attribute: string;
  handling: 'NUMERICAL' | 'CATEGORICAL';
  records: number;
  distinct: number;
  distinct_is_lower_bound: boolean;
  min: number | null;
  max: number | null;
  mean: number | null;
  top_values: {
    value: string | number | boolean;
    count: number;
  }[];
  histogram: {
    from: number;
    to: number;
    count: number;
  }[];
};

export type AuditEntry = {
  entry_id: string;
  created_ts: number;
  /** Time of the last call that counts in the entry. */
  last_ts: number;
  actor: {
    /** `person`: someone who signed in to the console. `operator`: a command on the machine of the service. `automation`: the service itself, by the rules of a project. */
    kind: 'key' | 'person' | 'operator' | 'automation';
    /** The id of the API key or person. */
    id: string;
    name: string | null;
  };
  /** Path of the call, or the command. */
  operation: string;
  object_id: string | null;
  /** What was sent, without secrets, ids of users and free text. */
  summary: string;
  /** More than 1 for calls that write or delete records: an hour of them is one entry. */
  calls: number;
  /** Records written or deleted. */
  records: number;
  request_id: string | null;
};

export type Automation = {
  retrain: RetrainRule;
  /** if_not_worse (default): compares the new model with the deployed one on the newest events and deploys it unless it is worse. */
  deploy?: 'if_not_worse' | 'always' | 'never';
  /** Older models are deleted, except deployed models and the one to roll back to. */
  keep_models?: number;
};

export type AutomationDecision = {
  decision_id: string;
  project_id: string;
  decided_ts: number;
  /** deploy: a deployment was submitted; reject: the model is worse; keep: it is not deployed, see reason. */
  decision: 'deploy' | 'reject' | 'keep';
  reason: string;
  model_id: string;
  training_job_id: string;
  deployment_job_id: string | null;
  comparison: ModelComparison | null;
};

export type AutomationInput = {
  retrain: RetrainRuleInput;
  /** if_not_worse (default): compares the new model with the deployed one on the newest events and deploys it unless it is worse. */
  deploy?: 'if_not_worse' | 'always' | 'never' | null;
  /** Older models are deleted, except deployed models and the one to roll back to. */
  keep_models?: number | null;
};

export type AutomationStatus = {
  project_id: string;
  automation: Automation | null;
  /** Events added since the newest model was trained. */
  new_events: number;
  next_training_ts: number | null;
  training_job_id: string | null;
  /** Trainings that failed in a row. Each one doubles the wait before the next. */
  failures: number;
  message: string | null;
  rollback_model_id: string | null;
};

export type Boost = {
  /** Which items. */
  filter_query: string;
  /** The chance of matching items is multiplied by this. */
  factor: number;
};

export type Calibration = {
  predicted: number;
  observed: number;
  /** |predicted − observed| over all users compared, on events held out when the model was trained. */
  error: number;
  /** The same within each tenth of users by predicted usage, lowest first. */
  tenths: {
    predicted: number;
    observed: number;
  }[];
  /** Mean over the tenths of |predicted − observed|. */
  error_by_tenth: number;
  /** Slope of observed on predicted usage over users: 1 if users differ as much as predicted. */
  slope: number;
};

export type CalibrationMethod = {
  /** Where the observed events come from, or why there are none. */
  method: string;
  /** Comparisons made; a user whose last items were held out one by one counts once per item. */
  users: number;
};

export type ChangedBy = {
  /** The API key, or the id of a person who signed in to the console. */
  key_id: string;
  key_name: string | null;
  /** The person, if no API key made the change. */
  person_id?: string;
};

export type ClusteringResult = {
  job_id: string;
  project_id: string;
  model_id: string;
  created_ts: number;
  /** Users of the user dataset and users with events. */
  total_users: number;
  /** Users about whom nothing is known; in a clustering result, users without usable events. */
  population_users: number;
  /** The result in one sentence. */
  message: string;
  cluster_type: 'user';
  parameters: {
    min_user_num: number;
    num_clusters: number | null;
    seed: number;
  };
  num_groups: number;
  silhouette: number | null;
  tried: {
    num_clusters: number;
    silhouette: number;
  }[];
  groups: UserGroup[];
  unassigned: {
    count: number;
    group_too_small: number;
    no_history: number;
    user_ids: string[];
  };
  /** A sample of users on a plane; close points have similar taste. */
  map: {
    user_id: string;
    group_id: number | null;
    x: number;
    y: number;
  }[];
};

export type ConsoleSession = {
  session_id: string;
  /** The same for the same person at the same provider. */
  person_id: string;
  /** The e-mail address, or the name the provider gave. */
  name: string;
  role: 'viewer' | 'editor' | 'admin';
  /** The browser, as it describes itself. */
  user_agent: string;
  created_ts: number;
  /** Last use, to the minute. */
  seen_ts: number;
  expires_ts: number;
  /** The session of this call. */
  current: boolean;
};

export type Deployment = {
  project_id: string;
  /** Increases by one with every switch. */
  version: number;
  generator_model_id: string;
  ranker_model_id: string | null;
  qps: number;
  job_id: string;
  created_ts: number;
  serving_uri: string;
};

export type DiversityLimits = {
  max_per: {
    [name: string]: number;
  };
};

export type Estimate = {
  estimate: number;
  low: number;
  high: number;
};

export type EventDataset = {
  event_dataset_id: string;
  name: string;
  num_shards: number;
  attribute_schema: AttributeSchema | null;
  created_ts: number;
  /** Records now in the dataset. */
  num_records: number;
  /** Handling of the attributes seen in a sample of the newest records. */
  inferred_attribute_schema: {
    [name: string]: 'NUMERICAL' | 'CATEGORICAL';
  };
};

export type EventRecord = {
  event_id: string;
  user_id: string;
  item_id: string;
  /** Milliseconds since 1970. */
  ts: number;
  event_type: string;
  /** Weight in training; default 1. */
  event_value?: number;
  /** Attribute name to value: string, number, boolean, or an array of them; null = absent. */
  attributes?: {
    [name: string]: unknown;
  };
  /** recommendation_id of the response that the item was shown from. The event then counts in /get-placement-report. One that this account never got is refused; after 31 days it no longer counts. */
  recommendation_id?: string;
};

export type EventRecordInput = {
  event_id: string;
  user_id: string;
  item_id: string;
  /** Milliseconds since 1970. */
  ts: number;
  event_type: string;
  /** Weight in training; default 1. */
  event_value?: number | null;
  /** Attribute name to value: string, number, boolean, or an array of them; null = absent. */
  attributes?: {
    [name: string]: unknown;
  } | null;
  /** recommendation_id of the response that the item was shown from. The event then counts in /get-placement-report. One that this account never got is refused; after 31 days it no longer counts. */
  recommendation_id?: string | null;
};

export type EventStatistics = {
  event_dataset_id: string;
  first_ts: number | null;
  last_ts: number | null;
  types: {
    event_type: string;
    count: number;
  }[];
  over_time: {
    from_ts: number;
    count: number;
  }[];
};

export type Experiment = {
  experiment_id: string;
  project_id: string;
  name: string;
  placement: string;
  variants: ExperimentVariant[];
  metric: 'click' | 'target' | 'value';
  min_days: number;
  status: 'RUNNING' | 'STOPPED';
  created_ts: number;
  stopped_ts: number | null;
  promoted: string | null;
  decided: ExperimentDecision | null;
};

export type ExperimentDecision = {
  decided_ts: number;
  winner: string;
  sentence: string;
};

export type ExperimentReport = {
  experiment_id: string;
  project_id: string;
  name: string;
  placement: string;
  variants: ExperimentVariant[];
  metric: 'click' | 'target' | 'value';
  min_days: number;
  status: 'RUNNING' | 'STOPPED';
  created_ts: number;
  stopped_ts: number | null;
  promoted: string | null;
  decided: ExperimentDecision | null;
  results: ExperimentResults;
  /** Lifts over time, oldest first: hour by hour for two weeks, then day by day. */
  history: {
    ts: number;
    variants: {
      name: string;
      lift: number | null;
      lift_interval: number[] | null;
    }[];
  }[];
};

export type ExperimentResults = {
  variants: {
    name: string;
    share: number;
    /** Users who got at least one list. */
    visitors: number;
    /** How many of them clicked, had a target event or brought value. */
    converted: number;
    visitors_with: {
      /** Visitors who clicked, whatever the metric of the experiment is. */
      click: number;
      /** Visitors who had a target event. */
      target: number;
      /** Visitors who brought value. */
      value: number;
    };
    rate: number | null;
    rate_interval: number[] | null;
    lift: number | null;
    lift_interval: number[] | null;
    /** The same for every metric. The experiment is decided by its own. */
    metrics: {
      click: MetricReading;
      target: MetricReading;
      value: MetricReading;
    };
  }[];
  /** false: visitors were lost or doubled; do not trust the figures. */
  split_as_planned: boolean;
  winner: string | null;
  /** The result in plain words. */
  sentence: string;
};

export type ExperimentVariant = {
  name: string;
  share: number;
  overrides: VariantOverrides;
};

export type Fatigue = {
  /** Shown this often without an event. */
  after: number;
  /** Within this many days. */
  days: number;
};

export type HealthFinding = {
  code:
    | 'NO_EVENTS'
    | 'NO_TARGET_EVENTS'
    | 'TIMES_IN_SECONDS'
    | 'TIMES_BEFORE_2000'
    | 'TIMES_IN_FUTURE'
    | 'TIMES_EQUAL'
    | 'TIMES_WITHOUT_CLOCK'
    | 'SIMILAR_TYPES'
    | 'UNKNOWN_ITEMS'
    | 'ITEMS_WITHOUT_ATTRIBUTES'
    | 'TEXTS_AMONG_NUMBERS'
    | 'USERS_WITH_ONE_EVENT'
    | 'DUPLICATE_EVENTS';
  /** `warning`: recommendations are worse for it. `note`: rare, or good to know. */
  level: 'warning' | 'note';
  /** What was found. */
  title: string;
  /** Events, items or users, as the title says. */
  count: number;
  /** Share of all events, items or users, 0 to 1. */
  share: number;
  /** What it costs in quality. */
  cost: string;
  /** How to fix it. */
  fix: string;
  /** Up to 5 ids of items, types or times; never ids of users. */
  examples: string[];
};

export type HealthReport = {
  checked_ts: number;
  took_ms: number;
  events: number;
  /** Users with events. */
  users: number;
  /** Items with events. */
  items: number;
  item_records: number;
  users_with_one_event: number;
  first_ts: number | null;
  last_ts: number | null;
  /** Events per type, the most frequent first, up to 50. */
  types: {
    event_type: string;
    count: number;
  }[];
  hours: {
    /** Start of the first hour (UTC). */
    from_ts: number;
    types: {
      event_type: string;
      counts: number[];
    }[];
  } | null;
  /** Warnings first. Empty: nothing is wrong. */
  findings: HealthFinding[];
};

export type Impression = {
  /** The id that the response had. */
  recommendation_id: string;
  /** Items that were seen. Left out: the whole list. Assisted events and fatigue need them. */
  item_ids?: string[] | null;
  /** When, in milliseconds; default now. */
  ts?: number | null;
  /** Who saw it. With it, events that were stored before the impression count as assisted too. */
  user_id?: string | null;
};

export type ItemDataset = {
  item_dataset_id: string;
  name: string;
  num_shards: number;
  attribute_schema: AttributeSchema | null;
  created_ts: number;
  /** Records now in the dataset. */
  num_records: number;
  /** Handling of the attributes seen in a sample of the newest records. */
  inferred_attribute_schema: {
    [name: string]: 'NUMERICAL' | 'CATEGORICAL';
  };
};

export type ItemPatch = {
  item_id: string;
  /** Attribute name to its new value; null removes the attribute. The whole value is replaced. */
  set?: {
    [name: string]: unknown;
  } | null;
  /** Names of attributes to remove. */
  unset?: string[] | null;
};

export type ItemRecord = {
  item_id: string;
  /** Attribute name to value: string, number, boolean, or an array of them; null = absent. */
  attributes?: {
    [name: string]: unknown;
  };
};

export type ItemRecordInput = {
  item_id: string;
  /** Attribute name to value: string, number, boolean, or an array of them; null = absent. */
  attributes?: {
    [name: string]: unknown;
  } | null;
};

export type Job = {
  project_id: string;
  job_id: string;
  job_type:
    | 'TRAINING'
    | 'DEPLOYMENT'
    | 'QUERYING'
    | 'CLUSTERING'
    | 'RECOMMENDATION'
    | 'EXPORT'
    | 'DATA_HEALTH'
    | 'IMPORT';
  created_ts: number;
  name: string;
  job_data: {
    [name: string]: unknown;
  };
  /** null until the job has succeeded. */
  job_result: {
    [name: string]: unknown;
  } | null;
  job_status: 'PENDING' | 'RUNNING' | 'SUCCEED' | 'FAILED' | 'CANCELLED';
  /** Automatic retries so far, up to 3. */
  retry_count: number;
  progress: JobProgress;
  started_ts: number | null;
  finished_ts: number | null;
  failure_reason: JobFailure | null;
};

export type JobFailure = {
  code: string;
  message: string;
};

export type JobProgress = {
  fraction: number;
  phase: string;
  message: string;
  /** While a training job runs: the methods tried so far, in order, with their settings and their NDCG on held-out events. */
  tried?: {
    family: string;
    ndcg: number;
  }[];
  spark?: {
    /** Trainings that count on Spark: the application. `job_result` names it too when it has succeeded. */
    application_id: string;
    /** The application's page while it runs. */
    address: string;
  };
};

export type ListWarning = {
  code: string;
  message: string;
};

export type MetricReading = {
  rate: number | null;
  rate_interval: number[] | null;
  lift: number | null;
  lift_interval: number[] | null;
};

export type Model = {
  project_id: string;
  model_id: string;
  name: string;
  algorithm_type: 'G1';
  algorithm_parameters: {
    [name: string]: unknown;
  };
  created_ts: number;
  job_id: string;
  /** Metrics on held-out newest events, for the model and for a list of the most popular items. */
  metrics: ModelMetrics | null;
  /** Training facts: events, users, items, seconds, peak memory, settings used. */
  training: {
    [name: string]: unknown;
  };
  /** True if the project serves it, as generator or as ranker. */
  deployed: boolean;
};

export type ModelComparison = {
  compared_model_id: string;
  verdict: 'better' | 'not_worse' | 'worse' | 'too_few_users';
  /** Users with new events who were asked about. */
  users: number;
  since_ts: number | null;
  ndcg: number | null;
  compared_ndcg: number | null;
  difference: number | null;
  interval: number[] | null;
};

export type ModelMetrics = {
  model: QualityFigures;
  popularity: QualityFigures;
  cutoff: number;
  users: number;
  objective?: 'discover' | 'continue' | 'again' | 'any';
  moment?: 'arriving' | 'browsing';
  /** Figures for each objective and moment with 95% intervals; the first are the ones above. Figures of other objectives, moments or data are about other questions: do not compare them. */
  by_question?: QualityMeasure[];
  relations?: {
    similar?: RelationMeasure;
    together?: RelationMeasure;
    next?: RelationMeasure;
  };
};

export type OAuthProblem = {
  error: string;
  error_description: string;
};

export type PagePlacement = {
  /** Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit. */
  name: string;
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
};

export type Pin = {
  /** 1 is the first. */
  position: number;
  item_id: string;
};

export type Placement = {
  project_id: string;
  name: string;
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
  defaults: PlacementDefaults;
  /** Changes that apply for a time or for some users. */
  rules: PlacementRule[];
  fallback: ('for_you' | 'similar' | 'together' | 'next' | 'popular' | 'trending' | 'newest' | 'continue' | 'again')[];
  fatigue: Fatigue | null;
  created_ts: number;
  /** Counts the changes from 1. */
  version: number;
  /** What the newest change was. */
  change: 'created' | 'updated' | 'rolled_back';
  changed_ts: number;
  changed_by: ChangedBy;
};

/** Fields of every call of the placement that the call itself does not give. */
export type PlacementDefaults = {
  /** Item attributes to return; null where an item lacks one. */
  attributes?: string[];
  /** Number of items. */
  limit?: number;
  /** Only items that meet it, e.g. genre = 'Drama' AND price < $max. */
  filter_query?: string | null;
  /** Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false or lists of them. */
  filter_params?: {
    [name: string]: string | number | boolean | (string | number | boolean)[];
  };
  /** Items to exclude. */
  exclude_item_ids?: string[];
  /** Exclude items the user had an event of one of these types with. */
  exclude_event_types?: string[];
  /** Multiply the chance of matching items: with factor 2 a matching item becomes twice as likely relative to others. An item outside the plain list can come in. Factors of several boosts multiply. */
  boosts?: Boost[];
  /** Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out is skipped with a warning. */
  pins?: Pin[];
  /** {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled with other items. Or a number from 0 to 1: near-duplicates in taste move down. */
  diversity?: number | DiversityLimits;
  /** The circumstances of the call, as events have them in their attributes, e.g. {"device": "phone"}. Attributes the model does not know are ignored with a warning. */
  context?: {
    [name: string]: unknown;
  };
  /** Use this model of the project instead of the deployed one. */
  model_id?: string;
  /** What the list is for. discover: items new to the user; continue: items the user started; again: items the user had before; any: all of them; auto (default): any where the data shows that users come back to items, else discover. */
  objective?: 'auto' | 'discover' | 'continue' | 'again' | 'any';
  /** An item counts as new again this many days after an event other than the target event. */
  touch_days?: number;
  /** true: exclude items the user had a target event with; false: allow them. Default: the objective decides. */
  exclude_seen?: boolean;
  /** Popular and trending: how far back to count. */
  window_hours?: number;
  /** Popular and trending: which events to count. Left out: all. */
  event_type?: string;
};

/** Fields of every call of the placement that the call itself does not give. */
export type PlacementDefaultsInput = {
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
  /** The circumstances of the call, as events have them in their attributes, e.g. {"device": "phone"}. Attributes the model does not know are ignored with a warning. */
  context?: {
    [name: string]: unknown;
  } | null;
  /** Use this model of the project instead of the deployed one. */
  model_id?: string | null;
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
};

export type PlacementEffect = {
  /** Items with an event, each counted once per list. */
  clicked: number;
  /** Items with a target event, each counted once per list. */
  converted: number;
  target_events: number;
  /** Sum of event_value of the target events. */
  value: number;
  click_rate: Estimate | null;
  target_rate: Estimate | null;
  value_per_list: Estimate | null;
};

export type PlacementList = {
  placement: string | null;
  version: number | null;
  variant: string | null;
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
  /** Names of the rules that were active. */
  rules: string[];
  user_id: string | null;
  item_ids?: string[];
  limit: number;
  attributes: string[];
  filter_query: string | null;
  objective?: 'discover' | 'continue' | 'again' | 'any';
  relation?: 'similar' | 'together' | 'next';
  model_id: string | null;
  /** Identifies this list. Send it with the events it leads to. Signed by the service. */
  recommendation_id: string;
  next_page_token: string | null;
  /** Likely mistakes in the request: UNKNOWN_CONTEXT, UNKNOWN_ITEM, DISLIKED_ITEM, UNKNOWN_ATTRIBUTE, WRONG_TYPE, FILTER_MATCHES_NOTHING, PIN_SKIPPED, RELATION_REPLACED. */
  warnings?: ListWarning[];
  results: RecommendedItem[];
};

export type PlacementPage = {
  placements: PlacementList[];
};

export type PlacementReport = {
  project_id: string;
  target_event_type: string;
  by: 'hour' | 'day' | 'total';
  from_ts: number;
  to_ts: number;
  rows: PlacementReportRow[];
  /** Each placement and variant over the whole time. */
  totals: PlacementReportRow[];
};

export type PlacementReportRow = {
  placement: string | null;
  experiment_id: string | null;
  variant: string | null;
  ts: number | null;
  /** Lists that were returned. */
  served: number;
  served_items: number;
  /** Lists with an impression. */
  shown_lists: number;
  /** Items with an impression, each counted once per list. */
  shown: number;
  /** What rates are shares of: the items shown if at least half of the lists have impressions and no more items were clicked than shown, else the items served. */
  rates_of: 'shown' | 'served';
  /** From events that carry the recommendation_id. */
  direct: PlacementEffect;
  /** From events of the same user with an item in the hours after it was shown (`assist_window_hours` of the project), without the recommendation_id. A list counts an item here only if none of its events is direct. An event assists every list that showed the item, so do not add these figures over placements. */
  assisted: PlacementEffect;
};

export type PlacementRule = {
  name: string;
  /** Active from this time on. */
  from_ts?: number;
  /** Active until this time. */
  to_ts?: number;
  /** A filter over the user and the context, e.g. user.country = 'DE' AND context.device = 'phone'. */
  only_if?: string;
  /** Only items that also meet this. */
  filter_query?: string;
  /** Multiply the chance of matching items: with factor 2 a matching item becomes twice as likely relative to others. An item outside the plain list can come in. Factors of several boosts multiply. */
  boosts?: Boost[];
  /** Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out is skipped with a warning. */
  pins?: Pin[];
};

export type PlacementRuleInput = {
  name: string;
  /** Active from this time on. */
  from_ts?: number | null;
  /** Active until this time. */
  to_ts?: number | null;
  /** A filter over the user and the context, e.g. user.country = 'DE' AND context.device = 'phone'. */
  only_if?: string | null;
  /** Only items that also meet this. */
  filter_query?: string | null;
  /** Multiply the chance of matching items: with factor 2 a matching item becomes twice as likely relative to others. An item outside the plain list can come in. Factors of several boosts multiply. */
  boosts?: Boost[] | null;
  /** Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out is skipped with a warning. */
  pins?: Pin[] | null;
};

export type PlacementVersion = {
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
  defaults: PlacementDefaults;
  /** Changes that apply for a time or for some users. */
  rules: PlacementRule[];
  fallback: ('for_you' | 'similar' | 'together' | 'next' | 'popular' | 'trending' | 'newest' | 'continue' | 'again')[];
  fatigue: Fatigue | null;
  /** Counts the changes from 1. */
  version: number;
  /** What the newest change was. */
  change: 'created' | 'updated' | 'rolled_back';
  changed_ts: number;
  changed_by: ChangedBy;
};

export type Project = {
  project_id: string;
  name: string;
  project_type: 'RECOMMEND_ITEMS_TO_USER';
  user_dataset_id: string;
  item_dataset_id: string;
  event_dataset_id: string;
  target_event_type: string;
  segment_mapping: SegmentMapping | null;
  automation: Automation | null;
  /** For how many hours after an item was shown events without a recommendation_id count as assisted (default: 24). A change applies to items that are shown from then on. */
  assist_window_hours: number;
  /** Address of the project's recommendation service. */
  serving_uri: string;
  created_ts: number;
};

export type ProjectStatus = {
  project_id: string;
  /** What is stored. */
  data: {
    /** Records of users. */
    users: number;
    /** Records of items. */
    items: number;
    events: number;
    newest_event_ts: number | null;
  };
  model: {
    model_id: string;
    name: string;
    created_ts: number;
    events: number | null;
    new_events: number | null;
  } | null;
  /** Calls for lists of the whole account at the node that responds, and the time they took there. */
  serving: {
    /** The figures are of this many minutes. */
    minutes: number;
    calls: number;
    p50_ms: number | null;
    p99_ms: number | null;
  };
  health: {
    checked_ts: number;
    warnings: number;
    notes: number;
  } | null;
  /** Topics that the role kafka reads into the datasets of the project. */
  streams: {
    /** Consumer group and topic. */
    stream: string;
    messages: number;
    /** Messages that could not be stored. */
    skipped: number;
    /** Messages that Kafka deleted before they were read. */
    lost: number;
  }[];
  failed_job: {
    job_id: string;
    job_type: string;
    name: string;
    message: string;
  } | null;
};

export type QualityFigures = {
  recall: number;
  ndcg: number;
  mrr: number;
  coverage: number;
  /** Share of the lists with at least one of the items. Absent in models of 0.1.0. */
  hit_rate?: number;
};

export type QualityMeasure = {
  objective: 'discover' | 'continue' | 'again' | 'any';
  moment: 'arriving' | 'browsing';
  asked_for: 'next visits' | 'next item' | 'random fifth';
  /** How many of the newest days were held back. Absent if they were not by a date. */
  days?: number;
  model: QualityFigures;
  popularity: QualityFigures;
  newest?: QualityFigures;
  users: number;
  questions: number;
  intervals: {
    recall: number[];
    ndcg: number[];
    hit_rate: number[];
  };
  /** Share of the first ten that the user had touched before. */
  touched_share: number;
};

export type RankedItem = {
  /** item_id and one key per requested attribute. */
  item: {
    item_id: string;
    [name: string]: unknown;
  };
  /** true: the item does not meet the objective; it fills up a list that would be too short. */
  filled?: boolean;
  /** true: a pin placed it here. */
  pinned?: boolean;
  score?: number | null;
  reasons?: Reason[];
};

export type Ranking = {
  user_id: string | null;
  attributes: string[];
  filter_query: string | null;
  /** The objective of the request, if it has one. */
  objective?: 'discover' | 'continue' | 'again' | 'any';
  /** The model that made the order. */
  model_id: string;
  /** Identifies this list. Send it with the events it leads to. Signed by the service. */
  recommendation_id: string;
  /** All items are on one page. */
  next_page_token: null;
  /** Likely mistakes in the request: UNKNOWN_CONTEXT, UNKNOWN_ITEM, DISLIKED_ITEM, UNKNOWN_ATTRIBUTE, WRONG_TYPE, FILTER_MATCHES_NOTHING, PIN_SKIPPED, RELATION_REPLACED. */
  warnings?: ListWarning[];
  results: RankedItem[];
};

export type Reason = {
  /** What led to this item. */
  kind:
    | 'history'
    | 'user-attribute'
    | 'context'
    | 'popularity'
    | 'dislike'
    | 'continue'
    | 'again'
    | 'related'
    | 'taste'
    | 'boost';
  /** Its share of the score. */
  contribution: number;
  /** With history and dislike: the item of the user's event. With related: the item of the call. With continue and again: the item itself. */
  item_id?: string;
  /** With continue and again: what the user did last. */
  event_type?: string;
  /** With continue and again: when, in milliseconds. */
  ts?: number;
  /** With continue: the number of such events. With again: of such visits. */
  count?: number;
  /** With user-attribute and context: which one. */
  attribute?: string;
  /** With user-attribute and context: its value. */
  value?: string;
};

export type Recommendation = {
  user_id: string | null;
  limit: number;
  attributes: string[];
  filter_query: string | null;
  /** The objective of the list: discover if no item meets the requested one. */
  objective: 'discover' | 'continue' | 'again' | 'any';
  /** The model that made the list. */
  model_id: string;
  /** Identifies this list. Send it with the events it leads to. Signed by the service. */
  recommendation_id: string;
  next_page_token: string | null;
  /** Likely mistakes in the request: UNKNOWN_CONTEXT, UNKNOWN_ITEM, DISLIKED_ITEM, UNKNOWN_ATTRIBUTE, WRONG_TYPE, FILTER_MATCHES_NOTHING, PIN_SKIPPED, RELATION_REPLACED. */
  warnings?: ListWarning[];
  results: RecommendedItem[];
};

export type RecommendedItem = {
  /** item_id and one key per requested attribute. */
  item: {
    item_id: string;
    [name: string]: unknown;
  };
  /** true: the item does not meet the objective; it fills up a list that would be too short. */
  filled?: boolean;
  /** true: a pin placed it here. */
  pinned?: boolean;
  /** Only with explain; pinned items have none. */
  score?: number;
  reasons?: Reason[];
};

export type RecordFailure = {
  /** Position of the record in the batch, from 0. */
  index: number;
  /** Its id as given, as text; `#12` (its index) when there is none to name it by. */
  id: string;
  message: string;
  code:
    | 'INVALID_RECORD'
    | 'RECORD_TOO_LARGE'
    | 'ATTRIBUTE_TYPE_MISMATCH'
    | 'DATASET_FULL'
    | 'RECORD_NOT_FOUND'
    | 'INVALID_RECOMMENDATION_ID';
};

export type RecordWarning = {
  /** Position of the record in the batch, from 0. */
  index: number;
  /** Its id as given, as text; `#12` (its index) when there is none to name it by. */
  id: string;
  message: string;
  code: 'SUSPICIOUS_TIME' | 'UNKNOWN_ITEM' | 'UNKNOWN_TYPE' | 'RECOMMENDATION_EXPIRED';
};

export type RelatedItems = {
  item_ids: string[];
  /** The relation of the list. If the data does not show the requested one, together replaces next, and similar replaces both. */
  relation: 'similar' | 'together' | 'next';
  user_id: string | null;
  limit: number;
  attributes: string[];
  filter_query: string | null;
  /** The objective of the request, if it has one. */
  objective?: 'discover' | 'continue' | 'again' | 'any';
  /** The model that made the list. */
  model_id: string;
  /** Identifies this list. Send it with the events it leads to. Signed by the service. */
  recommendation_id: string;
  next_page_token: string | null;
  /** Likely mistakes in the request: UNKNOWN_CONTEXT, UNKNOWN_ITEM, DISLIKED_ITEM, UNKNOWN_ATTRIBUTE, WRONG_TYPE, FILTER_MATCHES_NOTHING, PIN_SKIPPED, RELATION_REPLACED. */
  warnings?: ListWarning[];
  results: RecommendedItem[];
};

export type RelationFigures = {
  recall: number;
  ndcg: number;
};

export type RelationMeasure = {
  recall: number;
  ndcg: number;
  questions: number;
  cosine: RelationFigures;
  popularity: RelationFigures;
};

export type RetrainRule = {
  /** Hours between the submissions of two trainings. */
  every_hours?: number;
  /** Events added since the newest model was trained. */
  after_new_events?: number;
};

export type RetrainRuleInput = {
  /** Hours between the submissions of two trainings. */
  every_hours?: number | null;
  /** Events added since the newest model was trained. */
  after_new_events?: number | null;
};

/** How messages of Segment and RudderStack become events; null: the defaults. */
export type SegmentMapping = {
  /** Event name to rule; null skips it. Names that are not here follow the defaults. */
  events?: {
    [name: string]: SegmentRule | null;
  };
  /** Traits that become user attributes. Default: all but those that name a person, such as `email`. */
  traits?: string[];
  /** Event attribute to its path in the message. */
  attributes?: {
    [name: string]: string;
  };
};

/** How messages of Segment and RudderStack become events; null: the defaults. */
export type SegmentMappingInput = {
  /** Event name to rule; null skips it. Names that are not here follow the defaults. */
  events?: {
    [name: string]: SegmentRuleInput | null;
  } | null;
  /** Traits that become user attributes. Default: all but those that name a person, such as `email`. */
  traits?: string[] | null;
  /** Event attribute to its path in the message. */
  attributes?: {
    [name: string]: string;
  } | null;
};

export type SegmentRule = {
  event_type: string;
  /** Path of the item id in the message, or in each product. Default: `product_id`, `sku` or `id`. */
  item_id?: string;
  /** Path of the event value. Default: 1. */
  value?: string;
  /** Path of an array: one event for each of its entries. */
  products?: string;
};

export type SegmentRuleInput = {
  event_type: string;
  /** Path of the item id in the message, or in each product. Default: `product_id`, `sku` or `id`. */
  item_id?: string | null;
  /** Path of the event value. Default: 1. */
  value?: string | null;
  /** Path of an array: one event for each of its entries. */
  products?: string | null;
};

export type SessionEvent = {
  item_id: string;
  /** Default: the most frequent type other than the target event, else the target event. */
  event_type?: string | null;
  event_value?: number | null;
  /** Milliseconds. Default: now. */
  ts?: number | null;
};

export type SubmittedJob = {
  job_id: string;
};

export type TopItems = {
  by: 'popular' | 'trending' | 'newest';
  window_hours: number | null;
  event_type: string | null;
  user_id: string | null;
  limit: number;
  attributes: string[];
  filter_query: string | null;
  /** The objective of the request, if it has one. */
  objective?: 'discover' | 'continue' | 'again' | 'any';
  /** No model is needed. */
  model_id: null;
  /** Identifies this list. Send it with the events it leads to. Signed by the service. */
  recommendation_id: string;
  next_page_token: string | null;
  /** Likely mistakes in the request: UNKNOWN_CONTEXT, UNKNOWN_ITEM, DISLIKED_ITEM, UNKNOWN_ATTRIBUTE, WRONG_TYPE, FILTER_MATCHES_NOTHING, PIN_SKIPPED, RELATION_REPLACED. */
  warnings?: ListWarning[];
  /** `score`: events (popular), how many times as many as expected at least (trending), or when the item was first stored, in milliseconds, 0 if that is not known (newest). */
  results: RecommendedItem[];
};

export type TrackedEvent = {
  item_id: string;
  event_type: string;
  /** Weight in training; default 1. */
  event_value?: number | null;
  /** When it happened, in milliseconds; default now. At most 7 days ago. A time ahead of the clock is stored as now, more than a day ahead is refused. */
  ts?: number | null;
  /** Attribute name to value: string, number, boolean, or an array of them; null = absent. */
  attributes?: {
    [name: string]: unknown;
  } | null;
  /** recommendation_id of the response that the item was shown from. The event then counts in /get-placement-report. One that this account never got is refused; after 31 days it no longer counts. */
  recommendation_id?: string | null;
  /** Your own id, unique for this visitor: an event that is sent again is stored once. */
  event_id?: string | null;
};

export type UsageCondition = {
  /** Name of an item attribute. */
  attribute: string;
  /** A value of the attribute; for an array attribute, one of its elements. */
  value: string | number | boolean;
  lower_bound?: number | null;
  upper_bound?: number | null;
};

export type UserDataset = {
  user_dataset_id: string;
  name: string;
  num_shards: number;
  attribute_schema: AttributeSchema | null;
  created_ts: number;
  /** Records now in the dataset. */
  num_records: number;
  /** Handling of the attributes seen in a sample of the newest records. */
  inferred_attribute_schema: {
    [name: string]: 'NUMERICAL' | 'CATEGORICAL';
  };
};

export type UserDistributionQuery = {
  /** Name of an item attribute. */
  attribute: string;
  /** A value of the attribute; for an array attribute, one of its elements. */
  value: string | number | boolean;
  bins?: number;
};

export type UserDistributionQueryInput = {
  /** Name of an item attribute. */
  attribute: string;
  /** A value of the attribute; for an array attribute, one of its elements. */
  value: string | number | boolean;
  bins?: number | null;
};

export type UserDistributionResult = {
  job_id: string;
  project_id: string;
  model_id: string;
  created_ts: number;
  /** Users of the user dataset and users with events. */
  total_users: number;
  /** Users about whom nothing is known; in a clustering result, users without usable events. */
  population_users: number;
  /** The result in one sentence. */
  message: string;
  query_type: 'user_distribution';
  calibration: CalibrationMethod;
  queries: {
    query: UserDistributionQuery;
    bins: number;
    /** bins + 1 edges from 0 to the largest usage, or to 1 if the usage of all users is 0. */
    edges: number[];
    /** Users in each bin. */
    counts: number[];
    mean: number;
    median: number;
    min: number;
    max: number;
    total_users: number;
    note: string | null;
    calibration: Calibration | null;
  }[];
};

export type UserGroup = {
  /** 1 is the largest. */
  group_id: number;
  label: string;
  size: number;
  share: number;
  top_items: {
    item_id: string;
    name: string | null;
    share: number;
    lift: number;
  }[];
  attributes: {
    attribute: string;
    value: string | number | boolean;
    /** Mean share in the group, without the correction that usages of querying jobs have. */
    usage: number;
    /** The same over all groups, by their size. */
    average: number;
    /** usage / average */
    lift: number;
  }[];
  user_ids: string[];
};

export type UserListQuery = {
  /** Users must meet all of them. */
  conditions: UsageCondition[];
};

export type UserListResult = {
  job_id: string;
  project_id: string;
  model_id: string;
  created_ts: number;
  /** Users of the user dataset and users with events. */
  total_users: number;
  /** Users about whom nothing is known; in a clustering result, users without usable events. */
  population_users: number;
  /** The result in one sentence. */
  message: string;
  query_type: 'user_list';
  calibration: CalibrationMethod;
  queries: {
    query: UserListQuery;
    count: number;
    note: string | null;
    /** One per condition. */
    calibration: (Calibration | null)[];
    /** Highest usage of the first condition first; usages has one entry per condition. */
    users: {
      user_id: string;
      usage: number;
      usages: number[];
      /** What the usage is based on. popularity: nothing is known about the user, so the average of all users is used. */
      basis: 'history' | 'attributes' | 'popularity';
    }[];
  }[];
};

export type UserPatch = {
  user_id: string;
  /** Attribute name to its new value; null removes the attribute. The whole value is replaced. */
  set?: {
    [name: string]: unknown;
  } | null;
  /** Names of attributes to remove. */
  unset?: string[] | null;
};

export type UserRecord = {
  user_id: string;
  /** Attribute name to value: string, number, boolean, or an array of them; null = absent. */
  attributes?: {
    [name: string]: unknown;
  };
};

export type UserRecordInput = {
  user_id: string;
  /** Attribute name to value: string, number, boolean, or an array of them; null = absent. */
  attributes?: {
    [name: string]: unknown;
  } | null;
};

export type VariantOverrides = {
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
    | 'ranking';
  /** Item attributes to return; null where an item lacks one. */
  attributes?: string[];
  /** Number of items. */
  limit?: number;
  /** Only items that meet it, e.g. genre = 'Drama' AND price < $max. */
  filter_query?: string | null;
  /** Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false or lists of them. */
  filter_params?: {
    [name: string]: string | number | boolean | (string | number | boolean)[];
  };
  /** Items to exclude. */
  exclude_item_ids?: string[];
  /** Exclude items the user had an event of one of these types with. */
  exclude_event_types?: string[];
  /** Multiply the chance of matching items: with factor 2 a matching item becomes twice as likely relative to others. An item outside the plain list can come in. Factors of several boosts multiply. */
  boosts?: Boost[];
  /** Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out is skipped with a warning. */
  pins?: Pin[];
  /** {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled with other items. Or a number from 0 to 1: near-duplicates in taste move down. */
  diversity?: number | DiversityLimits;
  /** The circumstances of the call, as events have them in their attributes, e.g. {"device": "phone"}. Attributes the model does not know are ignored with a warning. */
  context?: {
    [name: string]: unknown;
  };
  /** Use this model of the project instead of the deployed one. */
  model_id?: string;
  /** What the list is for. discover: items new to the user; continue: items the user started; again: items the user had before; any: all of them; auto (default): any where the data shows that users come back to items, else discover. */
  objective?: 'auto' | 'discover' | 'continue' | 'again' | 'any';
  /** An item counts as new again this many days after an event other than the target event. */
  touch_days?: number;
  /** true: exclude items the user had a target event with; false: allow them. Default: the objective decides. */
  exclude_seen?: boolean;
  /** Popular and trending: how far back to count. */
  window_hours?: number;
  /** Popular and trending: which events to count. Left out: all. */
  event_type?: string;
};

export type VariantOverridesInput = {
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
  /** The circumstances of the call, as events have them in their attributes, e.g. {"device": "phone"}. Attributes the model does not know are ignored with a warning. */
  context?: {
    [name: string]: unknown;
  } | null;
  /** Use this model of the project instead of the deployed one. */
  model_id?: string | null;
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
};

export type Webhook = {
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
};

export type WebhookAttempt = {
  ts: number;
  succeeded: boolean;
  /** What the receiver responded, or why it could not be reached. */
  message: string;
};
