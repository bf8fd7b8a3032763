// Datasets and their records in the API.
import { Type } from 'typebox';
import { DEFAULT_NUM_SHARDS, MAX_NUM_SHARDS } from '../../domain/dataset.ts';
import { ClientId, mapOf, nullable, oneOf, TimeMs } from './common.ts';
import { named, openAs } from './named.ts';

export const AttributeSchema = named(
  'AttributeSchema',
  mapOf(ClientId, oneOf(['NUMERICAL', 'CATEGORICAL']), {
    maxProperties: 1000,
    description: 'Attribute name to handling: `NUMERICAL` (compared by value) or `CATEGORICAL` (compared by match).',
  }),
);

export const InferableSchema = Type.Union([AttributeSchema, Type.Null()], {
  description: 'Attribute name to `NUMERICAL` or `CATEGORICAL`; null: the service infers the handling.',
});

export const NumShards = Type.Integer({
  minimum: 1,
  maximum: MAX_NUM_SHARDS,
  description: `Capacity: 100,000 records per shard. Cannot be changed later. Default ${DEFAULT_NUM_SHARDS}.`,
});

export const datasetFields = {
  name: Type.String(),
  num_shards: Type.Integer(),
  attribute_schema: nullable(AttributeSchema),
  created_ts: TimeMs,
};

export const datasetFigures = {
  num_records: Type.Integer({ description: 'Records now in the dataset.' }),
  inferred_attribute_schema: Type.Record(Type.String(), oneOf(['NUMERICAL', 'CATEGORICAL']), {
    description: 'Handling of the attributes seen in a sample of the newest records.',
  }),
};

export const Attributes = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Attribute name to value: string, number, boolean, or an array of them; null = absent.',
});

export const UserRecord = openAs('UserRecord', { user_id: ClientId, attributes: Type.Optional(Attributes) });
export const ItemRecord = openAs('ItemRecord', { item_id: ClientId, attributes: Type.Optional(Attributes) });
export const OfList = Type.String({
  description:
    'recommendation_id of the response that the item was shown from. The event then counts in /get-placement-report. One that this account never got is refused; after 31 days it no longer counts.',
});
export const EventRecord = openAs('EventRecord', {
  event_id: ClientId,
  user_id: ClientId,
  item_id: ClientId,
  ts: Type.Integer({ minimum: 0, maximum: 8.64e15, description: 'Milliseconds since 1970.' }),
  event_type: ClientId,
  event_value: Type.Optional(Type.Number({ description: 'Weight in training; default 1.' })),
  attributes: Type.Optional(Attributes),
  recommendation_id: Type.Optional(OfList),
});

const patch = {
  set: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Attribute name to its new value; null removes the attribute. The whole value is replaced.',
    }),
  ),
  unset: Type.Optional(Type.Array(Type.String(), { description: 'Names of attributes to remove.' })),
};

export const UserPatch = openAs('UserPatch', { user_id: ClientId, ...patch });
export const ItemPatch = openAs('ItemPatch', { item_id: ClientId, ...patch });

const reported = {
  index: Type.Integer({ description: 'Position of the record in the batch, from 0.' }),
  id: Type.String({ description: 'Its id as given, as text; `#12` (its index) when there is none to name it by.' }),
  message: Type.String(),
};

export const RecordFailure = openAs('RecordFailure', {
  ...reported,
  code: oneOf([
    ...(['INVALID_RECORD', 'RECORD_TOO_LARGE', 'ATTRIBUTE_TYPE_MISMATCH', 'DATASET_FULL', 'RECORD_NOT_FOUND'] as const),
    'INVALID_RECOMMENDATION_ID',
  ]),
});

export const RecordWarning = openAs('RecordWarning', {
  ...reported,
  code: oneOf(['SUSPICIOUS_TIME', 'UNKNOWN_ITEM', 'UNKNOWN_TYPE', 'RECOMMENDATION_EXPIRED']),
});

export const upsertResponseFields = {
  succeed_ids: Type.Array(Type.String()),
  failed_ids: Type.Array(Type.String(), {
    description:
      'Every record of the batch is here or in succeed_ids. A record without a usable id is listed as in failures.',
  }),
  failures: Type.Array(RecordFailure, { description: 'Why each failed record was not stored.' }),
  warnings: Type.Array(RecordWarning, { description: 'Likely mistakes in records that were stored.' }),
};
