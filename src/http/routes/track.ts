// POST /track: a few events of one visitor, from a web page.

import { Type } from 'typebox';
import { inTurns } from '../../base/steps.ts';
import { MAX_TRACKED_BYTES, MAX_TRACKED_EVENTS, MAX_TRACKED_VALUE, readTracked } from '../../domain/tracked-events.ts';
import { invalidField } from '../../errors.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { ownLists } from '../../outcomes/own-lists.ts';
import type { Store } from '../../store/store.ts';
import { findProject, projectOf } from '../find-project.ts';
import { defineRoute, type Route } from '../route.ts';
import { ClientId, closed, oneOf, open, ServiceId, shownAs, TimeMs } from '../schemas/common.ts';
import { Attributes, OfList } from '../schemas/datasets.ts';
import { EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { closedAs } from '../schemas/named.ts';
import { storeEvents } from '../store-events.ts';
import { findDataset } from './dataset-kinds.ts';

export interface TrackParts {
  store: Pick<Store, 'accounts' | 'projects' | 'datasets' | 'events'>;
  metrics: Metrics;
  /** the secret that signs the ids of lists */
  listSecret: string;
}

const TrackedEvent = closedAs('TrackedEvent', {
  item_id: ClientId,
  event_type: ClientId,
  event_value: Type.Optional(
    Type.Number({
      minimum: -MAX_TRACKED_VALUE,
      maximum: MAX_TRACKED_VALUE,
      description: 'Weight in training; default 1.',
    }),
  ),
  ts: Type.Optional(
    Type.Unsafe<number>({
      ...TimeMs,
      description:
        'When it happened, in milliseconds; default now. At most 7 days ago. A time ahead of the clock is stored as now, more than a day ahead is refused.',
    }),
  ),
  attributes: Type.Optional(Attributes),
  recommendation_id: Type.Optional(OfList),
  event_id: Type.Optional(
    Type.Unsafe<string>({
      ...ClientId,
      description: 'Your own id, unique for this visitor: an event that is sent again is stored once.',
    }),
  ),
});

const visitor = (description: string) => Type.Optional(Type.Unsafe<string>({ ...ClientId, description }));

const EXAMPLE_EVENT = { item_id: 'i-1', event_type: 'view', ts: 1_762_000_000_000 };

export function trackRoutes({ store, metrics, listSecret }: TrackParts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/track',
      tag: 'Browser',
      summary: 'Store a few events of one visitor',
      description: `For web pages, with a browser key (\`?key=\`), and for servers. Takes up to ${MAX_TRACKED_EVENTS} events into the event dataset of the project. Each event succeeds or fails alone and has at most ${MAX_TRACKED_BYTES} bytes. The stored event ids are made by the service from the visitor and what was sent, so a request that is sent again stores its events once if they have an \`event_id\` or a \`ts\`, else within the same minute. JSON may be sent as \`text/plain\`, as \`navigator.sendBeacon\` does.`,
      quiet: true,
      audit: 'counted',
      body: closed({
        project_id: Type.Optional(
          Type.Unsafe<string>({ ...ServiceId, description: "Default: the key's project, else the default project." }),
        ),
        user_id: visitor('Who did it: a user you know. Send this or visitor_id.'),
        visitor_id: visitor(
          'Who did it: a visitor who is not signed in. Stored like a user_id; /merge-users joins them later.',
        ),
        events: Type.Array(shownAs<unknown>(TrackedEvent), { minItems: 1, maxItems: MAX_TRACKED_EVENTS }),
      }),
      response: open({
        project_id: Type.String(),
        stored: Type.Integer({ description: 'Events that are on disk.' }),
        event_ids: Type.Array(Type.String(), { description: 'Ids of the stored events in the event dataset.' }),
        failures: Type.Array(
          open({
            index: Type.Integer({ description: 'Place of the event in the request, from 0.' }),
            code: oneOf(['INVALID_RECORD', 'RECORD_TOO_LARGE', 'DATASET_FULL', 'INVALID_RECOMMENDATION_ID']),
            message: Type.String(),
          }),
        ),
      }),
      errors: ['PROJECT_NOT_FOUND', 'PLAN_LIMIT_EXCEEDED', 'OVERLOADED', 'STORE_UNAVAILABLE'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID, visitor_id: 'visitor-7f3a', events: [EXAMPLE_EVENT] },
        response: {
          project_id: EXAMPLE_PROJECT_ID,
          stored: 1,
          event_ids: ['trk_9mJ2xq0fZ7wq3T1uL5bVh8KcYdE'],
          failures: [],
        },
      },
      async handler({ body, caller, runtime }) {
        const visitorId = oneVisitor(body);
        const project = await findProject(store, caller.accountId, projectOf(body.project_id, caller));
        const dataset = await findDataset(store.datasets, caller.accountId, 'event', project.event_dataset_id);
        const batch = await inTurns(
          readTracked(body.events, visitorId, {
            nowMs: runtime.nowMs(),
            readList: ownLists({ accountId: caller.accountId, secret: listSecret }),
          }),
        );
        const { storedIds, failures } = await storeEvents({ store, metrics }, dataset, batch);
        return {
          project_id: project.project_id,
          stored: storedIds.length,
          event_ids: storedIds,
          failures: failures.map(({ index, code, message }) => ({ index, code: code as 'INVALID_RECORD', message })),
        };
      },
    }),
  ];
}

function oneVisitor({ user_id, visitor_id }: { user_id?: string; visitor_id?: string }): string {
  const visitorId = user_id ?? visitor_id;
  if (visitorId !== undefined && (user_id === undefined || visitor_id === undefined)) return visitorId;
  const message = visitorId === undefined ? 'or visitor_id is required' : 'and visitor_id must not both be sent';
  throw invalidField('/user_id', message);
}
