// Names for the things calls take and return: those of the API description, and more taken from the types of the calls.
import type { Operations } from './operation-types.ts';
import type {
  AttributeSchema,
  EventDataset,
  ItemDataset,
  Job,
  UserDataset,
  UserDistributionQuery,
  UserRecord,
} from './schema-types.ts';

export type { ResultFile as JobResultFile } from './operation-types.ts';
export type * from './schema-types.ts';

type AnswerOf<Path extends keyof Operations> = Operations[Path]['answer'];

export type Attributes = NonNullable<UserRecord['attributes']>;
export type UpsertAnswer = Pick<
  AnswerOf<'/upsert-dataset-events'>,
  'succeed_ids' | 'failed_ids' | 'failures' | 'warnings'
>;

/** Fields that datasets of every kind have. */
export type DatasetFields = Pick<EventDataset, keyof EventDataset & keyof UserDataset & keyof ItemDataset>;
export type AttributeHandling = AttributeSchema[string];

export type JobType = Job['job_type'];
export type JobStatus = Job['job_status'];

export type AttributeScalar = UserDistributionQuery['value'];

export type Recommend = Operations['/recommend-items-to-user']['request'];
