// Rankings that may be given again. A ranking follows from the models that answer, the catalog and the user's events, and from
// nothing else; each is kept with the versions it was made from and given again only while all of them are the same. The
// versions are read from the store at every call, so a kept ranking is never older than the data: it saves the work, not the
// look. Attributes are no part of it: they are put to the items when the answer is made.

/** Items of a ranking that are kept; a longer one is made anew each time. */
export const KEPT_ITEMS = 50;

/** What rankings of a project are made by and from, besides the user's events. */
export interface RankingSource {
  /** version of the deployment: a switch makes a new one */
  readonly deployment: number;
  /** load numbers of the models */
  readonly generator: number;
  readonly ranker: number | null;
  readonly catalogVersion: number;
}

// A slot: the epoch, the limit asked for, how many items there were, the items.
const HEAD = 3;
const SLOT_WORDS = HEAD + KEPT_ITEMS;
const PAGE_SLOTS = 256;
/** Of a slot with its key and its places in the tables, about. */
const SLOT_BYTES = SLOT_WORDS * 4 + 150;

export class KeptRankings {
  readonly #maxSlots: number;
  readonly #slots = new Map<string, number>();
  /** by slot */
  readonly #keys: string[] = [];
  readonly #userVersions: number[] = [];
  readonly #pages: Uint32Array[] = [];
  /** the slot kept longest, once all are taken */
  #oldest = 0;
  readonly #epochs = new Map<string, { source: RankingSource; epoch: number }>();
  #lastEpoch = 0;

  constructor(budgetBytes: number) {
    this.#maxSlots = Math.max(1, Math.floor(budgetBytes / SLOT_BYTES));
  }

  get size(): number {
    return this.#keys.length;
  }

  get capacity(): number {
    return this.#maxSlots;
  }

  get bytes(): number {
    return this.#keys.length * SLOT_BYTES;
  }

  /** A number that stands for the source, and changes with it. */
  epochOf(projectId: string, source: RankingSource): number {
    const known = this.#epochs.get(projectId);
    if (known !== undefined && isSame(known.source, source)) return known.epoch;
    this.#lastEpoch++;
    this.#epochs.set(projectId, { source, epoch: this.#lastEpoch });
    return this.#lastEpoch;
  }

  /** The best `limit` items, if they are known. */
  find(key: string, epoch: number, userVersion: number, limit: number): Uint32Array | null {
    const slot = this.#slots.get(key);
    if (slot === undefined || this.#userVersions[slot] !== userVersion) return null;
    const page = this.#pages[Math.floor(slot / PAGE_SLOTS)];
    const at = (slot % PAGE_SLOTS) * SLOT_WORDS;
    if (page[at] !== epoch || page[at + 1] < limit) return null;
    return page.slice(at + HEAD, at + HEAD + Math.min(limit, page[at + 2]));
  }

  /** `items` are the best `limit`, or all there are. */
  keep(key: string, epoch: number, userVersion: number, limit: number, items: ArrayLike<number>): void {
    const slot = this.#slots.get(key) ?? this.#newSlot(key);
    this.#userVersions[slot] = userVersion;
    const page = this.#pages[Math.floor(slot / PAGE_SLOTS)];
    const at = (slot % PAGE_SLOTS) * SLOT_WORDS;
    page[at] = epoch;
    page[at + 1] = Math.min(limit, KEPT_ITEMS);
    page[at + 2] = Math.min(items.length, KEPT_ITEMS);
    for (let n = 0; n < page[at + 2]; n++) page[at + HEAD + n] = items[n];
  }

  #newSlot(key: string): number {
    let slot = this.#keys.length;
    if (slot < this.#maxSlots) {
      if (slot % PAGE_SLOTS === 0) this.#pages.push(new Uint32Array(PAGE_SLOTS * SLOT_WORDS));
    } else {
      slot = this.#oldest;
      this.#oldest = (slot + 1) % this.#maxSlots;
      this.#slots.delete(this.#keys[slot]);
    }
    this.#keys[slot] = key;
    this.#slots.set(key, slot);
    return slot;
  }
}

function isSame(a: RankingSource, b: RankingSource): boolean {
  return (
    a.deployment === b.deployment &&
    a.generator === b.generator &&
    a.ranker === b.ranker &&
    a.catalogVersion === b.catalogVersion
  );
}
