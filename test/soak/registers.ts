// Clients that write and read the same few items on all nodes while faults strike. What they saw is checked at the end: for each
// item there must be one order of all writes and reads that respects time (linearizable.ts).
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientParts } from './clients/client.ts';
import { checkHistory, type Operation } from './linearizable.ts';

const KEYS = 4;
/** How long all clients use the same item, without pauses between their calls: most of these calls overlap. */
const BURST_MS = 200;

export class Registers {
  readonly #operations = Array.from({ length: KEYS }, (): Operation<number | null>[] => []);
  #written = 0;

  /** Writes and reads one node after the other. */
  async use({ nodes, calls, project, stopped, pauses }: ClientParts, client: number): Promise<void> {
    const { item_dataset_id } = project;
    // Something is quiet between two bursts, however few the pauses: a history is checked in parts.
    const everyMs = BURST_MS * Math.max(2, pauses);
    for (let round = client; !stopped(); round++) {
      const nowMs = performance.now();
      if (nowMs % everyMs > BURST_MS) {
        await delay(everyMs - (nowMs % everyMs));
        continue;
      }
      const key = Math.floor(nowMs / everyMs) % KEYS;
      const item_id = `register-${key}`;
      const place = nodes.apis[round % nodes.apis.length];
      if (round % 3 === 0) {
        const value = ++this.#written;
        const upsert = { item_dataset_id, items: [{ item_id, attributes: { value } }] };
        const response = await calls.once('item write', place, (api) =>
          api.call('POST', '/upsert-dataset-items', upsert),
        );
        const isDone = response?.status === 200 && response.body.failed_ids.length === 0;
        const returnedMs = isDone ? response.returnedMs : Number.POSITIVE_INFINITY;
        this.#operations[key].push({ kind: 'write', value, calledMs: nowMs, returnedMs });
      } else {
        const response = await calls.once('record read', place, (api) =>
          api.call('GET', '/get-dataset-record', { item_dataset_id, item_id }),
        );
        const isKnown = response?.status === 200 || response?.body.code === 'RECORD_NOT_FOUND';
        if (!isKnown) continue;
        const value = response.status === 200 ? (response.body.attributes.value as number) : null;
        this.#operations[key].push({ kind: 'read', value, calledMs: nowMs, returnedMs: response.returnedMs });
      }
    }
  }

  /** What is wrong, and how much was checked. */
  check(): { wrong: string[]; operations: number; knownReads: number; overlapping: number; histories: number } {
    const wrong = this.#operations.flatMap((operations, key) => {
      const verdict = checkHistory({ key: `register-${key}`, initial: null, operations });
      return verdict === 'linearizable' ? [] : [`the history of register-${key} is ${verdict}`];
    });
    const all = this.#operations.flat();
    const knownReads = all.filter(({ kind, value }) => kind === 'read' && value !== null).length;
    const overlapping = this.#operations.reduce((sum, operations) => sum + overlapsOf(operations), 0);
    return { wrong, operations: all.length, knownReads, overlapping, histories: KEYS };
  }
}

/** How many operations began while another was under way. */
export function overlapsOf(operations: readonly Pick<Operation<unknown>, 'calledMs' | 'returnedMs'>[]): number {
  let endMs = Number.NEGATIVE_INFINITY;
  let overlaps = 0;
  for (const { calledMs, returnedMs } of operations.toSorted((a, b) => a.calledMs - b.calledMs)) {
    if (calledMs < endMs) overlaps++;
    // One that nobody heard of may have ended at once.
    if (returnedMs !== Number.POSITIVE_INFINITY) endMs = Math.max(endMs, returnedMs);
  }
  return overlaps;
}
