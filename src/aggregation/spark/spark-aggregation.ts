// Counting on a Spark cluster. Histories go to the artifact store as Parquet, some users a file; the program in deploy/spark counts;
// its rows are read back into the caller's arrays. Everything is below one prefix, removed in the end.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { HistoryBlocks } from '../../dataset/history-blocks.ts';
import type { Interactions } from '../../dataset/interactions.ts';
import { type BlobStore, SPARK_PREFIX } from '../../store/blob-store.ts';
import type {
  CooccurrenceRows,
  CountedRows,
  EventAggregation,
  LagWeights,
  LengthScales,
  TransitionRows,
} from '../event-aggregation.ts';
import { putColumns, readRows } from './parquet-blobs.ts';
import { SparkApplication, type SparkOptions, type SparkSettings } from './spark-application.ts';

export interface SparkPlace extends SparkOptions {
  readonly settings: SparkSettings;
  readonly blobs: BlobStore;
  /** where executors find what `blobs` holds, without a trailing slash: file:///… or s3a://… */
  readonly blobsUrl: string;
  readonly scratchDir: string;
  /** fit for a key; unique to this training */
  readonly runId: string;
}

/** Entries of a file. */
const FILE_ENTRIES = 2_000_000;
const WEIGHT_UNITS = 2 ** 16;

export class SparkAggregation implements EventAggregation {
  readonly itemCount: number;
  readonly longest: number;
  readonly #place: SparkPlace;
  #files = 0;
  #requests = 0;
  #application: SparkApplication | null = null;

  private constructor(place: SparkPlace, { itemCount, longest }: HistoryBlocks) {
    this.#place = place;
    this.itemCount = itemCount;
    this.longest = longest;
  }

  /** Close it in the end. */
  static async create(place: SparkPlace, histories: HistoryBlocks): Promise<SparkAggregation> {
    const aggregation = new SparkAggregation(place, histories);
    try {
      let firstUser = 0;
      await histories.each(
        async (block) => {
          await aggregation.#putHistories(block, firstUser);
          firstUser += block.userCount;
        },
        { from: 0, to: 0 },
      );
    } catch (error) {
      await aggregation.close();
      throw error;
    }
    return aggregation;
  }

  async counts(): Promise<Uint32Array> {
    const out = await this.#run('counts', {});
    const counts = new Uint32Array(this.itemCount);
    for await (const { item, users } of this.#rows(out)) counts[item] = users;
    return counts;
  }

  async cooccurrence(scales: LengthScales, into: CooccurrenceRows): Promise<void> {
    const lists = scales.map((scale) => Array.from(scale));
    const out = await this.#run('cooccurrence', { scales: lists, slot: into.slot });
    into.diagonals.fill(0);
    for await (const { i, value, second } of this.#rows(`${out}/totals/`)) {
      into.diagonals[2 * i] = value;
      into.diagonals[2 * i + 1] = second;
    }
    await this.#fill(out, into, { value: into.first, second: into.second });
  }

  async transitions({ forward, backward, columnScales }: LagWeights, into: TransitionRows): Promise<void> {
    const { blobs, scratchDir, blobsUrl } = this.#place;
    const key = `${this.#prefix}column-scales-${this.#requests}.parquet`;
    const j = Int32Array.from(columnScales, (_, item) => item);
    await putColumns(blobs, scratchDir, key, { j, column_scale: Float32Array.from(columnScales) });
    const out = await this.#run('transitions', {
      ...{ forward: Array.from(forward), backward: Array.from(backward), slot: into.slot },
      column_scales: `${blobsUrl}/${key}`,
    });
    into.sums.fill(0);
    for await (const { i, value } of this.#rows(`${out}/totals/`)) into.sums[i] = value;
    await this.#fill(out, into, { value: into.values });
  }

  async close(): Promise<void> {
    await this.#application?.close();
    const { blobs } = this.#place;
    for await (const { key } of blobs.list(this.#prefix)) await blobs.delete(key);
  }

  get #prefix(): string {
    return `${SPARK_PREFIX}${this.#place.runId}/`;
  }

  #rows(prefix: string): AsyncGenerator<Record<string, number>> {
    return readRows(this.#place.blobs, prefix);
  }

  /** The prefix of what it wrote. */
  async #run(what: string, request: object): Promise<string> {
    const { settings, blobsUrl, scratchDir } = this.#place;
    this.#application ??= new SparkApplication(settings, await mkdtemp(join(scratchDir, 'spark-')), this.#place);
    const out = `${this.#prefix}out-${this.#requests++}`;
    const urls = { histories: `${blobsUrl}/${this.#prefix}histories`, out: `${blobsUrl}/${out}` };
    await this.#application.request({ what, ...urls, ...request });
    return out;
  }

  /** Rows come in any order of rows and columns; they are kept with their columns ascending. */
  async #fill(out: string, rows: CountedRows, values: Record<string, Float32Array>): Promise<void> {
    const { slot, counts, columns } = rows;
    counts.fill(0);
    for await (const row of this.#rows(`${out}/rows/`)) {
      let at = row.i * slot + counts[row.i]++;
      for (; at > row.i * slot && columns[at - 1] > row.j; at--) {
        columns[at] = columns[at - 1];
        for (const list of Object.values(values)) list[at] = list[at - 1];
      }
      columns[at] = row.j;
      for (const [name, list] of Object.entries(values)) list[at] = row[name];
    }
  }

  async #putHistories(block: Interactions, firstUser: number): Promise<void> {
    const { userCount, userOffsets, items, weights } = block;
    const { blobs, scratchDir, signal } = this.#place;
    for (let from = 0; from < userCount || this.#files === 0; this.#files++) {
      signal?.throwIfAborted();
      let to = from;
      while (to < userCount && (to === from || userOffsets[to + 1] - userOffsets[from] <= FILE_ENTRIES)) to++;
      const start = userOffsets[from];
      const length = userOffsets[to] - start;
      const [user, place] = [new Int32Array(length), new Int32Array(length)];
      for (let row = from; row < to; row++) {
        for (let at = userOffsets[row]; at < userOffsets[row + 1]; at++) {
          user[at - start] = firstUser + row;
          place[at - start] = at - userOffsets[row];
        }
      }
      const item = Int32Array.from(items.subarray(start, start + length));
      const weight = Int32Array.from(weights.subarray(start, start + length), (one) => one * WEIGHT_UNITS);
      const key = `${this.#prefix}histories/${String(this.#files).padStart(6, '0')}.parquet`;
      await putColumns(blobs, scratchDir, key, { user, place, item, weight });
      from = to;
    }
  }
}

/** Removes what a killed worker left: files of runs that do not run any more. */
export async function sweepSparkRuns(
  blobs: Pick<BlobStore, 'list' | 'delete'>,
  isRunning: (runId: string) => boolean,
): Promise<string[]> {
  const removed = new Set<string>();
  for await (const { key } of blobs.list(SPARK_PREFIX)) {
    const runId = key.slice(SPARK_PREFIX.length).split('/')[0];
    if (isRunning(runId)) continue;
    await blobs.delete(key);
    removed.add(runId);
  }
  return [...removed];
}
