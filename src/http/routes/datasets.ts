// Create, get, list, update and delete datasets of users, items and events: the same calls for each kind.

import { Type } from 'typebox';
import { ownTurn } from '../../base/turns.ts';
import {
  type Dataset,
  type DatasetKind,
  DEFAULT_NUM_SHARDS,
  type AttributeSchema as Schema,
} from '../../domain/dataset.ts';
import { newId } from '../../domain/ids.ts';
import { AppError } from '../../errors.ts';
import { MAX_PAGE_BYTES, tokenAfter } from '../../store/page.ts';
import type { DatasetStore } from '../../store/registry-store.ts';
import type { AttributeSamples } from '../attribute-samples.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, Name, NextPageToken, open, pageQuery, ServiceId, toPageRequest } from '../schemas/common.ts';
import { datasetFields, datasetFigures, InferableSchema, NumShards } from '../schemas/datasets.ts';
import { openAs } from '../schemas/named.ts';
import { datasetIdField, datasetNotFound, EXAMPLE_DATASET_IDS, findDataset, KINDS } from './dataset-kinds.ts';

export interface DatasetParts {
  datasets: DatasetStore;
  samples: AttributeSamples;
}

export function datasetRoutes(parts: DatasetParts): Route[] {
  return KINDS.flatMap((kind) => routesOfKind(kind, parts));
}

function routesOfKind(kind: DatasetKind, { datasets, samples }: DatasetParts): Route[] {
  const idField = datasetIdField(kind);
  const title = `${kind[0].toUpperCase()}${kind.slice(1)}`;
  const tag = `${title} datasets`;
  const byId = closed({ [idField]: ServiceId });
  // Existing clients read the id of every new dataset from user_dataset_id.
  const createdIds = kind === 'user' ? [idField] : [idField, 'user_dataset_id'];
  const createdResponse = open({
    ...Object.fromEntries(createdIds.map((field) => [field, Type.String()])),
    ...datasetFields,
  });
  const response = openAs(`${title}Dataset`, { [idField]: Type.String(), ...datasetFields, ...datasetFigures });

  const configuration = (dataset: Dataset) => ({
    [idField]: dataset.dataset_id,
    name: dataset.name,
    num_shards: dataset.num_shards,
    attribute_schema: dataset.attribute_schema,
    created_ts: dataset.created_ts,
  });
  const describe = async (dataset: Dataset) => ({
    ...configuration(dataset),
    num_records: dataset.num_records,
    inferred_attribute_schema: await samples.inferredSchema(dataset),
  });

  const exampleId = { [idField]: EXAMPLE_DATASET_IDS[kind] };
  const exampleSchema = kind === 'event' ? null : EXAMPLE_SCHEMAS[kind];
  const exampleConfiguration = {
    name: `shop ${kind}s`,
    num_shards: 10,
    attribute_schema: exampleSchema,
    created_ts: 1_762_000_000_000,
  };
  const exampleResponse = {
    ...exampleId,
    ...exampleConfiguration,
    num_records: 1200,
    inferred_attribute_schema: EXAMPLE_SCHEMAS[kind],
  };

  return [
    defineRoute({
      method: 'POST',
      path: `/create-${kind}-dataset`,
      tag,
      summary: `Create ${kind === 'user' ? 'a user' : `an ${kind}`} dataset`,
      body: closed({
        name: Name,
        num_shards: Type.Optional(NumShards),
        attribute_schema: Type.Optional(InferableSchema),
      }),
      response: createdResponse,
      errors: kind === 'event' ? ['PLAN_LIMIT_EXCEEDED'] : [],
      examples: {
        request: { name: exampleConfiguration.name, num_shards: 10, attribute_schema: exampleSchema },
        response: {
          ...Object.fromEntries(createdIds.map((field) => [field, EXAMPLE_DATASET_IDS[kind]])),
          ...exampleConfiguration,
        },
      },
      async handler({ body, caller, runtime }) {
        const dataset: Dataset = {
          account_id: caller.accountId,
          dataset_id: newId(kind, runtime),
          kind,
          name: body.name,
          num_shards: body.num_shards ?? DEFAULT_NUM_SHARDS,
          attribute_schema: (body.attribute_schema as Schema | null | undefined) ?? null,
          created_ts: runtime.nowMs(),
          num_records: 0,
        };
        if ((await datasets.create(dataset)) === 'plan-limit') {
          throw new AppError(
            'PLAN_LIMIT_EXCEEDED',
            `The event datasets of this account would exceed the shards of its plan. See /get-account.`,
            { errors: [{ pointer: '/num_shards', message: 'exceeds what is left of the plan' }] },
          );
        }
        const ids = Object.fromEntries(createdIds.map((field) => [field, dataset.dataset_id]));
        return { ...ids, ...configuration(dataset) } as never;
      },
    }),
    defineRoute({
      method: 'GET',
      path: `/get-${kind}-dataset`,
      tag,
      summary: 'Read its configuration and count',
      query: byId,
      response: response,
      errors: ['DATASET_NOT_FOUND'],
      examples: { request: exampleId, response: exampleResponse },
      handler: async ({ query, caller }) =>
        (await describe(await findDataset(datasets, caller.accountId, kind, query[idField]))) as never,
    }),
    defineRoute({
      method: 'GET',
      path: `/list-${kind}-datasets`,
      tag,
      summary: "List the account's, newest first",
      query: closed(pageQuery),
      response: open({ [`${kind}_datasets`]: Type.Array(response), next_page_token: NextPageToken }),
      errors: ['INVALID_PAGE_TOKEN'],
      examples: { request: {}, response: { [`${kind}_datasets`]: [exampleResponse], next_page_token: null } },
      async handler({ query, caller }) {
        const page = await datasets.list(caller.accountId, kind, toPageRequest(query));
        const described: object[] = [];
        const responded = (next_page_token: string | null) =>
          ({ [`${kind}_datasets`]: described, next_page_token }) as never;
        let length = 0;
        for (const dataset of page.entries) {
          const shown = await describe(dataset);
          length += JSON.stringify(shown).length;
          described.push(shown);
          if (length > MAX_PAGE_BYTES && dataset !== page.entries.at(-1)) {
            return responded(tokenAfter({ ts: dataset.created_ts, id: dataset.dataset_id }));
          }
          // The attribute description may have read records.
          await ownTurn();
        }
        return responded(page.next_page_token);
      },
    }),
    defineRoute({
      method: 'PUT',
      path: `/update-${kind}-dataset`,
      tag,
      summary: 'Change its name or attribute schema',
      description: 'Missing fields keep their value. A new attribute schema applies to records upserted from now on.',
      body: closed({
        [idField]: ServiceId,
        name: Type.Optional(Name),
        attribute_schema: Type.Optional(InferableSchema),
      }),
      response: response,
      errors: ['DATASET_NOT_FOUND'],
      examples: {
        request: { ...exampleId, name: 'renamed' },
        response: { ...exampleResponse, name: 'renamed' },
      },
      async handler({ body, caller }) {
        const datasetId = body[idField] as string;
        const dataset = await datasets.update(caller.accountId, kind, datasetId, {
          name: body.name as string | undefined,
          attribute_schema: body.attribute_schema as Schema | null | undefined,
        });
        if (!dataset) throw datasetNotFound(kind, datasetId);
        return (await describe(dataset)) as never;
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `/delete-${kind}-dataset`,
      tag,
      summary: 'Delete it with all its records',
      description: 'Fails while a project uses it. Returns its last configuration.',
      body: byId,
      response: response,
      errors: ['DATASET_NOT_FOUND', 'DATASET_IN_USE'],
      examples: { request: exampleId, response: exampleResponse },
      async handler({ body, caller }) {
        const datasetId = body[idField];
        const last = await describe(await findDataset(datasets, caller.accountId, kind, datasetId));
        const deleted = await datasets.delete(caller.accountId, kind, datasetId);
        if (deleted === null) throw datasetNotFound(kind, datasetId);
        if (deleted === 'in-use') {
          throw new AppError('DATASET_IN_USE', 'A project uses this dataset. Delete the project first.');
        }
        return last as never;
      },
    }),
  ];
}

const EXAMPLE_SCHEMAS: Record<DatasetKind, Schema> = {
  user: { age: 'NUMERICAL', country: 'CATEGORICAL' },
  item: { price: 'NUMERICAL', genre: 'CATEGORICAL' },
  event: { device: 'CATEGORICAL' },
};
