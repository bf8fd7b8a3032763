// Counting on a Spark cluster. Histories go to the artifact store as Parquet, some users a file; the program in deploy/spark counts;
// its rows are read back into the caller's arrays. Everything is below one prefix, removed in the end; but histories may be kept for
// the next training of the same events, which writes only what has changed.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { HistoryBlocks } from '../../dataset/history-blocks.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { type BlobStore, KEPT_HISTORIES_PREFIX, SPARK_PREFIX } from '../../store/blob-store.ts';
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
import { putColumns, putText, readColumns } from './parquet-blobs.ts';
import { SparkApplication, type SparkOptions, type SparkSettings } from './spark-application.ts';

export interface SparkPlace extends SparkOptions {
  readonly settings: SparkSettings;
  readonly blobs: BlobStore;
  /** where executors find what `blobs` holds, without a trailing slash: file:///… or s3a://… */
  readonly blobsUrl: string;
  readonly scratchDir: string;
  /** fit for a key; unique to this training */
  readonly runId: string;
  /** names the histories that are kept for the next training, `dataset/algorithm`; left out: none are */
  readonly keptAs?: string;
  /** entries of a file of histories; left out: half a million */
  readonly fileEntries?: number;
}

/** Kept histories are written again after this time. So none outlives what it was made of by more. */
const MOST_KEPT_MS = 7 * DAY_MS;

export class SparkAggregation implements EventAggregation {
  readonly itemCount: number;
  readonly longest: number;
  /** Where the histories are. */
  readonly files: HistoryFiles;
  readonly #place: SparkPlace;
  #requests = 0;
  #application: SparkApplication | null = null;

  private constructor(place: SparkPlace, files: HistoryFiles, { itemCount, longest }: HistoryBlocks) {
    this.#place = place;
    this.files = files;
    this.itemCount = itemCount;
    this.longest = longest;
  }

  /** Close it in the end. */
  static async create(place: SparkPlace, histories: HistoryBlocks): Promise<SparkAggregation> {
    const { blobs, scratchDir, runId, keptAs } = place;
    const mark = `${SPARK_PREFIX}${runId}/${KEEPS}${keptAs?.replace('/', '-')}`;
    // Before the list of files is read: who sees the mark removes none of them.
    if (keptAs !== undefined) await putText(blobs, scratchDir, mark, '');
    const prefix = keptAs === undefined ? `${SPARK_PREFIX}${runId}/histories/` : `${KEPT_HISTORIES_PREFIX}${keptAs}/`;
    const files = await HistoryFiles.open(place, prefix);
    const aggregation = new SparkAggregation(place, files, histories);
    try {
      await histories.each((block) => files.add(block), { from: 0, to: 0 });
      await files.finish();
      if (keptAs !== undefined && !(await isUsedByOthers(blobs, mark))) await files.removeOthers();
    } catch (error) {
      await aggregation.close();
      throw error;
    }
    return aggregation;
  }

  async counts(): Promise<Uint32Array> {
    const out = await this.#run('counts', {});
    const counts = new Uint32Array(this.itemCount);
    for await (const { item, users } of this.#read(out, ['item', 'users'])) scatter(users, item, counts);
    return counts;
  }

  async cooccurrence(scales: LengthScales, into: CooccurrenceRows): Promise<void> {
    const lists = scales.map((scale) => Array.from(scale));
    const out = await this.#run('cooccurrence', { scales: lists, slot: into.slot });
    into.diagonals.fill(0);
    for await (const { i, value, second } of this.#read(`${out}/totals/`, ['i', 'value', 'second'])) {
      for (let n = 0; n < i.length; n++) into.diagonals.set([value[n], second[n]], 2 * i[n]);
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
    for await (const { i, value } of this.#read(`${out}/totals/`, ['i', 'value'])) scatter(value, i, into.sums);
    await this.#fill(out, into, { value: into.values });
  }

  async close(): Promise<void> {
    await this.#application?.close();
    const { blobs } = this.#place;
    await deleteAll(blobs, await Array.fromAsync(blobs.list(this.#prefix), ({ key }) => key));
  }

  get #prefix(): string {
    return `${SPARK_PREFIX}${this.#place.runId}/`;
  }

  #read<Name extends string>(prefix: string, names: readonly Name[]) {
    return readColumns(this.#place.blobs, prefix, names);
  }

  /** The prefix of what it wrote. */
  async #run(what: string, request: object): Promise<string> {
    const { settings, blobsUrl, scratchDir } = this.#place;
    this.#application ??= new SparkApplication(settings, await mkdtemp(join(scratchDir, 'spark-')), this.#place);
    const out = `${this.#prefix}out-${this.#requests++}`;
    const urls = { histories: this.files.keys.map((key) => `${blobsUrl}/${key}`), out: `${blobsUrl}/${out}` };
    await this.#application.request({ what, ...urls, ...request });
    return out;
  }

  async #fill(out: string, rows: CountedRows, values: Record<string, Float32Array>): Promise<void> {
    const gathered = new GatheredRows(rows, values);
    const names = ['i', 'j', ...Object.keys(values)] as const;
    for await (const entries of this.#read(`${out}/rows/`, names)) gathered.add(entries as Entries);
    gathered.finish();
  }
}

function scatter(values: ArrayLike<number>, places: ArrayLike<number>, into: Uint32Array | Float32Array): void {
  for (let n = 0; n < values.length; n++) into[places[n]] = values[n];
}

/** What is in a folder goes before the mark of the folder, which Hadoop leaves in S3. */
async function deleteAll(blobs: Pick<BlobStore, 'delete'>, keys: readonly string[]): Promise<void> {
  for (const key of keys.toSorted().reverse()) await blobs.delete(key);
}

/** Of the names of marks: which kept histories a run uses. */
const KEEPS = 'keeps-';

async function isUsedByOthers(blobs: Pick<BlobStore, 'list'>, mark: string): Promise<boolean> {
  const name = mark.split('/').at(-1)!;
  for await (const { key } of blobs.list(SPARK_PREFIX)) if (key !== mark && key.endsWith(`/${name}`)) return true;
  return false;
}

/** Removes what a killed worker left, files of runs that do not run any more, and histories that were kept for long. */
export async function sweepSparkRuns(
  blobs: Pick<BlobStore, 'list' | 'delete'>,
  isRunning: (runId: string) => boolean,
  nowMs: number,
): Promise<string[]> {
  const removed = new Set<string>();
  const ended: string[] = [];
  const old: string[] = [];
  let isUsed = false;
  for await (const { key, modifiedMs } of blobs.list(SPARK_PREFIX)) {
    const runId = key.slice(SPARK_PREFIX.length).split('/')[0];
    if (key.startsWith(KEPT_HISTORIES_PREFIX)) {
      if (nowMs - modifiedMs > MOST_KEPT_MS) old.push(key);
    } else if (isRunning(runId)) isUsed = true;
    else {
      ended.push(key);
      removed.add(runId);
    }
  }
  await deleteAll(blobs, ended);
  // A training may be about to count what is in them: another time.
  if (!isUsed) await deleteAll(blobs, old);
  return [...removed];
}
