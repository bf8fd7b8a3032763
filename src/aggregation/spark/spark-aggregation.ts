// Counting on a Spark cluster. Histories go to the artifact store as Parquet, some users a file; the program in deploy/spark counts;
// its rows are read back into the caller's arrays. Everything is below one prefix, removed in the end; but histories may be kept for
// the next training of the same events, which writes only what has changed. Anyone may remove kept histories at any time: a training
// that misses one writes all of them once more, below its own prefix.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { HistoryBlocks } from '../../dataset/history-blocks.ts';
import type { StoreNumbers } from '../../dataset/read-store.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import type {
  CooccurrenceRows,
  CountedRows,
  EventAggregation,
  LagWeights,
  LengthScales,
  TransitionRows,
} from '../event-aggregation.ts';
import { type Entries, GatheredRows } from './gathered-rows.ts';
import { HistoryFiles } from './history-files.ts';
import { type Columns, putColumns, putText, readColumns } from './parquet-blobs.ts';
import {
  deleteAll,
  isUsedByOthers,
  type KeptHistories,
  keptPrefix,
  markOf,
  ownHistories,
  prefixOf,
  removeRun,
} from './run-files.ts';
import { SparkApplication, type SparkOptions, type SparkSettings } from './spark-application.ts';

export interface SparkPlace extends SparkOptions {
  readonly settings: SparkSettings;
  readonly blobs: BlobStore;
  /** URL at which executors find the content of `blobs`, without a trailing slash: file:///… or s3a://… */
  readonly blobsUrl: string;
  readonly scratchDir: string;
  /** fit for a key; unique to this training */
  readonly runId: string;
  /** histories that are kept for the next training; left out: none are */
  readonly kept?: KeptHistories;
  /** entries of a file of histories, and in memory at a time; left out: see HistoryPlace */
  readonly fileEntries?: number;
  readonly passEntries?: number;
}

export class SparkAggregation implements EventAggregation {
  readonly itemCount: number;
  readonly longest: number;
  readonly #place: SparkPlace;
  readonly #histories: HistoryBlocks;
  readonly #numbers: StoreNumbers;
  #files: HistoryFiles;
  #requests = 0;
  #application: SparkApplication | null = null;

  private constructor(place: SparkPlace, histories: HistoryBlocks, numbers: StoreNumbers, files: HistoryFiles) {
    this.#place = place;
    this.#histories = histories;
    this.#numbers = numbers;
    this.#files = files;
    this.itemCount = histories.itemCount;
    this.longest = histories.longest;
  }

  /** Close it in the end, before the histories. `numbers`: left out: those of the histories. */
  static async create(
    place: SparkPlace,
    histories: HistoryBlocks,
    numbers: StoreNumbers = ownNumbers(histories),
  ): Promise<SparkAggregation> {
    try {
      const files =
        (await keptHistories(place, histories, numbers)) ??
        (await HistoryFiles.put(place, ownHistories(place), histories, numbers));
      return new SparkAggregation(place, histories, numbers, files);
    } catch (error) {
      await removeRun(place);
      throw error;
    }
  }

  /** The files that hold the histories. */
  get files(): HistoryFiles {
    return this.#files;
  }

  async counts(): Promise<Uint32Array> {
    const { rows } = await this.#run('counts', {});
    const counts = new Uint32Array(this.itemCount);
    for await (const { item, users } of this.#read(rows, ['item', 'users'])) scatter(users, item, counts);
    return counts;
  }

  async cooccurrence(scales: LengthScales, into: CooccurrenceRows): Promise<void> {
    const lists = scales.map((scale) => Array.from(scale));
    const { rows, totals } = await this.#run('cooccurrence', { scales: lists, slot: into.slot });
    into.diagonals.fill(0);
    for await (const { i, value, second } of this.#read(totals, ['i', 'value', 'second'])) {
      for (let n = 0; n < i.length; n++) into.diagonals.set([value[n], second[n]], 2 * i[n]);
    }
    await this.#fill(rows, into, { value: into.first, second: into.second });
  }

  async transitions({ forward, backward, columnScales }: LagWeights, into: TransitionRows): Promise<void> {
    const request = { forward: Array.from(forward), backward: Array.from(backward), slot: into.slot };
    const { rows, totals } = await this.#run('transitions', request, { column_scale: Float32Array.from(columnScales) });
    into.sums.fill(0);
    for await (const { i, value } of this.#read(totals, ['i', 'value'])) scatter(value, i, into.sums);
    await this.#fill(rows, into, { value: into.values });
  }

  async close(): Promise<void> {
    await this.#application?.close();
    await removeRun(this.#place);
  }

  #read<Name extends string>(written: Written, names: readonly Name[]) {
    return readColumns(this.#place.blobs, written, names);
  }

  /** `ofItems`: further columns of the table of items. */
  async #run(what: string, request: object, ofItems: Columns = {}): Promise<Record<'rows' | 'totals', Written>> {
    try {
      return await this.#request(what, request, ofItems);
    } catch (error) {
      if (this.#place.signal?.aborted || (await this.#files.areThere())) throw error;
      await this.#application?.close();
      this.#application = null;
      this.#files = await HistoryFiles.put(this.#place, ownHistories(this.#place), this.#histories, this.#numbers);
      return await this.#request(what, request, ofItems);
    }
  }

  async #request(what: string, request: object, ofItems: Columns): Promise<Record<'rows' | 'totals', Written>> {
    const { settings, blobs, blobsUrl, scratchDir } = this.#place;
    this.#application ??= new SparkApplication(settings, await mkdtemp(join(scratchDir, 'spark-')), this.#place);
    const n = this.#requests++;
    const { itemNumbers } = this.#numbers;
    const items = `${prefixOf(this.#place)}items-${n}.parquet`;
    const numbers = { item: Int32Array.from(itemNumbers), number: Int32Array.from(itemNumbers.keys()) };
    await putColumns(blobs, scratchDir, items, { ...numbers, ...ofItems });
    const out = `${prefixOf(this.#place)}out-${n}`;
    const written = await this.#application.request({
      what,
      histories: this.#files.keys.map((key) => `${blobsUrl}/${key}`),
      items: `${blobsUrl}/${items}`,
      out: `${blobsUrl}/${out}`,
      ...request,
    });
    const of = (name: string) => ({ prefix: `${out}/${name}/`, rows: written[name] ?? 0 });
    return { rows: of('rows'), totals: of('totals') };
  }

  async #fill(written: Written, rows: CountedRows, values: Record<string, Float32Array>): Promise<void> {
    const gathered = new GatheredRows(rows, values);
    const names = ['i', 'j', ...Object.keys(values)] as const;
    for await (const entries of this.#read(written, names)) gathered.add(entries as Entries);
    gathered.finish();
  }
}

/** What Spark reports that it wrote. */
interface Written {
  readonly prefix: string;
  readonly rows: number;
}

/** Returns null if histories may not be kept. */
async function keptHistories(
  place: SparkPlace,
  histories: HistoryBlocks,
  numbers: StoreNumbers,
): Promise<HistoryFiles | null> {
  const { blobs, scratchDir, kept } = place;
  if (kept === undefined) return null;
  const mark = markOf(place, kept);
  // Written before the list of files is read: whoever sees the mark removes none of them.
  await putText(blobs, scratchDir, mark, '');
  const files = await HistoryFiles.put(place, keptPrefix(kept), histories, numbers);
  // Asked after the files are written: whoever deletes a user later finds the files and removes them.
  if (kept.mayStay !== undefined && !(await kept.mayStay())) {
    await deleteAll(blobs, keptPrefix(kept));
    return null;
  }
  if (!(await isUsedByOthers(blobs, mark))) await files.removeOthers();
  return files;
}

function ownNumbers({ userCount, itemCount }: HistoryBlocks): StoreNumbers {
  const upTo = (count: number) => Uint32Array.from({ length: count }, (_, n) => n);
  return { userNumbers: upTo(userCount), itemNumbers: upTo(itemCount) };
}

function scatter(values: ArrayLike<number>, places: ArrayLike<number>, into: Uint32Array | Float32Array): void {
  for (let n = 0; n < values.length; n++) into[places[n]] = values[n];
}
