// Numbers of ids, kept by those who give them out or look them up: a table of ids for each dataset and kind, in one cache. The
// tables that were not used for longest go first; one that outgrows the cache starts again. So does the one of a dataset's
// users when somebody of it was forgotten or merged: who comes back gets another number.
import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { INTERNED_KIND_NO, type InternedKind } from './event-store.ts';

/** Estimated bytes of a cached pair besides its id. */
const PAIR_BYTES = 60;
const TABLE_BYTES = 200;

/** Counts how often users of a dataset were forgotten or merged into others. */
export interface ErasureState {
  readonly dataset_no: number;
  readonly erasures: number;
  readonly merges: number;
}

interface Table {
  readonly erasures: number;
  readonly numbers: Map<string, number>;
}

export class KnownNumbers {
  readonly #tables: BoundedCache<number, Table>;

  constructor(maxBytes: number) {
    this.#tables = new BoundedCache({ name: 'id_numbers', maxBytes, bytesOf: () => TABLE_BYTES });
  }

  get(dataset: ErasureState, kind: InternedKind, id: string): number | undefined {
    const table = this.#tables.get(keyOf(dataset.dataset_no, kind));
    return table !== undefined && table.erasures === erasuresOf(dataset, kind) ? table.numbers.get(id) : undefined;
  }

  set(dataset: ErasureState, kind: InternedKind, id: string, no: number): void {
    const key = keyOf(dataset.dataset_no, kind);
    const erasures = erasuresOf(dataset, kind);
    let table = this.#tables.get(key);
    if (table?.erasures !== erasures) {
      table = { erasures, numbers: new Map() };
      this.#tables.set(key, table);
    }
    table.numbers.set(id, no);
    this.#tables.grow(key, textBytes(id) + PAIR_BYTES);
  }

  clear(): void {
    this.#tables.clear();
  }
}

export const keyOf = (datasetNo: number, kind: InternedKind): number => datasetNo * 4 + INTERNED_KIND_NO[kind];

/** Items and types are never forgotten. */
const erasuresOf = ({ erasures, merges }: ErasureState, kind: InternedKind): number =>
  kind === 'user' ? erasures + merges : 0;
