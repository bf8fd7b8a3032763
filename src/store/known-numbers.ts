// Numbers of ids, kept by those who give them out or look them up: a table of ids for each dataset and kind, in one cache. The
// tables that were not used for longest go first; one that outgrows the cache starts again.
import { BoundedCache, textBytes } from '../domain/bounded-cache.ts';
import { INTERNED_KIND_NO, type InternedKind } from './event-store.ts';

/** Of a pair in its table, beside the id. */
const PAIR_BYTES = 60;
const TABLE_BYTES = 200;

export class KnownNumbers {
  readonly #tables: BoundedCache<number, Map<string, number>>;

  constructor(maxBytes: number) {
    this.#tables = new BoundedCache({ name: 'id_numbers', maxBytes, bytesOf: () => TABLE_BYTES });
  }

  get(datasetNo: number, kind: InternedKind, id: string): number | undefined {
    return this.#tables.get(keyOf(datasetNo, kind))?.get(id);
  }

  set(datasetNo: number, kind: InternedKind, id: string, no: number): void {
    const key = keyOf(datasetNo, kind);
    this.#tables.getOrMake(key, () => new Map()).set(id, no);
    this.#tables.grow(key, textBytes(id) + PAIR_BYTES);
  }

  clear(): void {
    this.#tables.clear();
  }
}

export const keyOf = (datasetNo: number, kind: InternedKind): number => datasetNo * 4 + INTERNED_KIND_NO[kind];
