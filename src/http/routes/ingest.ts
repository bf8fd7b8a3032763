// POST /ingest/segment: messages as Segment and RudderStack deliver them.

import { Type } from 'typebox';
import { inTurns, type Steps } from '../../base/steps.ts';
import type { Project } from '../../domain/project.ts';
import type { ReadList } from '../../domain/recommendation.ts';
import type { EventRecord } from '../../domain/record.ts';
import { type EventRules, type RecordBatch, readEvents } from '../../domain/record-batch.ts';
import { withRefused } from '../../domain/record-refusal.ts';
import { MAX_SEGMENT_FAILURES, readSegment, type SegmentReading } from '../../domain/segment.ts';
import { readUsers } from '../../domain/segment-users.ts';
import { readTracked } from '../../domain/tracked-events.ts';
import { AppError, invalidField } from '../../errors.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { ownLists } from '../../outcomes/own-lists.ts';
import type { Store } from '../../store/store.ts';
import { findProject, projectOf } from '../find-project.ts';
import { type Caller, defineRoute, type Route } from '../route.ts';
import { closed, open, ServiceId } from '../schemas/common.ts';
import { EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { countRecords, storeEvents } from '../store-events.ts';
import { findDataset } from './dataset-kinds.ts';

export interface IngestParts {
  store: Pick<Store, 'accounts' | 'projects' | 'datasets' | 'events' | 'users'>;
  metrics: Metrics;
  /** the secret that signs the ids of lists */
  listSecret: string;
}

const MAX_MESSAGES = 1000;

const Message = Type.Record(Type.String(), Type.Unknown());

const EXAMPLE_MESSAGE = {
  type: 'track',
  event: 'Product Viewed',
  userId: 'u-1',
  messageId: 'ajs-next-1762000000000',
  timestamp: '2026-11-01T12:00:00.000Z',
  properties: { product_id: 'i-1' },
};

export function ingestRoutes({ store, metrics, listSecret }: IngestParts): Route[] {
  /** Existing attributes of a user stay. */
  const writeUsers = async (project: Project, { identified }: SegmentReading) => {
    if (identified.length === 0) return { users: 0, failures: [] };
    const dataset = await findDataset(store.datasets, project.account_id, 'user', project.user_dataset_id);
    const { records, messages, failures } = await inTurns(readUsers(identified, dataset.attribute_schema));
    const outcomes = records.length > 0 ? await store.users.patch(dataset, records, { creates: true }) : [];
    const users = outcomes.filter((outcome) => outcome === 'stored').length;
    const refused = withRefused(failures, outcomes, dataset, (n) => ({ index: messages[n] }));
    countRecords(metrics, 'user', users, refused);
    return { users, failures: refused };
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/ingest/segment',
      tag: 'Browser',
      summary: 'Store messages of Segment or RudderStack',
      description: `One \`track\` or \`identify\` message, or a \`batch\` of up to ${MAX_MESSAGES}. Takes HTTP Basic: API key and client secret, or a browser key as user name with an empty password. The project's \`segment_mapping\` says which events are stored and how; the standard e-commerce events need none. Other messages are skipped and counted. A message that is delivered again is stored once, by its \`messageId\`.`,
      quiet: true,
      audit: 'counted',
      acceptsBasic: true,
      bodyClass: 'medium',
      lenientBody: true,
      query: closed({
        project_id: Type.Optional(
          Type.Unsafe<string>({ ...ServiceId, description: "Default: the key's project, else the default project." }),
        ),
      }),
      body: Type.Object({ batch: Type.Optional(Type.Array(Message)), type: Type.Optional(Type.String()) }),
      response: open({
        project_id: Type.String(),
        stored: Type.Integer({ description: 'Events that are on disk.' }),
        users: Type.Integer({ description: 'Users whose attributes were changed.' }),
        skipped: Type.Integer({
          description:
            'Messages without an event or attributes for this project, with a time that cannot be read or an id that is not valid, and products without an id.',
        }),
        skipped_events: Type.Record(Type.String(), Type.Integer(), {
          description: 'Names of skipped messages and how many, up to 20.',
        }),
        failures: Type.Array(
          open({
            index: Type.Integer({ description: 'Place of the message in the batch.' }),
            code: Type.String(),
            message: Type.String(),
          }),
          {
            description: `Why events, and single attributes of events and traits of users, could not be stored, up to ${MAX_SEGMENT_FAILURES}. The others of an event or a user are stored.`,
          },
        ),
      }),
      errors: [
        'PROJECT_NOT_FOUND',
        'BATCH_TOO_LARGE',
        'PLAN_LIMIT_EXCEEDED',
        'OVERLOADED',
        'STORE_UNAVAILABLE',
        'RATE_LIMITED',
      ],
      examples: {
        request: { batch: [EXAMPLE_MESSAGE] },
        response: {
          project_id: EXAMPLE_PROJECT_ID,
          stored: 1,
          users: 0,
          skipped: 0,
          skipped_events: {},
          failures: [],
        },
      },
      async handler({ body, query, caller, runtime }) {
        const project = await findProject(store, caller.accountId, projectOf(query.project_id, caller));
        const isBrowser = caller.onlyProjectId !== undefined;
        // A browser key may not write attributes of users.
        const mapping = isBrowser ? { ...project.segment_mapping, traits: [] } : project.segment_mapping;
        const reading = await inTurns(readSegment(messagesOf(body), mapping, runtime.nowMs()));
        if (isBrowser) refuseSeveralVisitors(reading);
        const readList = ownLists({ accountId: caller.accountId, secret: listSecret });
        const rules = { nowMs: runtime.nowMs(), readList };
        const batch = await inTurns(checkEvents(reading, caller, rules));
        const places = reading.events.map(({ message }) => message);
        const dataset = await findDataset(store.datasets, caller.accountId, 'event', project.event_dataset_id);
        const { storedIds, failures } = await storeEvents({ store, metrics }, dataset, batch);
        const { users, failures: userFailures } = await writeUsers(project, reading);
        const eventFailures = failures.map(({ index, code, message }) => ({ index: places[index], code, message }));
        return {
          project_id: project.project_id,
          stored: storedIds.length,
          users,
          skipped: reading.skipped,
          skipped_events: reading.skippedNames,
          failures: [...eventFailures, ...reading.failures, ...userFailures]
            .sort((a, b) => a.index - b.index)
            .slice(0, MAX_SEGMENT_FAILURES),
        };
      },
    }),
  ];
}

function messagesOf(body: unknown): readonly unknown[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new AppError(
      'INVALID_REQUEST',
      'Send a message of Segment or RudderStack, or an object with a batch of them.',
    );
  }
  const { batch } = body as { batch?: unknown };
  if (batch === undefined) return [body];
  if (!Array.isArray(batch)) throw invalidField('/batch', 'must be an array of messages');
  if (batch.length > MAX_MESSAGES) {
    const detail = `${batch.length} messages in one call; the limit is ${MAX_MESSAGES.toLocaleString('en-US')}. Nothing was changed.`;
    throw new AppError('BATCH_TOO_LARGE', detail);
  }
  return batch;
}

/** A browser key may only write events of one visitor, who is using it. */
function refuseSeveralVisitors(reading: SegmentReading): void {
  const visitors = new Set(reading.events.map(({ record }) => record.user_id));
  if (visitors.size <= 1) return;
  throw new AppError(
    'INVALID_REQUEST',
    'With a browser key a batch has messages of one visitor only. Use a secret key on servers.',
  );
}

/** Events sent by a page must meet the limits of pages: bytes, values and times. */
function* checkEvents(
  { events }: SegmentReading,
  { onlyProjectId }: Caller,
  rules: EventRules & { readList: ReadList },
): Steps<RecordBatch<EventRecord>> {
  const records: Record<string, unknown>[] = [];
  for (const { record } of events) {
    const { recommendation_id, ...rest } = record;
    // Others may have a property of this name too, so a text that is not one of our ids is ignored.
    const isOurs = typeof recommendation_id === 'string' && rules.readList(recommendation_id) !== null;
    records.push(isOurs ? record : rest);
    yield;
  }
  if (onlyProjectId === undefined || records.length === 0) return readEvents(records, rules);
  return yield* readTracked(
    records.map(({ user_id, ...event }) => event),
    String(records[0].user_id),
    rules,
  );
}
