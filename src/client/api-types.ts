// Names for the things calls take and return. Each is taken from the generated types of the calls, so it cannot say
// anything else than the API does.
import type { Operations } from './operation-types.ts';

type AnswerOf<Path extends keyof Operations> = Operations[Path]['answer'];
type RequestOf<Path extends keyof Operations> = Operations[Path]['request'];

export type UserRecord = RequestOf<'/upsert-dataset-users'>['users'][number];
export type ItemRecord = RequestOf<'/upsert-dataset-items'>['items'][number];
export type EventRecord = RequestOf<'/upsert-dataset-events'>['events'][number];
export type Attributes = NonNullable<UserRecord['attributes']>;
export type RecordFailure = AnswerOf<'/upsert-dataset-events'>['failures'][number];
export type RecordWarning = AnswerOf<'/upsert-dataset-events'>['warnings'][number];
export type UpsertAnswer = Pick<
  AnswerOf<'/upsert-dataset-events'>,
  'succeed_ids' | 'failed_ids' | 'failures' | 'warnings'
>;

export type UserDataset = AnswerOf<'/get-user-dataset'>;
export type ItemDataset = AnswerOf<'/get-item-dataset'>;
export type EventDataset = AnswerOf<'/get-event-dataset'>;
/** Fields that datasets of every kind have. */
export type DatasetFields = Pick<EventDataset, keyof EventDataset & keyof UserDataset & keyof ItemDataset>;
export type EventStatistics = AnswerOf<'/get-event-statistics'>;
export type AttributeStatistics = AnswerOf<'/get-attribute-statistics'>['attributes'][number];
export type AttributeSchema = NonNullable<EventDataset['attribute_schema']>;
export type AttributeHandling = AttributeSchema[string];

export type Project = AnswerOf<'/get-project'>;
export type Algorithm = AnswerOf<'/get-algorithm'>;
export type Model = AnswerOf<'/get-model'>;
export type Deployment = AnswerOf<'/get-deployment'>;

export type Job = AnswerOf<'/get-job'>;
export type JobType = Job['job_type'];
export type JobStatus = Job['job_status'];
export type JobProgress = Job['progress'];

type AnyQuery = RequestOf<'/submit-querying-job'>['queries'][number];
export type UserListQuery = Extract<AnyQuery, { conditions: unknown }>;
export type UserDistributionQuery = Exclude<AnyQuery, { conditions: unknown }>;
export type AttributeScalar = UserDistributionQuery['value'];

export type Recommend = RequestOf<'/recommend-items-to-user'>;
export type Recommendation = AnswerOf<'/recommend-items-to-user'>;
export type RelatedItems = AnswerOf<'/recommend-items-to-item'>;

export type Reason = NonNullable<Recommendation['results'][number]['reasons']>[number];

export type Account = AnswerOf<'/get-account'>;
export type ApiKey = AnswerOf<'/list-api-keys'>['api_keys'][number];
