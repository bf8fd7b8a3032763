// Clients that write and read the same few items on all nodes while faults strike. What they saw is checked at the end: for each
// item there must be one order of all writes and reads that respects time (linearizable.ts).
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientParts, within } from './clients.ts';
import { checkHistory, type Operation } from './linearizable.ts';

const KEYS = 4;
const PAUSE_MS = 60;

export class Registers {
  readonly #operations = Array.from({ length: KEYS }, (): Operation<number | null>[] => []);
  #written = 0;

  /** Writes and reads one node after the other. */
  async use({ nodes, project, stopped, pauses }: ClientParts, client: number): Promise<void> {
    const { item_dataset_id } = project;
    for (let round = client; !stopped(); round++) {
      const key = round % KEYS;
      const id = `register-${key}`;
      const { caller } = nodes.apis[round % nodes.apis.length].current;
      const calledMs = performance.now();
      if (round % 3 === 0) {
        const value = ++this.#written;
        const items = [{ item_id: id, attributes: { value } }];
        const answer = await within(caller.call('POST', '/upsert-dataset-items', { item_dataset_id, items })).catch(
          () => null,
        );
        const isDone = answer?.status === 200 && answer.body.failed_ids.length === 0;
        const returnedMs = isDone ? performance.now() : Number.POSITIVE_INFINITY;
        this.#operations[key].push({ kind: 'write', value, calledMs, returnedMs });
      } else {
        const given = { item_dataset_id, item_id: id };
        const answer = await within(caller.call('GET', '/get-dataset-record', given)).catch(() => null);
        const isKnown = answer?.status === 200 || answer?.body?.code === 'RECORD_NOT_FOUND';
        const value = answer?.status === 200 ? (answer.body.attributes.value as number) : null;
        if (isKnown) this.#operations[key].push({ kind: 'read', value, calledMs, returnedMs: performance.now() });
      }
      await delay(PAUSE_MS * pauses);
    }
  }

  /** What is wrong, and how much was checked. */
  check(): { wrong: string[]; operations: number; histories: number } {
    const wrong = this.#operations.flatMap((operations, key) => {
      const verdict = checkHistory({ key: `register-${key}`, initial: null, operations });
      return verdict === 'linearizable' ? [] : [`the history of register-${key} is ${verdict}`];
    });
    const operations = this.#operations.reduce((sum, list) => sum + list.length, 0);
    return { wrong, operations, histories: KEYS };
  }
}
