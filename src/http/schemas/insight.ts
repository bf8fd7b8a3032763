// Bodies of /submit-querying-job and /submit-clustering-job in the API reference. What depends on `query_type` is checked by
// src/http/check-insight-request.ts, whose errors name the exact field.
import { Type } from 'typebox';
import {
  CLUSTER_TYPES,
  DEFAULT_BINS,
  MAX_BINS,
  MAX_CLUSTERS,
  MAX_CONDITIONS,
  MAX_QUERIES,
  MAX_VALUE_CHARACTERS,
  QUERY_TYPES,
} from '../../domain/insight-request.ts';
import { closed, Name, nullable, oneOf, ServiceId, shownAs } from './common.ts';
import { closedAs } from './named.ts';

const MAX_INTEGER = 2 ** 31 - 1;
const ItemAttribute = Type.String({
  minLength: 1,
  maxLength: MAX_VALUE_CHARACTERS,
  description: 'Name of an item attribute.',
});
const ItemAttributeValue = Type.Union(
  [Type.String({ maxLength: MAX_VALUE_CHARACTERS }), Type.Number(), Type.Boolean()],
  { description: 'A value of the attribute; for an array attribute, one of its elements.' },
);

const bound = (which: string) =>
  Type.Number({ minimum: 0, maximum: 1, description: `${which} usage, 0 to 1. Default: no bound.` });

const Condition = closedAs('UsageCondition', {
  attribute: ItemAttribute,
  value: ItemAttributeValue,
  lower_bound: Type.Optional(nullable(bound('Least'))),
  upper_bound: Type.Optional(nullable(bound('Greatest'))),
});

export const ListQuery = closedAs('UserListQuery', {
  conditions: Type.Array(Condition, {
    minItems: 1,
    maxItems: MAX_CONDITIONS,
    description: 'Users must meet all of them.',
  }),
});

export const DistributionQuery = closedAs('UserDistributionQuery', {
  attribute: ItemAttribute,
  value: ItemAttributeValue,
  bins: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_BINS, default: DEFAULT_BINS })),
});

export const SubmitQueryingJobBody = closed({
  name: Type.Optional(Name),
  project_id: ServiceId,
  model_id: ServiceId,
  query_type: oneOf(QUERY_TYPES, {
    description: 'user_list: users that meet conditions; user_distribution: a histogram of usage.',
  }),
  queries: Type.Array(shownAs<unknown>(Type.Union([ListQuery, DistributionQuery])), {
    description: `1 to ${MAX_QUERIES} queries; conditions for user_list, one attribute value for user_distribution.`,
  }),
});

const CLUSTERING_PARAMETERS = {
  type: 'object',
  description: 'Settings of the groups; {} lets the service choose.',
  properties: {
    min_user_num: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_INTEGER,
      default: 1,
      description: 'Groups with fewer users are dropped.',
    },
    num_clusters: {
      anyOf: [{ type: 'integer', minimum: 1, maximum: MAX_CLUSTERS }, { type: 'null' }],
      description: 'Number of groups. Default: chosen automatically.',
    },
    seed: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_INTEGER,
      default: 1,
      description: 'The same seed and data give the same groups.',
    },
  },
};

/** check-insight-request.ts rejects other fields and names the known ones. */
export const ClusteringParameters = shownAs<Record<string, unknown>>(
  { ...CLUSTERING_PARAMETERS, additionalProperties: false },
  CLUSTERING_PARAMETERS,
);

export const SubmitClusteringJobBody = closed({
  name: Type.Optional(Name),
  project_id: ServiceId,
  model_id: ServiceId,
  cluster_type: oneOf(CLUSTER_TYPES),
  parameters: Type.Optional(ClusteringParameters),
});
