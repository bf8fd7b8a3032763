// Reads a dataset's records: one by id, newest by page, and statistics of events and attributes. For people and consoles.
import { type Static, Type } from 'typebox';
import type { Dataset, DatasetKind, EntityKind } from '../../domain/dataset.ts';
import type { EntityRecord } from '../../domain/record.ts';
import { AppError } from '../../errors.ts';
import type { PageRequest } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import type { AttributeSamples } from '../attribute-samples.ts';
import { listTokens } from '../list-tokens.ts';
import { defineRoute, jsonText, type Route } from '../route.ts';
import {
  CLEAN_TEXT_PATTERN,
  ClientId,
  closed,
  NextPageToken,
  nullable,
  oneOf,
  open,
  pageQuery,
  pageSize,
  ServiceId,
  TimeMs,
  toPageRequest,
} from '../schemas/common.ts';
import { EventRecord, ItemRecord, UserRecord } from '../schemas/datasets.ts';
import { openAs } from '../schemas/named.ts';
import { datasetIdField, EXAMPLE_DATASET_IDS, findDataset, KINDS, recordIdField } from './dataset-kinds.ts';
import { recordPage } from './record-page.ts';

export interface BrowseParts {
  store: Pick<Store, 'datasets' | 'users' | 'items' | 'events'>;
  samples: AttributeSamples;
}

/** Records are larger than the entries of other lists. */
const RECORDS_A_PAGE = 100;

const AnyRecord = Type.Union([EventRecord, UserRecord, ItemRecord]);

/** Exactly one of them names the dataset. */
const datasetQuery = {
  user_dataset_id: Type.Optional(ServiceId),
  item_dataset_id: Type.Optional(ServiceId),
  event_dataset_id: Type.Optional(ServiceId),
};
const DatasetQuery = closed(datasetQuery);

export function browseRoutes({ store, samples }: BrowseParts): Route[] {
  const resolve = async (query: Static<typeof DatasetQuery>, accountId: string): Promise<Dataset> => {
    const given = KINDS.filter((kind) => query[datasetIdField(kind)] !== undefined);
    if (given.length !== 1) {
      throw new AppError('INVALID_REQUEST', 'Send exactly one of user_dataset_id, item_dataset_id, event_dataset_id.', {
        errors: [
          {
            pointer: `/${datasetIdField(given[1] ?? 'user')}`,
            message: given.length ? 'must not be sent together with another dataset id' : 'is required',
          },
        ],
      });
    }
    return findDataset(store.datasets, accountId, given[0], query[datasetIdField(given[0])]!);
  };
  const entitiesOf = (kind: EntityKind) => (kind === 'user' ? store.users : store.items);

  return [
    defineRoute({
      method: 'GET',
      path: '/get-dataset-record',
      tag: 'Records',
      summary: 'Read one user, item or event',
      description: 'With `event_dataset_id` and `event_id`, or the user or item pair.',
      query: closed({
        ...datasetQuery,
        user_id: Type.Optional(ClientId),
        item_id: Type.Optional(ClientId),
        event_id: Type.Optional(ClientId),
      }),
      response: AnyRecord,
      errors: ['DATASET_NOT_FOUND', 'RECORD_NOT_FOUND'],
      examples: {
        request: { item_dataset_id: EXAMPLE_DATASET_IDS.item, item_id: 'i-1' },
        response: { item_id: 'i-1', attributes: { genre: ['Drama'], price: 12.5 } },
      },
      async handler({ query, caller }) {
        const { user_dataset_id, item_dataset_id, event_dataset_id, ...ids } = query;
        const kind = KINDS.find((candidate) => query[datasetIdField(candidate)] !== undefined) ?? 'user';
        const idField = recordIdField(kind);
        const superfluous = Object.keys(ids).find((field) => field !== idField);
        const id = ids[idField];
        if (id === undefined || superfluous) {
          const problem = id === undefined ? { pointer: `/${idField}`, message: 'is required' } : null;
          throw new AppError('INVALID_REQUEST', `With ${datasetIdField(kind)} send ${idField} and no other id.`, {
            errors: [problem ?? { pointer: `/${superfluous}`, message: 'does not belong here' }],
          });
        }
        const dataset = await resolve({ user_dataset_id, item_dataset_id, event_dataset_id }, caller.accountId);
        const record =
          dataset.kind === 'event'
            ? await store.events.get(dataset.dataset_id, id)
            : toEntity(dataset.kind, await entitiesOf(dataset.kind).get(dataset.dataset_id, id));
        if (!record) {
          throw new AppError('RECORD_NOT_FOUND', `The ${kind} was not found in the dataset. Check its id.`, {
            errors: [{ pointer: `/${idField}`, message: 'was not found' }],
          });
        }
        return record as never;
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/list-dataset-records',
      tag: 'Records',
      summary: 'List records, newest first',
      description:
        'Users and items are sorted by time of writing; `search` keeps those with this text in their id or attributes, ignoring the case of A–Z. On PostgreSQL, a search in attributes also ignores the case of other letters in the locale of the database. Events are sorted by `ts`; `user_id` keeps those of one user. A page of large records may be shorter than `page_size`.',
      query: closed({
        ...datasetQuery,
        ...pageQuery,
        page_size: pageSize(RECORDS_A_PAGE),
        search: Type.Optional(Type.String({ minLength: 1, maxLength: 256, pattern: CLEAN_TEXT_PATTERN })),
        user_id: Type.Optional(ClientId),
      }),
      response: open({ records: Type.Array(AnyRecord), next_page_token: NextPageToken }),
      errors: ['DATASET_NOT_FOUND', 'INVALID_PAGE_TOKEN'],
      examples: {
        request: { user_dataset_id: EXAMPLE_DATASET_IDS.user, page_size: 20, search: 'u-' },
        response: { records: [{ user_id: 'u-1', attributes: { age: 34 } }], next_page_token: null },
      },
      async handler({ query, caller, reply }) {
        const { page_size, page_token, search, user_id, ...datasetIds } = query;
        const dataset = await resolve(datasetIds, caller.accountId);
        const unfit = dataset.kind === 'event' ? search !== undefined && 'search' : user_id !== undefined && 'user_id';
        if (unfit) {
          throw new AppError('INVALID_REQUEST', `${unfit} does not apply to a dataset of ${dataset.kind}s.`, {
            errors: [{ pointer: `/${unfit}`, message: 'does not apply here' }],
          });
        }
        const request = toPageRequest({ page_size: page_size ?? RECORDS_A_PAGE, page_token });
        const { seal } = listTokens('/list-dataset-records', query);
        const { kind, dataset_id } = dataset;
        if (kind === 'event') {
          const list = (step: PageRequest) => store.events.list(dataset_id, step, user_id);
          return jsonText(
            reply,
            recordPage(list, request, (event) => event, seal),
          );
        }
        const list = (step: PageRequest) => entitiesOf(kind).list(dataset_id, step, search);
        return jsonText(
          reply,
          recordPage(list, request, (record) => toEntity(kind, record), seal),
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/get-event-statistics',
      tag: 'Records',
      summary: 'Events by type and over time',
      description: 'The 1,000 most frequent types.',
      query: closed({
        event_dataset_id: ServiceId,
        buckets: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'Default 50.' })),
      }),
      response: openAs('EventStatistics', {
        event_dataset_id: Type.String(),
        first_ts: nullable(TimeMs),
        last_ts: nullable(TimeMs),
        types: Type.Array(open({ event_type: Type.String(), count: Type.Integer() })),
        over_time: Type.Array(open({ from_ts: Type.Number(), count: Type.Integer() })),
      }),
      errors: ['DATASET_NOT_FOUND'],
      examples: {
        request: { event_dataset_id: EXAMPLE_DATASET_IDS.event, buckets: 2 },
        response: {
          event_dataset_id: EXAMPLE_DATASET_IDS.event,
          first_ts: 1_760_000_000_000,
          last_ts: 1_762_000_000_000,
          types: [{ event_type: 'purchase', count: 310 }],
          over_time: [
            { from_ts: 1_760_000_000_000, count: 140 },
            { from_ts: 1_761_000_000_000, count: 170 },
          ],
        },
      },
      async handler({ query: { event_dataset_id, buckets = 50 }, caller }) {
        const dataset = await findDataset(store.datasets, caller.accountId, 'event', event_dataset_id);
        return { event_dataset_id, ...(await store.events.statistics(dataset.dataset_id, buckets)) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/get-attribute-statistics',
      tag: 'Records',
      summary: 'Values of each attribute, from a sample',
      description:
        'At most about 20,000 of the newest records are looked at, fewer where they are large; `sampled_records` says how many.',
      query: DatasetQuery,
      response: open({
        num_records: Type.Integer(),
        sampled_records: Type.Integer(),
        attributes: Type.Array(
          openAs('AttributeStatistics', {
            attribute: Type.String(),
            handling: oneOf(['NUMERICAL', 'CATEGORICAL']),
            records: Type.Integer(),
            distinct: Type.Integer(),
            distinct_is_lower_bound: Type.Boolean(),
            min: nullable(Type.Number()),
            max: nullable(Type.Number()),
            mean: nullable(Type.Number()),
            top_values: Type.Array(
              open({ value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]), count: Type.Integer() }),
            ),
            histogram: Type.Array(open({ from: Type.Number(), to: Type.Number(), count: Type.Integer() })),
          }),
        ),
      }),
      errors: ['DATASET_NOT_FOUND'],
      examples: {
        request: { item_dataset_id: EXAMPLE_DATASET_IDS.item },
        response: {
          num_records: 1200,
          sampled_records: 1200,
          attributes: [
            {
              attribute: 'genre',
              handling: 'CATEGORICAL',
              records: 1190,
              distinct: 2,
              distinct_is_lower_bound: false,
              min: null,
              max: null,
              mean: null,
              top_values: [
                { value: 'Drama', count: 700 },
                { value: 'War', count: 490 },
              ],
              histogram: [],
            },
          ],
        },
      },
      async handler({ query, caller }) {
        const dataset = await resolve(query, caller.accountId);
        const summary = await samples.summary(dataset);
        return {
          num_records: dataset.num_records,
          sampled_records: summary.records,
          attributes: summary.statistics(dataset.attribute_schema),
        };
      },
    }),
  ];
}

function toEntity(kind: Exclude<DatasetKind, 'event'>, record: EntityRecord | null): object | null {
  return record && { [recordIdField(kind)]: record.id, attributes: record.attributes };
}
