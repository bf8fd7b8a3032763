// Trains on one file and measures on another: what `kindred evaluate` does.
import { availableParallelism } from 'node:os';
import type { G1Model } from '../artifact/g1-model.ts';
import { type EventTable, EventTableBuilder } from '../dataset/event-table.ts';
import { buildInteractions } from '../dataset/interactions.ts';
import { type FileFormat, readEventFile, sniffFormat } from '../dataset/read-files.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { IdTable } from '../domain/id-table.ts';
import { historyRulesOf } from '../history/history-rules.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { buildScoreBlock } from '../scoring/score-block.ts';
import { expertLanes } from '../scoring/score-lanes.ts';
import { measure, rankForJudges } from './evaluate.ts';
import { fitModel } from './fit-model.ts';
import { gatherJudges } from './judges.ts';
import { peakMemoryMb } from './train-model.ts';
import { type ProgressListener, TrainingClock } from './training-clock.ts';

/** Whether the order of a user's events carries meaning. */
export type OrderReading = 'auto' | 'set' | 'order';

export interface EvaluateFilesInput {
  readonly train: string;
  readonly test: string;
  readonly cutoffs: readonly number[];
  readonly format: FileFormat | 'auto';
  readonly reading: OrderReading;
  readonly targetEventType?: string;
  readonly parameters: AlgorithmParameters;
  readonly threads?: number;
  readonly onProgress?: ProgressListener;
}

export interface FileEvaluation {
  metrics: Record<string, number>;
  popularity: Record<string, number>;
  intervals: Record<string, [number, number]>;
  users: number;
  data: { events: number; users: number; items: number; format: FileFormat; reading: 'set' | 'order' };
  settings: Readonly<Record<string, unknown>>;
  seconds: Record<string, number>;
  peak_memory_mb: number;
}

interface TrainFile {
  readonly table: EventTable;
  readonly users: IdTable;
  /** row of the table by user, −1 when all its events were passed over */
  readonly rowOfUser: Int32Array;
  readonly reading: 'set' | 'order';
}

const DEFAULT_TYPE = 'interaction';
const SORTED_SHARE = 0.95;

export async function evaluateFiles(input: EvaluateFilesInput): Promise<FileEvaluation> {
  const clock = new TrainingClock(input.onProgress);
  clock.begin('read', 0, `Reading ${input.train}`);
  const format = input.format === 'auto' ? await sniffFormat(input.train) : input.format;
  const trainFile = await readTrainFile(input, format);
  const { table, reading } = trainFile;
  const targets = await readTestFile(input, format, trainFile);
  const pool = new KernelPool(input.threads ?? availableParallelism());
  try {
    const { model } = await fitModel(pool, table, input.parameters, clock);
    clock.begin('evaluate', 0.97, 'Ranking all items for every user of the test file');
    const evaluation = await evaluateModel(pool, model, table, targets, input.cutoffs);
    return {
      ...evaluation,
      data: { events: table.length, users: table.userCount, items: table.itemCount, format, reading },
      settings: model.settings,
      seconds: clock.finish(),
      peak_memory_mb: peakMemoryMb(),
    };
  } finally {
    await pool.close();
  }
}

async function readTrainFile(input: EvaluateFilesInput, format: FileFormat): Promise<TrainFile> {
  const users = new IdTable();
  const items = new IdTable();
  const types = new IdTable();
  const rows: { user: number[]; item: number[]; type: number[]; value: number[]; ts: number[] } = {
    ...{ user: [], item: [], type: [], value: [], ts: [] },
  };
  let place = 0;
  for await (const event of readEventFile(input.train, format)) {
    rows.user.push(users.intern(event.user));
    rows.item.push(items.intern(event.item));
    rows.type.push(types.intern(event.type ?? DEFAULT_TYPE));
    rows.value.push(event.value);
    rows.ts.push(event.ts ?? place);
    place++;
  }
  const plain = format === 'lines' || format === 'sequences';
  const reading = input.reading === 'auto' ? guessReading(rows, items, format) : input.reading;
  if (reading === 'set' && plain) rows.ts.fill(0);
  if (input.reading === 'set') rows.ts.fill(0);
  // Stable, so that events of the same time keep the file's order.
  const order = Uint32Array.from(rows.user.keys()).sort(
    (a, b) => rows.user[a] - rows.user[b] || rows.ts[a] - rows.ts[b] || a - b,
  );
  const builder = new EventTableBuilder();
  const rowOfUser = new Int32Array(users.length).fill(-1);
  let user = -1;
  for (const row of order) {
    if (rows.user[row] !== user) {
      user = rows.user[row];
      builder.beginUser();
    }
    if (builder.add(rows.item[row], rows.type[row], rows.value[row], rows.ts[row]))
      rowOfUser[user] = builder.userCount - 1;
  }
  const typeNames = Array.from({ length: types.length }, (_, type) => types.at(type)!);
  const target = input.targetEventType ?? typeNames[0];
  const table = builder.finish({
    itemIds: items,
    typeNames,
    targetType: typeNames.indexOf(target),
    itemCount: items.length,
  });
  return { table, users, rowOfUser, reading };
}

/** User lines whose items mostly stand in ascending order of their ids say nothing about time. */
function guessReading(rows: { user: number[]; item: number[] }, items: IdTable, format: FileFormat): 'set' | 'order' {
  if (format !== 'lines') return 'order';
  let pairs = 0;
  let ascending = 0;
  for (let row = 1; row < rows.user.length; row++) {
    if (rows.user[row] !== rows.user[row - 1]) continue;
    const a = Number(items.at(rows.item[row - 1]));
    const b = Number(items.at(rows.item[row]));
    if (Number.isNaN(a) || Number.isNaN(b)) return 'order';
    pairs++;
    if (a < b) ascending++;
  }
  return pairs > 0 && ascending / pairs > SORTED_SHARE ? 'set' : 'order';
}

async function readTestFile(
  input: EvaluateFilesInput,
  format: FileFormat,
  { table, users, rowOfUser }: TrainFile,
): Promise<{ offsets: Uint32Array; items: Uint32Array }> {
  const wanted: Set<number>[] = Array.from({ length: table.userCount }, () => new Set());
  const unknown = new IdTable();
  for await (const event of readEventFile(input.test, format)) {
    const user = users.indexOf(event.user);
    const row = user < 0 ? -1 : rowOfUser[user];
    if (row < 0 || !(event.value > 0)) continue;
    if (event.type !== null && input.targetEventType !== undefined && event.type !== input.targetEventType) continue;
    const item = table.itemIds.indexOf(event.item);
    // An item training never saw cannot be found: it stays among what is wanted, out of reach.
    wanted[row].add(item >= 0 ? item : table.itemCount + unknown.intern(event.item));
  }
  const offsets = new Uint32Array(table.userCount + 1);
  const items: number[] = [];
  wanted.forEach((set, user) => {
    for (const item of set) items.push(item);
    offsets[user + 1] = items.length;
  });
  return { offsets, items: Uint32Array.from(items) };
}

async function evaluateModel(
  pool: KernelPool,
  model: G1Model,
  table: EventTable,
  targets: { offsets: Uint32Array; items: Uint32Array },
  cutoffs: readonly number[],
) {
  const { memory } = pool;
  const rules = {
    ...historyRulesOf(model),
    typeWeights: table.typeNames.map((name) => model.typeWeights[name] ?? 0),
    // What lies beyond the model's cap counts nothing, but the user has seen it.
    historyCap: Math.max(1, table.itemCount),
  };
  const x = buildInteractions(memory, table, rules);
  const rows: number[] = [];
  for (let row = 0; row < table.userCount; row++) {
    if (targets.offsets[row + 1] > targets.offsets[row]) rows.push(row);
  }
  const judges = gatherJudges(memory, x, targets, rows);
  const counts = new Float32Array(table.itemCount);
  for (let item = 0; item < table.itemCount; item++) counts[item] = x.itemOffsets[item + 1] - x.itemOffsets[item];
  const excludeSeen = !model.repeats.recommendSeen;
  const limit = Math.max(...cutoffs);
  const figures = async (only: 'all' | 'popularity') => {
    const mark = memory.mark();
    const lanes = expertLanes(memory, model, Math.max(1, Math.min(model.historyCap, table.itemCount)));
    const all = only === 'all';
    const block = buildScoreBlock(memory, {
      ...{ itemCount: table.itemCount, popularity: lanes.popularity },
      ...{ sparse: all ? lanes.sparse : [], weights: all ? lanes.weights : [1] },
      logConstant: model.blend.transform.kind === 'log' ? model.blend.transform.c : 0,
      seenTakesPart: model.repeats.recommendSeen,
    });
    const lists = await rankForJudges(pool, block, judges, limit, excludeSeen);
    const result = measure(lists, judges, cutoffs, { counts, users: table.userCount }, all ? model.seed : 0);
    memory.release(mark);
    for (const cutoff of cutoffs) result.metrics[`coverage@${cutoff}`] /= Math.max(1, table.itemCount);
    return result;
  };
  const { metrics, intervals, users } = await figures('all');
  return { metrics, intervals, users, popularity: (await figures('popularity')).metrics };
}
