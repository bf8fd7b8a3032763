// Lists the users of a job in order: first those with events, in the order of the scan, then those of the user dataset
// without events. A user's number is the position in that order.
import { grown } from '../../base/grown.ts';
import { IdTable } from '../../base/id-table.ts';
import { type EventStore, type InternedKind, isForgotten } from '../../store/event-store.ts';

/** The ids behind the store's numbers of a kind, as they are now. */
export async function internedTable(
  events: EventStore,
  datasetId: string,
  kind: InternedKind,
  count?: number,
): Promise<IdTable> {
  const to = count ?? (await events.internedCount(datasetId, kind));
  const table = new IdTable();
  for await (const ids of events.internedIds(datasetId, kind, { from: 0, to })) for (const id of ids) table.append(id);
  return table;
}

export class UserDirectory {
  /** ids of users; empty until `setIds` or `addIds` */
  #ids = new IdTable();
  /** place in #ids by the store's number; null: they are the same */
  #places: Map<number, number> | null = null;
  /** index in #ids of each numbered user */
  #order = new Uint32Array(1024);
  #length = 0;
  /** users of the event store that have events */
  readonly #present: Uint8Array;

  constructor(eventUsers: number) {
    this.#present = new Uint8Array(eventUsers);
  }

  /** The ids of the event store's users, before any is read. */
  setIds(eventUsers: IdTable): void {
    this.#ids = eventUsers;
  }

  /** Instead of all: the ids of some. Nobody of the user dataset can be added then. */
  addIds(storeNumbers: readonly number[], ids: readonly string[]): void {
    this.#places ??= new Map();
    for (const [n, id] of ids.entries()) {
      this.#places.set(storeNumbers[n], this.#ids.length);
      this.#ids.append(id);
    }
  }

  /** The id of the user with this number in the store. */
  idOf(storeNumber: number): string {
    return this.#ids.at(this.#places === null ? storeNumber : this.#places.get(storeNumber)!)!;
  }

  /** The store's numbers of those who were added. */
  get storeNumbers(): Uint32Array {
    return this.#order.subarray(0, this.#length);
  }

  get length(): number {
    return this.#length;
  }

  at(user: number): string | undefined {
    return user < this.#length ? this.idOf(this.#order[user]) : undefined;
  }

  /** A user with events, by the store's number; false when it came after this job began. */
  addWithEvents(storeNumber: number): boolean {
    if (storeNumber >= this.#present.length) return false;
    this.#present[storeNumber] = 1;
    this.#append(storeNumber);
    return true;
  }

  /** Everybody who has events counts as numbered, elsewhere. */
  markKnown(): void {
    for (let user = 0; user < this.#present.length; user++) {
      if (!isForgotten(this.#ids.at(user)!)) this.#present[user] = 1;
    }
  }

  /** A user of the user dataset; false when it is numbered already. */
  addRecord(userId: string): boolean {
    const known = this.#ids.indexOf(userId);
    if (known >= 0 && (known >= this.#present.length || this.#present[known] === 1)) return false;
    if (known >= 0) this.#present[known] = 1;
    this.#append(known >= 0 ? known : this.#ids.intern(userId));
    return true;
  }

  #append(index: number): void {
    if (this.#length === this.#order.length) {
      this.#order = grown(this.#order, new Uint32Array(this.#length * 2));
    }
    this.#order[this.#length++] = index;
  }
}
