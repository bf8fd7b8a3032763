// Items and events of one project as maps: what the stores of records and events promise, without the databases.
import type { EntityRecord, EventRecord } from '../../src/domain/record.ts';
import type { EventStore, HistoryEvent } from '../../src/store/event-store.ts';
import type { RecordStore } from '../../src/store/record-store.ts';

type Call = <T>(place: string, work: () => T) => Promise<T>;
export type SharedEvent = Pick<EventRecord, 'event_id' | 'user_id' | 'item_id' | 'ts'>;

/** Fewer than a run has, so that forgetting them happens. */
const KEPT_CHANGES = 12;

/** When something was true. */
export class Timeline {
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
  readonly userNumbers = new Map<string, number>();
  changes: { version: number; user: number }[] = [];
  eventVersion = 0;
  /** for the trace */
  lastChange = '';

  readonly #keptChanges: number;

  /** `keptChanges`: changes of users that are remembered. */
  constructor(nowMs: () => number, keptChanges: number = KEPT_CHANGES) {
    this.timeline = new Timeline(nowMs);
    this.#keptChanges = keptChanges;
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
    this.lastChange = `${event.user_id} has ${event.item_id}`;
    this.#changed(event.user_id);
  }

  /** All, or those of one item. */
  deleteEventsOf(userId: string, itemId: string | null = null): void {
    this.lastChange = `${userId} has ${itemId === null ? 'nothing' : `no ${itemId}`}`;
    for (const [id, { user_id, item_id }] of this.storedEvents) {
      if (user_id === userId && (itemId === null || item_id === itemId)) this.storedEvents.delete(id);
    }
    this.#changed(userId);
  }

  mergeUsers(from: string, into: string): void {
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
    this.eventVersion++;
    for (const id of userIds) {
      if (!this.userNumbers.has(id)) this.userNumbers.set(id, this.userNumbers.size);
      this.changes.push({ version: this.eventVersion, user: this.userNumbers.get(id)! });
      const bought = this.itemsOf(id);
      for (const item of this.timeline.items) this.timeline.note(`${id} ${item}`, bought.has(item));
    }
    // A version is forgotten as a whole.
    const forgotten = this.changes.at(-this.#keptChanges - 1)?.version ?? 0;
    this.changes = this.changes.filter(({ version }) => version > forgotten);
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

  events(call: Call): EventStore {
    return {
      version: () => call('event version', () => this.eventVersion),
      changesSince: (_, version) =>
        call('changed users', () => {
          const firstKept = this.changes[0]?.version ?? 1;
          if (version < firstKept - 1 && version !== this.eventVersion) return null;
          const users = this.changes.filter((change) => change.version > version).map(({ user }) => user);
          return { version: this.eventVersion, users: Uint32Array.from(new Set(users)) };
        }),
      history: (_, userId, limit) =>
        call('history', () =>
          [...this.storedEvents.values()]
            .filter((event) => event.user_id === userId)
            .sort((a, b) => b.ts - a.ts)
            .slice(0, limit)
            .map((event): HistoryEvent => {
              const user_no = this.userNumbers.get(userId)!;
              const item_no = [...this.timeline.items].indexOf(event.item_id);
              return {
                ...{ user_no, item_id: event.item_id, item_no, event_type: 'buy', event_value: 1, ts: event.ts },
              };
            }),
        ),
    } as Partial<EventStore> as EventStore;
  }
}
