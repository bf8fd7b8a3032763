// Histories as Parquet files in the artifact store, one row per user. A file is named by a digest of what is in it, so a training
// writes only files that the one before it did not have. Nothing in a file says where its users are among all. Files end where the
// histories themselves say so, not after a count of users: a new or changed history changes the file it is in, and rarely the next.
import { createHash } from 'node:crypto';
import type { Interactions } from '../../dataset/interactions.ts';
import { hash32 } from '../../dataset/random.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import { putLists } from './parquet-blobs.ts';

const WEIGHT_UNITS = 2 ** 16;
/** Entries of a file: at most, and at least unless it is the last. */
const FILE_ENTRIES = 500_000;
const LEAST_SHARE = 0.25;
/** Part of the digest: another way to write files gives other names. */
const FORMAT = 'kindred histories 1';

export interface HistoryPlace {
  readonly blobs: BlobStore;
  readonly scratchDir: string;
  readonly signal?: AbortSignal | undefined;
  /** of a file; left out: half a million */
  readonly fileEntries?: number | undefined;
}

export class HistoryFiles {
  /** In the order of users. */
  readonly keys: string[] = [];
  /** those of `keys` that were not there before */
  readonly written: string[] = [];
  readonly #place: HistoryPlace;
  readonly #prefix: string;
  readonly #existing: ReadonlySet<string>;
  readonly #most: number;
  #items: Uint32Array[] = [];
  #weights: Uint32Array[] = [];
  #entries = 0;

  private constructor(place: HistoryPlace, prefix: string, existing: ReadonlySet<string>) {
    this.#place = place;
    this.#prefix = prefix;
    this.#existing = existing;
    this.#most = place.fileEntries ?? FILE_ENTRIES;
  }

  /** Files are below the prefix, which ends with a slash. */
  static async open(place: HistoryPlace, prefix: string): Promise<HistoryFiles> {
    const existing = await Array.fromAsync(place.blobs.list(prefix), ({ key }) => key);
    return new HistoryFiles(place, prefix, new Set(existing));
  }

  /** The next users. A user without items has no row. */
  async add({ userCount, userOffsets, items, weights }: Interactions): Promise<void> {
    for (let row = 0; row < userCount; row++) {
      const [from, to] = [userOffsets[row], userOffsets[row + 1]];
      if (to === from) continue;
      if (this.#entries > 0 && this.#entries + to - from > this.#most) await this.#end();
      const own = items.slice(from, to);
      this.#items.push(own);
      this.#weights.push(Uint32Array.from(weights.subarray(from, to), (weight) => weight * WEIGHT_UNITS));
      this.#entries += own.length;
      if (this.#entries >= LEAST_SHARE * this.#most && this.#isLast(own)) await this.#end();
    }
  }

  /** Writes the last file: there is at least one. */
  async finish(): Promise<void> {
    if (this.#entries > 0 || this.keys.length === 0) await this.#end();
  }

  /** Removes the files below the prefix that are not among these. */
  async removeOthers(): Promise<void> {
    const kept = new Set(this.keys);
    for (const key of this.#existing) if (!kept.has(key)) await this.#place.blobs.delete(key);
  }

  /** Longer histories are likelier to end a file, so that files have about the same number of entries. */
  #isLast(items: Uint32Array): boolean {
    const hash = items.reduce(hash32, items.length);
    return hash / 2 ** 32 < items.length / (LEAST_SHARE * this.#most);
  }

  async #end(): Promise<void> {
    const { blobs, scratchDir, signal } = this.#place;
    signal?.throwIfAborted();
    const digest = createHash('sha256').update(FORMAT);
    for (const [user, items] of this.#items.entries()) {
      digest.update(Uint32Array.of(items.length)).update(items).update(this.#weights[user]);
    }
    const name = `${this.#prefix}${digest.digest('hex').slice(0, 40)}`;
    // Other users with the same histories are another file.
    const key = `${name}-${this.keys.filter((other) => other.startsWith(name)).length}.parquet`;
    if (!this.#existing.has(key)) {
      await putLists(blobs, scratchDir, key, { items: this.#items, weights: this.#weights });
      this.written.push(key);
    }
    this.keys.push(key);
    this.#items = [];
    this.#weights = [];
    this.#entries = 0;
  }
}
