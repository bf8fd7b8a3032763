// Gives ids their numbers under the dataset's lock, many at a time. Only committed pairs are kept between transactions.
import { INTERNED_KIND_NO, type InternedKind } from '../event-store.ts';
import { KnownNumbers } from '../known-numbers.ts';
import { idRowBytes, sumOf } from '../stored-bytes.ts';
import type { WriteContext } from './write-context.ts';

const CACHE_BYTES = 64 * 1024 * 1024;
const COUNTER = { user: 'num_users', item: 'num_items', type: 'num_types' } as const;

export class PostgresInterner {
  readonly #known = new KnownNumbers(CACHE_BYTES);

  /** Returns the numbers of all ids. New ids get the next numbers, in the order given. */
  async numbersOf(
    { client, counts, afterCommit }: WriteContext,
    kind: InternedKind,
    ids: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, number>> {
    // Copied, because the counts change when this transaction later forgets users.
    const { dataset_no, erasures, merges } = counts;
    const dataset = { dataset_no, erasures, merges };
    const numbers = new Map<string, number>();
    const missing: string[] = [];
    for (const id of ids) {
      const no = this.#known.get(dataset, kind, id);
      if (no === undefined) missing.push(id);
      else numbers.set(id, no);
    }
    if (missing.length === 0) return numbers;

    const kindNo = INTERNED_KIND_NO[kind];
    const { rows } = await client.query<{ id: string; no: number }>(
      'SELECT id, no FROM interned WHERE dataset_no = $1 AND kind = $2 AND id = ANY($3)',
      [counts.dataset_no, kindNo, missing],
    );
    for (const { id, no } of rows) numbers.set(id, no);
    const fresh = missing.filter((id) => !numbers.has(id));
    if (fresh.length > 0) {
      const first = counts[COUNTER[kind]];
      await client.query(
        `INSERT INTO interned (dataset_no, kind, id, no)
         SELECT $1, $2, id, $3 + place - 1 FROM unnest($4::text[]) WITH ORDINALITY AS fresh (id, place)`,
        [counts.dataset_no, kindNo, first, fresh],
      );
      fresh.forEach((id, i) => {
        numbers.set(id, first + i);
      });
      counts[COUNTER[kind]] = first + fresh.length;
      counts.stored_bytes += sumOf(fresh, idRowBytes);
    }
    afterCommit(() => {
      for (const id of missing) this.#known.set(dataset, kind, id, numbers.get(id)!);
    });
    return numbers;
  }
}
