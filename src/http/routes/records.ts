// Upserts of users, items and events, and patches of users and items.
import { Type } from 'typebox';
import type { DataWarnings } from '../../automation/webhooks/data-warnings.ts';
import { traced } from '../../base/trace.ts';
import type { Dataset, EntityKind } from '../../domain/dataset.ts';
import type { RecordColumns } from '../../domain/record-columns.ts';
import { withRefused } from '../../domain/record-refusal.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { PatchOutcome, UpsertOutcome } from '../../store/record-store.ts';
import type { Store } from '../../store/store.ts';
import { unknownIds } from '../../store/unknown-ids.ts';
import { type Batch, BULK_BODIES, type CheckedBatch } from '../bulk/bulk-bodies.ts';
import { defineRoute, type Route } from '../route.ts';
import { open } from '../schemas/common.ts';
import { upsertResponseFields } from '../schemas/datasets.ts';
import { countRecords } from '../store-events.ts';
import { DATASET_TAGS, datasetIdField, EXAMPLE_DATASET_IDS, EXAMPLE_RECORDS, findDataset } from './dataset-kinds.ts';

export interface RecordParts {
  store: Pick<Store, 'datasets' | 'users' | 'items' | 'events'>;
  metrics: Metrics;
  /** the secret that signs the ids of lists */
  listSecret: string;
  warnings: DataWarnings;
}

export function recordRoutes(parts: RecordParts): Route[] {
  return [
    writeEntities('user', upsertOf('user'), parts),
    writeEntities('user', patchOf('user'), parts),
    writeEntities('item', upsertOf('item'), parts),
    writeEntities('item', patchOf('item'), parts),
    upsertEvents(parts),
  ];
}

const BATCH_NOTE =
  'Inserts or replaces whole records by id, up to 1,000 per call. Each record succeeds or fails on its own; `failures` says why. If an id is sent twice, the last record wins. Succeeded records are on disk when the call returns.';

/** A call that writes a batch of users or items. */
interface EntityWrite {
  readonly verb: 'upsert' | 'patch';
  readonly summary: string;
  readonly description: string;
  readonly bulk: (typeof BULK_BODIES)[keyof typeof BULK_BODIES];
  /** example of one record in the request */
  readonly example: Record<string, unknown>;
}

const upsertOf = (kind: EntityKind): EntityWrite => ({
  verb: 'upsert',
  summary: `Insert or replace ${kind}s`,
  description: BATCH_NOTE,
  bulk: BULK_BODIES[`${kind}s`],
  example: EXAMPLE_RECORDS[kind],
});

const patchOf = (kind: EntityKind): EntityWrite => ({
  verb: 'patch',
  summary: `Change single attributes of ${kind}s`,
  description: `Sets and removes attributes without the rest of the record, up to 1,000 ${kind}s per call. The next call sees the change. Each record changes whole or not at all; \`failures\` says why one did not. ${kind === 'user' ? 'A user' : 'An item'} without a record fails with \`RECORD_NOT_FOUND\`: upsert it first. Patches of one id in a call are applied in their order, together. Patches and upserts of one record that run at the same time are applied one after the other, each to the whole record as the one before left it.`,
  bulk: BULK_BODIES[`${kind}-patches`],
  example:
    kind === 'user'
      ? { user_id: 'u-1', set: { country: 'BE' }, unset: ['age'] }
      : { item_id: 'i-1', set: { price: 9.5, stock: 0 }, unset: ['sale_until'] },
});

function writeEntities(kind: EntityKind, write: EntityWrite, { store, metrics }: RecordParts): Route {
  const { verb, summary, description, bulk, example } = write;
  const idField = datasetIdField(kind);
  const records = kind === 'user' ? store.users : store.items;
  const exampleId = { [idField]: EXAMPLE_DATASET_IDS[kind] };
  const succeeded = { succeed_ids: [example[`${kind}_id`]], failed_ids: [], failures: [], warnings: [] };

  return defineRoute({
    method: 'POST',
    path: `/${verb}-dataset-${kind}s`,
    tag: DATASET_TAGS[kind],
    summary,
    description,
    bulk,
    quiet: true,
    body: bulk.schema,
    response: open({ [idField]: Type.String(), ...upsertResponseFields }),
    errors: ['DATASET_NOT_FOUND', 'BATCH_TOO_LARGE', 'PLAN_LIMIT_EXCEEDED', 'OVERLOADED', 'STORE_UNAVAILABLE'],
    examples: {
      request: { ...exampleId, [bulk.field]: [example] },
      response: { ...exampleId, ...succeeded },
    },
    async handler({ body, caller, runtime }) {
      const fields = body as Record<string, unknown>;
      const dataset = await findDataset(store.datasets, caller.accountId, kind, fields[idField] as string);
      const given = fields[bulk.field] as Batch<RecordColumns>;
      const nowMs = runtime.nowMs();
      const batch = await traced('check records', () => given.check(dataset.attribute_schema, { nowMs }));
      const outcomes = batch.ids.length > 0 ? await records[verb](dataset, batch.columns) : [];
      return traced('answer', () => upsertResponse(dataset, batch, outcomes, metrics)) as never;
    },
  });
}

function upsertEvents({ store, metrics, listSecret, warnings }: RecordParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/upsert-dataset-events',
    tag: 'Event datasets',
    summary: 'Insert or replace events',
    description: `${BATCH_NOTE} An event over 20,480 bytes of JSON fails without affecting the others. \`warnings\` lists events that were stored but look like mistakes: a time before 2000 or more than a day ahead and, once the dataset has 10,000 events, an item or a type that is new and resembles a known one.`,
    bulk: BULK_BODIES.events,
    quiet: true,
    body: BULK_BODIES.events.schema,
    response: open({ event_dataset_id: Type.String(), ...upsertResponseFields }),
    errors: ['DATASET_NOT_FOUND', 'BATCH_TOO_LARGE', 'PLAN_LIMIT_EXCEEDED', 'OVERLOADED', 'STORE_UNAVAILABLE'],
    examples: {
      request: { event_dataset_id: EXAMPLE_DATASET_IDS.event, events: [EXAMPLE_RECORDS.event] },
      response: {
        event_dataset_id: EXAMPLE_DATASET_IDS.event,
        succeed_ids: [EXAMPLE_RECORDS.event.event_id],
        failed_ids: ['u-2:i-7:'],
        failures: [{ index: 1, id: 'u-2:i-7:', code: 'INVALID_RECORD', message: 'ts is missing.' }],
        warnings: [],
      },
    },
    async handler({ body, caller, runtime }) {
      const dataset = await findDataset(store.datasets, caller.accountId, 'event', body.event_dataset_id);
      const nowMs = runtime.nowMs();
      const lists = { accountId: caller.accountId, secret: listSecret };
      const batch = await traced('check records', () => body.events.check(null, { nowMs, lists }));
      const { outcomes, firstSeen } =
        batch.ids.length > 0 ? await store.events.upsert(dataset, batch.columns) : { outcomes: [], firstSeen: null };
      if (firstSeen !== null) {
        for (const { row, ...warning } of await unknownIds(store.events, dataset.dataset_id, firstSeen)) {
          batch.warnings.push({ index: batch.indexes[row], id: batch.ids[row], ...warning });
        }
      }
      if (batch.warnings.length > 0) warnings.tell(caller.accountId, dataset.dataset_id, batch.warnings, nowMs);
      return traced('answer', () => upsertResponse(dataset, batch, outcomes, metrics)) as never;
    },
  });
}

function upsertResponse(
  dataset: Dataset,
  { ids, indexes, warnings, ...checked }: CheckedBatch,
  outcomes: readonly (UpsertOutcome | PatchOutcome)[],
  metrics: Metrics,
): Record<string, unknown> {
  const { kind } = dataset;
  const succeed_ids = ids.filter((_, n) => outcomes[n] === 'stored');
  const placeOf = (n: number) => ({ index: indexes[n], id: ids[n] });
  const failures = withRefused(checked.failures, outcomes, dataset, placeOf);
  countRecords(metrics, kind, succeed_ids.length, failures);
  const notStored = new Set(failures.map(({ index }) => index));
  return {
    [datasetIdField(kind)]: dataset.dataset_id,
    succeed_ids,
    failed_ids: failures.map(({ id }) => id),
    failures,
    warnings: warnings.filter(({ index }) => !notStored.has(index)),
  };
}
