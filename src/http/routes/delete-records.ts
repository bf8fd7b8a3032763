// Deletes users, items and events: by id, of a user, by time. Takes effect immediately, including in recommendations.
import { Type } from 'typebox';
import { plural } from '../../base/plural.ts';
import { type DatasetKind, MAX_BATCH_RECORDS } from '../../domain/dataset.ts';
import { AppError } from '../../errors.ts';
import type { ResultEraser } from '../../results/erase-users.ts';
import type { Store } from '../../store/store.ts';
import { refuseLargeBatch } from '../bulk/bulk-bodies.ts';
import { defineRoute, type Route } from '../route.ts';
import { ClientId, closed, open, ServiceId, TimeMs } from '../schemas/common.ts';
import { DATASET_TAGS, datasetIdField, EXAMPLE_DATASET_IDS, EXAMPLE_RECORDS, findDataset } from './dataset-kinds.ts';

export interface DeleteParts {
  store: Pick<Store, 'datasets' | 'users' | 'items' | 'events' | 'outcomes'>;
  /** removes deleted users from results whose links are still valid */
  results: Pick<ResultEraser, 'erase'>;
}

const ERASURE_NOTE =
  ' To remove a person, delete the user and the events of the user. Results that can still be downloaded then say `[deleted]` in place of the id.';

export function deleteRecordRoutes(parts: DeleteParts): Route[] {
  return [
    deleteByIds('user', parts),
    deleteByIds('item', parts),
    deleteByIds('event', parts),
    deleteUserEvents(parts),
    deleteEventsBeforeTs(parts),
  ];
}

function deleteByIds(kind: DatasetKind, { store, results }: DeleteParts): Route {
  const idField = datasetIdField(kind);
  const idsField = `${kind}_ids`;
  const exampleId = { [idField]: EXAMPLE_DATASET_IDS[kind] };
  const records = { user: store.users, item: store.items, event: store.events }[kind];
  return defineRoute({
    method: 'DELETE',
    path: `/delete-dataset-${kind}s`,
    tag: DATASET_TAGS[kind],
    audit: 'hourly',
    summary: `Delete ${kind}s by id`,
    description: `Unknown ids are skipped; \`deleted_count\` counts the records that were deleted.${kind === 'user' ? ERASURE_NOTE : ''}`,
    bodyClass: 'medium',
    body: closed({
      [idField]: ServiceId,
      [idsField]: Type.Optional(Type.Array(ClientId, { description: `Up to ${plural(MAX_BATCH_RECORDS, 'id')}.` })),
      ids: Type.Optional(Type.Array(ClientId, { description: `The same as ${idsField}.` })),
    }),
    response: open({ [idField]: Type.String(), deleted_count: Type.Integer() }),
    errors: ['DATASET_NOT_FOUND', 'BATCH_TOO_LARGE'],
    examples: {
      request: { ...exampleId, [idsField]: [EXAMPLE_RECORDS[kind][`${kind}_id` as never]] },
      response: { ...exampleId, deleted_count: 1 },
    },
    async handler({ body, caller }) {
      const ids = (body[idsField] ?? body.ids) as string[] | undefined;
      if (!ids || (body.ids && body[idsField])) {
        throw new AppError('INVALID_REQUEST', `Send ${idsField}.`, {
          errors: [{ pointer: `/${idsField}`, message: ids ? 'cannot be sent together with ids' : 'is required' }],
        });
      }
      refuseLargeBatch(ids, body.ids ? 'ids' : idsField);
      const dataset = await findDataset(store.datasets, caller.accountId, kind, body[idField] as string);
      const deleted_count = await records.delete(dataset, [...new Set(ids)]);
      if (kind === 'user') await results.erase(caller.accountId, dataset.dataset_id, ids);
      return { [idField]: dataset.dataset_id, deleted_count } as never;
    },
  });
}

function deleteUserEvents({ store, results }: DeleteParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/delete-dataset-user-events',
    tag: DATASET_TAGS.event,
    audit: 'hourly',
    summary: 'Delete all events of a user',
    description: ERASURE_NOTE.trim(),
    body: closed({ event_dataset_id: ServiceId, user_id: ClientId }),
    response: open({ event_dataset_id: Type.String(), user_id: Type.String(), deleted_count: Type.Integer() }),
    errors: ['DATASET_NOT_FOUND'],
    examples: {
      request: { event_dataset_id: EXAMPLE_DATASET_IDS.event, user_id: 'u-1' },
      response: { event_dataset_id: EXAMPLE_DATASET_IDS.event, user_id: 'u-1', deleted_count: 12 },
    },
    async handler({ body: { event_dataset_id, user_id }, caller }) {
      const dataset = await findDataset(store.datasets, caller.accountId, 'event', event_dataset_id);
      const deleted_count = await store.events.deleteOfUser(dataset, user_id);
      await store.outcomes.forgetUser(dataset, user_id);
      await results.erase(caller.accountId, event_dataset_id, [user_id]);
      return { event_dataset_id, user_id, deleted_count };
    },
  });
}

function deleteEventsBeforeTs({ store }: DeleteParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/delete-dataset-events-before-ts',
    tag: DATASET_TAGS.event,
    audit: 'hourly',
    summary: 'Delete old events',
    description: 'Deletes events with start_ts ≤ ts of the event < ts. With `dry_run` only counts them.',
    body: closed({
      event_dataset_id: ServiceId,
      ts: TimeMs,
      start_ts: Type.Optional(TimeMs),
      dry_run: Type.Optional(Type.Boolean({ description: 'Count the matching events without deleting them.' })),
    }),
    response: open({ event_dataset_id: Type.String(), ts: TimeMs, deleted_count: Type.Integer() }),
    errors: ['DATASET_NOT_FOUND'],
    examples: {
      request: { event_dataset_id: EXAMPLE_DATASET_IDS.event, ts: 1_760_000_000_000 },
      response: { event_dataset_id: EXAMPLE_DATASET_IDS.event, ts: 1_760_000_000_000, deleted_count: 4821 },
    },
    async handler({ body: { event_dataset_id, ts, start_ts = 0, dry_run: dryRun = false }, caller }) {
      const dataset = await findDataset(store.datasets, caller.accountId, 'event', event_dataset_id);
      const deleted_count = start_ts < ts ? await store.events.deleteBetween(dataset, start_ts, ts, { dryRun }) : 0;
      return { event_dataset_id, ts, deleted_count };
    },
  });
}
