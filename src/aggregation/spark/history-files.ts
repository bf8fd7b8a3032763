// Histories as Parquet files in the artifact store, one row per user. A file is named by a digest of what is in it, so a training
// writes only files that the one before it did not have. So that a new event changes one file alone, items have the store's numbers in
// it (those of a training change with every event), and which users it has follows from a hash of each user's own number.
import { createHash } from 'node:crypto';
import type { HistoryBlocks } from '../../dataset/history-blocks.ts';
import type { Interactions } from '../../dataset/interactions.ts';
import { hash32 } from '../../dataset/random.ts';
import type { StoreNumbers } from '../../dataset/read-store.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import { putLists } from './parquet-blobs.ts';

const WEIGHT_UNITS = 2 ** 16;
/** Entries of a file: at most, and half of it at least, on average over all files. */
const FILE_ENTRIES = 500_000;
/** Entries in memory at a time: beyond them the histories are read once more. */
const PASS_ENTRIES = 50_000_000;
/** Part of the digest: another way to write files gives other names. */
const FORMAT = 'kindred histories 2';

export interface HistoryPlace {
  readonly blobs: BlobStore;
  readonly scratchDir: string;
  readonly signal?: AbortSignal | undefined;
  /** entries of a file; left out: half a million */
  readonly fileEntries?: number | undefined;
  /** entries in memory; left out: fifty million */
  readonly passEntries?: number | undefined;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

interface FileSize {
  users: number;
  entries: number;
}

export class HistoryFiles {
  readonly keys: string[] = [];
  /** the keys of files that were not there before */
  readonly written: string[] = [];
  readonly #place: HistoryPlace;
  readonly #prefix: string;
  readonly #existing: ReadonlySet<string>;

  private constructor(place: HistoryPlace, prefix: string, existing: ReadonlySet<string>) {
    this.#place = place;
    this.#prefix = prefix;
    this.#existing = existing;
  }

  /** Files are below the prefix, which ends with a slash. There is at least one. A user without items has no row. */
  static async put(
    place: HistoryPlace,
    prefix: string,
    histories: HistoryBlocks,
    { userNumbers, itemNumbers }: StoreNumbers,
  ): Promise<HistoryFiles> {
    const existing = await Array.fromAsync(place.blobs.list(prefix), ({ key }) => key);
    const files = new HistoryFiles(place, prefix, new Set(existing));
    const count = fileCountOf(histories, place.fileEntries ?? FILE_ENTRIES);
    const fileOf = (user: number) => Math.floor((hash32(0, userNumbers[user]) / 2 ** 32) * count);
    const sizes = Array.from({ length: count }, (): FileSize => ({ users: 0, entries: 0 }));
    await eachHistory(histories, (user, { from, to }) => {
      const size = sizes[fileOf(user)];
      size.users++;
      size.entries += to - from;
    });
    for (const { from, to } of passesOf(sizes, place.passEntries ?? PASS_ENTRIES)) {
      const gathered = sizes.slice(from, to).map((size) => new GatheredFile(size));
      await eachHistory(histories, (user, place, block) => {
        gathered[fileOf(user) - from]?.add(userNumbers[user], place, block);
      });
      for (const [n, file] of gathered.entries()) await files.#put(`${from + n} of ${count}`, file.rows(itemNumbers));
    }
    return files;
  }

  /** Whether all of them are still there. */
  async areThere(): Promise<boolean> {
    const left = new Set(await Array.fromAsync(this.#place.blobs.list(this.#prefix), ({ key }) => key));
    return this.keys.every((key) => left.has(key));
  }

  /** Removes the files below the prefix that are not among these. */
  async removeOthers(): Promise<void> {
    const kept = new Set(this.keys);
    for (const key of this.#existing) if (!kept.has(key)) await this.#place.blobs.delete(key);
  }

  async #put(name: string, rows: FileRows): Promise<void> {
    const { blobs, scratchDir, signal } = this.#place;
    signal?.throwIfAborted();
    const digest = createHash('sha256').update(`${FORMAT}, ${name}`);
    for (const [user, items] of rows.items.entries()) {
      digest.update(Uint32Array.of(items.length)).update(items).update(rows.weights[user]);
    }
    const key = `${this.#prefix}${digest.digest('hex').slice(0, 40)}.parquet`;
    if (!this.#existing.has(key)) {
      await putLists(blobs, scratchDir, key, { items: rows.items, weights: rows.weights });
      this.written.push(key);
    }
    this.keys.push(key);
  }
}

/** A power of two: it changes when there are twice as many entries. */
function fileCountOf({ degrees }: HistoryBlocks, fileEntries: number): number {
  const entries = degrees.reduce((sum, degree) => sum + degree, 0);
  return 2 ** Math.max(0, Math.ceil(Math.log2(entries / fileEntries)));
}

/** Histories that have items, in the order of users, with their place in a block. */
async function eachHistory(
  histories: HistoryBlocks,
  visit: (user: number, place: Range, block: Interactions) => void,
): Promise<void> {
  let firstUser = 0;
  await histories.each(
    (block) => {
      const { userCount, userOffsets } = block;
      for (let row = 0; row < userCount; row++) {
        const place = { from: userOffsets[row], to: userOffsets[row + 1] };
        if (place.to > place.from) visit(firstUser + row, place, block);
      }
      firstUser += userCount;
    },
    { from: 0, to: 0 },
  );
}

/** Files whose entries are in memory together. */
function passesOf(sizes: readonly FileSize[], most: number): Range[] {
  const passes: Range[] = [];
  let from = 0;
  let entries = 0;
  for (const [n, size] of sizes.entries()) {
    if (n > from && entries + size.entries > most) {
      passes.push({ from, to: n });
      from = n;
      entries = 0;
    }
    entries += size.entries;
  }
  passes.push({ from, to: sizes.length });
  return passes;
}

interface FileRows {
  readonly items: Uint32Array[];
  readonly weights: Uint32Array[];
}

/** Histories of one file, in any order until they are read. */
class GatheredFile {
  readonly #users: Uint32Array;
  readonly #offsets: Uint32Array;
  readonly #items: Uint32Array;
  readonly #weights: Uint32Array;
  #length = 0;

  constructor({ users, entries }: FileSize) {
    this.#users = new Uint32Array(users);
    this.#offsets = new Uint32Array(users + 1);
    this.#items = new Uint32Array(entries);
    this.#weights = new Uint32Array(entries);
  }

  add(userNumber: number, { from, to }: Range, { items, weights }: Interactions): void {
    const row = this.#length++;
    let at = this.#offsets[row];
    this.#users[row] = userNumber;
    for (let n = from; n < to; n++, at++) {
      this.#items[at] = items[n];
      this.#weights[at] = weights[n] * WEIGHT_UNITS;
    }
    this.#offsets[row + 1] = at;
  }

  /** Returns rows in the order of users, with the store's numbers of items. */
  rows(itemNumbers: Uint32Array): FileRows {
    const order = Uint32Array.from(this.#users.keys()).sort((a, b) => this.#users[a] - this.#users[b]);
    const rowsOf = (column: Uint32Array) =>
      Array.from(order, (row) => column.subarray(this.#offsets[row], this.#offsets[row + 1]));
    return { items: rowsOf(this.#items.map((item) => itemNumbers[item])), weights: rowsOf(this.#weights) };
  }
}
