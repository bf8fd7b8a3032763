// What a store of events or records must hold, as simple as it can be said: maps and arrays in memory. Property tests run the
// same operations on it and on a real store and compare.
import type { EntityRecord, EventRecord } from '../../src/domain/record.ts';
import type { UpsertOutcome } from '../../src/store/record-store.ts';
import type { ScannedEvent } from './store-fixtures.ts';

export class EventModel {
  readonly #capacity: number;
  readonly #written = new Map<string, { event: EventRecord; order: number }>();
  /** with events, so that they have a number */
  readonly users = new Set<string>();
  /** Numbers given to users: one who comes back after the last event was deleted gets another. */
  userNumbers = 0;
  readonly items = new Set<string>();
  #order = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get count(): number {
    return this.#written.size;
  }

  upsert(events: readonly EventRecord[]): UpsertOutcome[] {
    const outcomes = events.map((event): UpsertOutcome => {
      if (!this.#written.has(event.event_id) && this.count >= this.#capacity) return 'full';
      this.#written.set(event.event_id, { event, order: ++this.#order });
      if (!this.users.has(event.user_id)) this.userNumbers++;
      this.users.add(event.user_id);
      this.items.add(event.item_id);
      return 'stored';
    });
    this.#forgetUsers();
    return outcomes;
  }

  deleteWhere(isDoomed: (event: EventRecord) => boolean): number {
    const doomed = [...this.#written].filter(([, { event }]) => isDoomed(event));
    for (const [id] of doomed) this.#written.delete(id);
    this.#forgetUsers();
    return doomed.length;
  }

  #forgetUsers(): void {
    const present = new Set([...this.#written.values()].map(({ event }) => event.user_id));
    for (const user of this.users) if (!present.has(user)) this.users.delete(user);
  }

  get(eventId: string): EventRecord | null {
    return this.#written.get(eventId)?.event ?? null;
  }

  /** Newest first, ties: last written first. */
  newest(userId?: string): EventRecord[] {
    return [...this.#written.values()]
      .filter(({ event }) => userId === undefined || event.user_id === userId)
      .sort((a, b) => b.event.ts - a.event.ts || b.order - a.order)
      .map(({ event }) => event);
  }

  /** Per user, by time. */
  scan(): Map<string, ScannedEvent[]> {
    const byUser = new Map<string, ScannedEvent[]>();
    for (const { user_id, item_id, event_type, ts, event_value } of this.newest().reverse()) {
      const events = byUser.get(user_id) ?? [];
      events.push({ user_id, item_id, event_type, ts, event_value });
      byUser.set(user_id, events);
    }
    return byUser;
  }
}

export class RecordModel {
  readonly #capacity: number;
  /** In order of writing. */
  readonly #written = new Map<string, EntityRecord>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get count(): number {
    return this.#written.size;
  }

  upsert(records: readonly EntityRecord[]): UpsertOutcome[] {
    return records.map((record) => {
      const replaced = this.#written.delete(record.id);
      if (!replaced && this.count >= this.#capacity) return 'full';
      this.#written.set(record.id, record);
      return 'stored';
    });
  }

  delete(ids: readonly string[]): number {
    return ids.filter((id) => this.#written.delete(id)).length;
  }

  /** Last written first. */
  newest(): EntityRecord[] {
    return [...this.#written.values()].reverse();
  }
}
