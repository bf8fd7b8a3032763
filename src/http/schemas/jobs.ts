// Requests and responses of the calls for jobs, models and deployments.
import { type TOptional, type TString, Type } from 'typebox';
import { EXPORT_FORMATS, EXPORTED } from '../../domain/export-job.ts';
import { FIELD_NAMES, FILE_FORMATS, type FieldName, RECORD_KINDS, TS_UNITS } from '../../domain/import-job.ts';
import { JOB_TYPES, MAX_TRIALS } from '../../domain/job.ts';
import { JOB_STATUSES } from '../../domain/job-status.ts';
import { MAX_LIST_ITEMS } from '../../domain/list-limits.ts';
import { ASKED_FOR } from '../../domain/model-figures.ts';
import { OBJECTIVES } from '../../domain/objective.ts';
import { PLACEMENT_NAME_PATTERN } from '../../domain/placement.ts';
import { ALGORITHM_TYPES } from '../../domain/project.ts';
import { DEFAULT_JOB_LIST, type JobUsers, LIST_FORMATS, MAX_JOB_USER_IDS } from '../../domain/recommendation-job.ts';
import { ClientId, closed, Name, nullable, oneOf, open, S3_URL_PATTERN, ServiceId, TimeMs } from './common.ts';
import { openAs } from './named.ts';
import { ListFields, UserListFields } from './recommend.ts';

export const JobName = Type.Optional(
  Type.Unsafe<string>({
    ...Name,
    description: 'Default: what the job does and when, such as "Training of Nov 15, 20:36" (UTC).',
  }),
);

export const SubmitTrainingJobBody = closed({ project_id: ServiceId, algorithm_id: ServiceId, name: JobName });

export const SubmitDeploymentJobBody = closed({
  project_id: ServiceId,
  name: JobName,
  generator_model_id: Type.Unsafe<string>({
    ...ServiceId,
    description: 'The model that generates the recommendations.',
  }),
  ranker_model_id: Type.Optional(
    Type.Union([ServiceId, Type.Null()], { description: "The model that re-ranks the generator's results, if any." }),
  ),
  qps: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description:
        "Recommendation calls per second allowed. Left out: what the project had; for a first deployment the plan's max_qps.",
    }),
  ),
});

const JobDestination = Type.Optional(
  Type.String({
    maxLength: 1000,
    pattern: S3_URL_PATTERN,
    description:
      'Where the file is written instead of being kept for download: s3://bucket/prefix/name, below a place that the service allows (KINDRED_EXPORT_DESTINATIONS). The name has lowercase letters, digits and _ . - /.',
  }),
);

export const SubmitRecommendationJobBody = closed({
  project_id: ServiceId,
  name: JobName,
  model_id: Type.Optional(
    Type.Unsafe<string>({ ...ServiceId, description: 'Default: what is deployed, with its ranker if it has one.' }),
  ),
  users: Type.Unsafe<JobUsers>({
    anyOf: [
      closed({
        all: Type.Unsafe<true>({
          type: 'boolean',
          enum: [true],
          description: 'Users of the user dataset and users with events.',
        }),
      }),
      closed({ user_ids: Type.Array(ClientId, { minItems: 1, maxItems: MAX_JOB_USER_IDS }) }),
      closed({
        job_id: Type.Unsafe<string>({ ...ServiceId, description: 'The users of a finished user_list querying job.' }),
      }),
    ],
    description: 'Whom the lists are for.',
  }),
  placement: Type.Optional(
    Type.String({
      pattern: PLACEMENT_NAME_PATTERN,
      description:
        'A placement of the project that makes the lists. It must not start from items. Fields below win over its defaults.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIST_ITEMS, default: DEFAULT_JOB_LIST, description: 'Items per user.' }),
  ),
  ...UserListFields,
  filter_query: ListFields.filter_query,
  filter_params: ListFields.filter_params,
  exclude_item_ids: ListFields.exclude_item_ids,
  exclude_event_types: ListFields.exclude_event_types,
  boosts: ListFields.boosts,
  pins: ListFields.pins,
  diversity: ListFields.diversity,
  context: ListFields.context,
  attributes: ListFields.attributes,
  format: Type.Optional(
    oneOf(LIST_FORMATS, {
      description: 'jsonl (default): one line per user; csv or parquet: a table with one row per user and item.',
    }),
  ),
  destination: JobDestination,
});

export const SubmitExportJobBody = closed({
  project_id: ServiceId,
  name: JobName,
  what: oneOf(EXPORTED, {
    description:
      'users, items, events: a dataset of the project, with the fields of the upsert calls. item_vectors, user_vectors: taste vectors of a model. report_days, report_hours: results of lists, one row per placement, variant and day or hour (UTC).',
  }),
  model_id: Type.Optional(
    Type.Unsafe<string>({ ...ServiceId, description: 'Vectors: of which model. Default: the deployed one.' }),
  ),
  format: Type.Optional(
    oneOf(EXPORT_FORMATS, { description: 'jsonl (default): one object per line; parquet: the same as columns.' }),
  ),
  destination: JobDestination,
});

const ColumnName = Type.String({ minLength: 1, maxLength: 200 });
const ColumnNames = (description: string) => Type.Optional(Type.Array(ColumnName, { maxItems: 1000, description }));

const ColumnOfField = Object.fromEntries(FIELD_NAMES.map((field) => [field, Type.Optional(ColumnName)])) as Record<
  FieldName,
  TOptional<TString>
>;

export const SubmitImportJobBody = closed({
  project_id: ServiceId,
  name: JobName,
  source: Type.String({
    maxLength: 1200,
    pattern: S3_URL_PATTERN,
    description:
      'The file: s3://bucket/prefix/name, below a place that the service allows (KINDRED_IMPORT_SOURCES). CSV, JSON Lines (both also gzipped) or Parquet, up to 64 GiB.',
  }),
  kind: Type.Optional(
    oneOf(RECORD_KINDS, { description: 'What the rows are. Default: guessed from the columns and the name.' }),
  ),
  format: Type.Optional(oneOf(FILE_FORMATS, { description: 'Default: by name and content.' })),
  map: Type.Optional(
    Type.Object(ColumnOfField, {
      additionalProperties: false,
      description: 'The column of a field, where its name does not say: {"user_id": "buyer", "ts": "ordered_at"}.',
    }),
  ),
  lists: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string', minLength: 1, maxLength: 10 },
      maxProperties: 1000,
      description: 'Columns of a CSV file with lists, and what separates the entries: {"genres": "|"}.',
    }),
  ),
  text: ColumnNames('Columns that stay text even if they look like numbers.'),
  skip: ColumnNames('Columns to leave out.'),
  ts_unit: Type.Optional(oneOf(TS_UNITS, { description: 'Unit of the time column. Default: guessed.' })),
  event_type: Type.Optional(
    Type.Unsafe<string>({ ...ClientId, description: 'Type of events whose file has no column for it. Default: view.' }),
  ),
  separator: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 10,
      description: 'Separator of the cells of a CSV file. Default: guessed.',
    }),
  ),
  encoding: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: 'Such as utf-8 (default), latin1 or utf-16le.' }),
  ),
});

export const SubmittedJob = openAs('SubmittedJob', { job_id: ServiceId });

const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

export const JobResponse = openAs('Job', {
  project_id: ServiceId,
  job_id: ServiceId,
  job_type: oneOf(JOB_TYPES),
  created_ts: TimeMs,
  name: Type.String(),
  job_data: AnyObject,
  job_result: Type.Union([AnyObject, Type.Null()], { description: 'null until the job has succeeded.' }),
  job_status: oneOf(JOB_STATUSES),
  retry_count: Type.Integer({ description: 'Automatic retries so far, up to 3.' }),
  progress: openAs('JobProgress', {
    fraction: Type.Number({ minimum: 0, maximum: 1 }),
    phase: Type.String(),
    message: Type.String(),
    tried: Type.Optional(
      Type.Array(open({ family: Type.String(), ndcg: Type.Number() }), {
        maxItems: MAX_TRIALS,
        description:
          'While a training job runs: the methods tried so far, in order, with their settings and their NDCG on held-out events.',
      }),
    ),
    spark: Type.Optional(
      open({
        application_id: Type.String({
          description:
            'Trainings that count on Spark: the application. `job_result` names it too when it has succeeded.',
        }),
        address: Type.String({ description: "The application's page while it runs." }),
      }),
    ),
  }),
  started_ts: nullable(TimeMs),
  finished_ts: nullable(TimeMs),
  failure_reason: nullable(openAs('JobFailure', { code: Type.String(), message: Type.String() })),
});

const Figures = openAs('QualityFigures', {
  recall: Type.Number(),
  ndcg: Type.Number(),
  mrr: Type.Number(),
  coverage: Type.Number(),
  hit_rate: Type.Optional(
    Type.Number({ description: 'Share of the lists with at least one of the items. Absent in models of 0.1.0.' }),
  ),
});
const Interval = Type.Array(Type.Number(), { minItems: 2, maxItems: 2 });
const UsedObjective = oneOf(OBJECTIVES.filter((objective) => objective !== 'auto'));
const Moment = oneOf(['arriving', 'browsing'] as const);

const Measure = openAs('QualityMeasure', {
  objective: UsedObjective,
  moment: Moment,
  asked_for: oneOf(ASKED_FOR),
  days: Type.Optional(
    Type.Number({ description: 'How many of the newest days were held back. Absent if they were not by a date.' }),
  ),
  model: Figures,
  popularity: Figures,
  newest: Type.Optional(Figures),
  users: Type.Integer(),
  questions: Type.Integer(),
  intervals: open({ recall: Interval, ndcg: Interval, hit_rate: Interval }),
  touched_share: Type.Number({ description: 'Share of the first ten that the user had touched before.' }),
});

const RelationFigures = openAs('RelationFigures', { recall: Type.Number(), ndcg: Type.Number() });
const RelationMeasure = openAs('RelationMeasure', {
  recall: Type.Number(),
  ndcg: Type.Number(),
  questions: Type.Integer(),
  cosine: RelationFigures,
  popularity: RelationFigures,
});

const Metrics = openAs('ModelMetrics', {
  model: Figures,
  popularity: Figures,
  cutoff: Type.Integer(),
  users: Type.Integer(),
  objective: Type.Optional(UsedObjective),
  moment: Type.Optional(Moment),
  by_question: Type.Optional(
    Type.Array(Measure, {
      description:
        'Figures for each objective and moment with 95% intervals; the first are the ones above. Figures of other objectives, moments or data are about other questions: do not compare them.',
    }),
  ),
  relations: Type.Optional(
    open({
      similar: Type.Optional(RelationMeasure),
      together: Type.Optional(RelationMeasure),
      next: Type.Optional(RelationMeasure),
    }),
  ),
});

export const ModelResponse = openAs('Model', {
  project_id: ServiceId,
  model_id: ServiceId,
  name: Type.String(),
  algorithm_type: oneOf(ALGORITHM_TYPES),
  algorithm_parameters: AnyObject,
  created_ts: TimeMs,
  job_id: ServiceId,
  metrics: Type.Union([Metrics, Type.Null()], {
    description: 'Metrics on held-out newest events, for the model and for a list of the most popular items.',
  }),
  training: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'Training facts: events, users, items, seconds, peak memory, settings used.',
  }),
  deployed: Type.Boolean({ description: 'True if the project serves it, as generator or as ranker.' }),
});

export const DeploymentResponse = openAs('Deployment', {
  project_id: ServiceId,
  version: Type.Integer({ description: 'Increases by one with every switch.' }),
  generator_model_id: ServiceId,
  ranker_model_id: nullable(ServiceId),
  qps: Type.Integer(),
  job_id: ServiceId,
  created_ts: TimeMs,
  serving_uri: Type.String(),
});
