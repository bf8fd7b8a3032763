// What this process knows of events without reading them, see LocalEvents.
import type { EventBlock, LocalEvents } from '../event-store.ts';
import { ChangedUsers } from './changed-users.ts';
import type { DatasetNumbers } from './dataset-numbers.ts';
import type { InternedIds } from './interned-ids.ts';
import type { ScanThreads } from './scan-threads.ts';
import type { SqliteWriter } from './writer.ts';

/** Events looked at in one turn: a fraction of a millisecond. */
const BLOCK_EVENTS = 10_000;

export class SqliteLocalEvents implements LocalEvents {
  readonly #datasets: DatasetNumbers;
  readonly #interned: InternedIds;
  readonly #scans: ScanThreads;
  readonly #writer: SqliteWriter;
  readonly #changed = new ChangedUsers();

  constructor(datasets: DatasetNumbers, interned: InternedIds, scans: ScanThreads, writer: SqliteWriter) {
    this.#datasets = datasets;
    this.#interned = interned;
    this.#scans = scans;
    this.#writer = writer;
    writer.onChange = (change) => this.#changed.note(change);
  }

  userVersion(datasetId: string, userId: string): number {
    const { version } = this.#datasets.versionOf(datasetId);
    if (!this.#changed.isCurrent(datasetId, version)) this.#writer.tellChanges();
    const dataset = this.#datasets.find(datasetId);
    const user = dataset && this.#interned.numberOf(dataset.datasetNo, 'user', userId);
    return user === undefined ? version : this.#changed.versionOf(datasetId, user, version);
  }

  async *activeUsers(datasetId: string, sinceTs: number): AsyncGenerator<string[], void, undefined> {
    const dataset = this.#datasets.find(datasetId);
    if (!dataset) return;
    const ids = this.#interned.idsOf(dataset.datasetNo, 'user');
    let last = -1;
    const everything = { from: 0, to: dataset.numShards };
    for await (const block of this.#scans.blocks(dataset.datasetNo, everything, BLOCK_EVENTS)) {
      const active = activeIn(block, sinceTs, last);
      last = active.at(-1) ?? last;
      yield active.map((user) => ids.at(user));
    }
  }
}

/** The users of a block who are active, each once, without `last`, whom the block before may have shared. */
function activeIn({ length, user, ts }: EventBlock, sinceTs: number, last: number): number[] {
  const active: number[] = [];
  for (let row = 0; row < length; row++) {
    if (ts[row] < sinceTs || user[row] === last) continue;
    last = user[row];
    active.push(last);
  }
  return active;
}
