// The input of a recommendation job: the users, the list, and the format. Checked when the job is submitted.
import type { FilterParam } from './filter/fold-filter.ts';
import type { Objective } from './objective.ts';
import type { PlacementDefaults } from './placement.ts';

/** A job's row keeps the ids; `all` and `job_id` have no such limit. */
export const MAX_JOB_USER_IDS = 1000;
export const DEFAULT_JOB_LIST = 20;
export const LIST_FORMATS = ['jsonl', 'csv', 'parquet'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

export function isListFormat(value: unknown): value is ListFormat {
  return LIST_FORMATS.includes(value as ListFormat);
}

/** The type of a column: that of the items' values. `json` is for values of several types and for lists. */
export type AttributeType = 'text' | 'number' | 'boolean' | 'json';
export type AttributeTypes = Readonly<Record<string, AttributeType>>;

/** The users whose lists are made. */
export type JobUsers = { all: true } | { user_ids: string[] } | { job_id: string };

/** Fields of a call that a job passes on as they are. */
export const JOB_CALL_FIELDS = [
  'context',
  'exclude_item_ids',
  'boosts',
  'pins',
  'diversity',
  'touch_days',
  'exclude_seen',
] as const;
export type JobCallFields = Pick<PlacementDefaults, (typeof JOB_CALL_FIELDS)[number]>;

export interface RecommendationJobData extends Record<string, unknown> {
  model_id: string;
  /** the request named the model: it wins over those of a placement */
  model_given: boolean;
  /** orders what the model found; null: none */
  ranker_model_id: string | null;
  users: JobUsers;
  /** the placement that makes the lists; null: none */
  placement: string | null;
  /** null, here and below: as the placement says */
  limit: number | null;
  objective: Objective | null;
  filter_query: string | null;
  filter_params: Record<string, FilterParam>;
  exclude_event_types: string[];
  attributes: string[] | null;
  /** fields of the call; left out if none were given or the job is of an older version */
  call?: JobCallFields;
  format: ListFormat;
  /** s3:// address of the file; null: it is downloaded */
  destination: string | null;
}
