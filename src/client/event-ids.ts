// Ids for tracked events that have neither an id nor a time: the service then stores an event once, however often and however late a
// lost call is sent again.
import type { Operations } from './operation-types.ts';

type TrackRequest = Operations['/track']['request'];

export function withEventIds(request: TrackRequest): TrackRequest {
  const events = request.events.map((event) =>
    (event.event_id ?? event.ts ?? null) === null ? { ...event, event_id: randomId() } : event,
  );
  return { ...request, events };
}

/** randomUUID is missing on pages without TLS. */
const randomId = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');
