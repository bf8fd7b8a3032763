// Items of one project as maps: what the store of records promises, without the database. And what was written of events, to compare
// lists with: the events themselves are in their real store (shared-events.ts).
import type { EntityRecord, EventRecord } from '../../src/domain/record.ts';
import type { EventStore } from '../../src/store/event-store.ts';
import type { RecordStore } from '../../src/store/record-store.ts';
import { EVENTS, type SharedEvents } from './shared-events.ts';

export type Call = <T>(place: string, work: () => T | Promise<T>) => Promise<T>;
export type SharedEvent = Pick<EventRecord, 'event_id' | 'user_id' | 'item_id' | 'ts'>;

/** When something was true. */
class Timeline {
  readonly items = new Set<string>();
  readonly #turns = new Map<string, { atMs: number; is: boolean }[]>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  note(what: string, is: boolean): void {
    const turns = this.#turns.get(what) ?? [];
    if (!what.includes(' ')) this.items.add(what);
    if ((turns.at(-1)?.is ?? false) !== is) turns.push({ atMs: this.#nowMs(), is });
    this.#turns.set(what, turns);
  }

  /** Whether it was so at any moment from `fromMs` on. */
  wasSince(fromMs: number, what: string, is: boolean): boolean {
    const turns = this.#turns.get(what) ?? [];
    let before = false;
    for (const turn of turns) {
      if (turn.atMs >= fromMs) return before === is || turns.length > 0;
      before = turn.is;
    }
    return before === is;
  }
}

export class SharedRecords {
  /** for checks: when each item was there, and when each user had bought it */
  readonly timeline: Timeline;
  readonly itemVersions = new Map<string, number>();
  readonly deletedVersions = new Map<string, number>();
  itemVersion = 0;
  readonly storedEvents = new Map<string, SharedEvent>();
  /** for the trace */
  lastChange = '';

  readonly #events: SharedEvents;
  readonly #store: EventStore;

  constructor(nowMs: () => number, events: SharedEvents) {
    this.timeline = new Timeline(nowMs);
    this.#events = events;
    this.#store = events.open();
  }

  putItem(id: string): void {
    this.lastChange = `item ${id}`;
    this.itemVersions.set(id, ++this.itemVersion);
    this.deletedVersions.delete(id);
    this.timeline.note(id, true);
  }

  deleteItem(id: string): void {
    this.lastChange = `no item ${id}`;
    this.itemVersions.delete(id);
    this.deletedVersions.set(id, ++this.itemVersion);
    this.timeline.note(id, false);
  }

  putEvent(event: SharedEvent): void {
    this.storedEvents.set(event.event_id, event);
    void this.#store.upsert(EVENTS, [{ ...event, event_type: 'buy', event_value: 1, attributes: {} }]);
    this.lastChange = `${event.user_id} has ${event.item_id}`;
    this.#changed(event.user_id);
  }

  /** All, or those of one item. */
  deleteEventsOf(userId: string, itemId: string | null = null): void {
    this.lastChange = `${userId} has ${itemId === null ? 'nothing' : `no ${itemId}`}`;
    const doomed = [...this.storedEvents.values()].filter(
      ({ user_id, item_id }) => user_id === userId && (itemId === null || item_id === itemId),
    );
    const eventIds = doomed.map(({ event_id }) => event_id);
    for (const id of eventIds) this.storedEvents.delete(id);
    if (itemId === null) void this.#store.deleteOfUser(EVENTS, userId);
    else void this.#store.delete(EVENTS, eventIds);
    this.#changed(userId);
  }

  mergeUsers(from: string, into: string): void {
    this.#events.merge(from, into);
    this.lastChange = `${from} is ${into}`;
    for (const [id, event] of this.storedEvents) {
      if (event.user_id === from) this.storedEvents.set(id, { ...event, user_id: into });
    }
    this.#changed(from, into);
  }

  itemsOf(userId: string): Set<string> {
    return new Set([...this.storedEvents.values()].filter((e) => e.user_id === userId).map((e) => e.item_id));
  }

  #changed(...userIds: string[]): void {
    for (const id of userIds) {
      const bought = this.itemsOf(id);
      for (const item of this.timeline.items) this.timeline.note(`${id} ${item}`, bought.has(item));
    }
  }

  items(call: Call): RecordStore {
    const since = (version: number) => ({
      version: this.itemVersion,
      ids: [...this.itemVersions, ...this.deletedVersions].filter(([, at]) => at > version).map(([id]) => id),
    });
    const recordOf = (id: string): EntityRecord | null => (this.itemVersions.has(id) ? { id, attributes: {} } : null);
    const { itemVersions, deletedVersions } = this;
    return {
      version: () => call('item version', () => this.itemVersion),
      changesSince: (_, version) => call('changed items', () => since(version)),
      getMany: (_, ids) => call('items', () => ids.map(recordOf)),
      async *scan() {
        yield await call('all items', () => [...itemVersions.keys()].map((id) => ({ id, attributes: {} })));
      },
      async *deletedIds() {
        yield await call('deleted items', () => [...deletedVersions.keys()]);
      },
      knowsAllDeletions: () => call('deletions', () => true),
    } as Partial<RecordStore> as RecordStore;
  }
}
