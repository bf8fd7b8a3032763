// Trains on one file and measures on another: what `kindred evaluate` does.
import { availableParallelism } from 'node:os';
import type { G1Model } from '../artifact/g1-model.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { heldEvents } from '../dataset/training-events.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { JobFailure } from '../domain/job.ts';
import type { Model } from '../domain/model.ts';
import type { Objective, UsedObjective } from '../domain/objective.ts';
import type { Moment } from '../history/moment.ts';
import { objectiveRulesOf } from '../history/objective-rules.ts';
import { timeScaleOf, visitGapMs } from '../history/visits.ts';
import type { EventFileFormat } from '../import/event-file.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { buildScoreBlock } from '../scoring/score-block.ts';
import { expertLanes } from '../scoring/score-lanes.ts';
import { type Evaluation, measure, type RankedLists, rankForJudges } from './evaluate.ts';
import { fitModel } from './fit-model.ts';
import { gatherJudges } from './judges.ts';
import { shareTouched } from './measure-moments.ts';
import { makerOf, sourceOf } from './model-maker.ts';
import { askOwn, type OwnObjective, type TimedQuestion } from './own-lists.ts';
import { withUntouched } from './plan-questions.ts';
import { type EvaluationFiles, type HeldOut, readTestFile, readTrainFile } from './read-evaluation.ts';
import { itemRoomOf, peakMemoryMb } from './train-model.ts';
import { type ProgressListener, type Spent, TrainingClock } from './training-clock.ts';

export interface EvaluateFilesInput extends EvaluationFiles {
  readonly cutoffs: readonly number[];
  readonly parameters: AlgorithmParameters;
  /** default: what the data calls for */
  readonly objective?: Objective;
  readonly threads?: number;
  /** items that have rows; left out: as many as fit in the machine's memory */
  readonly mostItems?: number;
  readonly onProgress?: ProgressListener;
}

export interface FileEvaluation extends Spent {
  metrics: Record<string, number>;
  popularity: Record<string, number>;
  intervals: Record<string, [number, number]>;
  users: number;
  /** the one that was measured, what `auto` meant */
  objective: UsedObjective;
  data: {
    events: number;
    users: number;
    items: number;
    /** items with events for which there was no room, if any: they count as new ones */
    items_left_out?: number;
    format: EventFileFormat;
    reading: 'set' | 'order';
  };
  /** the metrics that the model itself reports, on its own questions */
  reported: Model['metrics'];
  settings: Readonly<Record<string, unknown>>;
  peak_memory_mb: number;
}

export async function evaluateFiles(input: EvaluateFilesInput): Promise<FileEvaluation> {
  const clock = new TrainingClock(input.onProgress);
  clock.begin('read', 0, `Reading ${input.train}`);
  const trainFile = await readTrainFile(input, {
    room: itemRoomOf(input),
    onRows: (rows) => clock.tell(0, `Reading ${input.train}: ${rows.toLocaleString('en')} events`),
  });
  const { table, itemsLeftOut, reading, format } = trainFile;
  const targets = await readTestFile(input, trainFile);
  const pool = new KernelPool(input.threads ?? availableParallelism());
  try {
    const horizon = input.parameters.horizon ?? inferHorizon(table, targets);
    const parameters = horizon === undefined ? input.parameters : { ...input.parameters, horizon };
    const { model, metrics } = await fitModel(pool, { events: heldEvents(table) }, parameters, clock);
    clock.begin('evaluate', 0.97, 'Ranking all items for every user of the test file');
    const moment = horizon === 'browsing' ? 'browsing' : 'arriving';
    const { auto } = model.objectives!;
    const objective = input.objective === undefined || input.objective === 'auto' ? auto : input.objective;
    const questions = questionsOf(table, targets, objective);
    const asked = { table, questions, cutoffs: input.cutoffs, moment } as const;
    const evaluation =
      objective === 'continue' || objective === 'again'
        ? evaluateOwn(model, asked, objective)
        : await evaluateModel(pool, model, { ...asked, objective });
    requireQuestions(evaluation.users, objective);
    requireFigures(evaluation, input);
    return {
      ...evaluation,
      objective,
      data: {
        events: table.length,
        users: table.userCount,
        items: table.itemCount,
        format,
        reading,
        ...(itemsLeftOut > 0 && { items_left_out: itemsLeftOut }),
      },
      reported: metrics,
      settings: model.settings,
      ...clock.finish(),
      peak_memory_mb: peakMemoryMb(),
    };
  } finally {
    await pool.close();
  }
}

/** Figures of nothing but zeros are those of files that do not belong together. */
function requireFigures(
  { metrics, users }: { metrics: Record<string, number>; users: number },
  input: EvaluateFilesInput,
) {
  if (input.cutoffs.some((cutoff) => metrics[`recall@${cutoff}`] > 0)) return;
  throw new JobFailure(
    'NOTHING_FOUND',
    `Not one held-out item of ${users.toLocaleString('en')} users was among the first ${Math.max(...input.cutoffs)} recommended, so the figures mean nothing. Check that both files are of the same users and items, and how they are read (--format, --map, --reading).`,
  );
}

function requireQuestions(users: number, objective: UsedObjective): void {
  if (users > 0) return;
  const wanted = {
    discover: 'an item that the user never touched before',
    continue: 'an item that the user had touched without a target event since',
    again: 'an item that the user had a target event with before',
    any: 'an item',
  };
  throw new JobFailure(
    'NOTHING_HELD_OUT',
    `The objective ${objective} cannot be measured: no user of the test file turns to ${wanted[objective]}. Choose another --objective.`,
  );
}

/** Lists of the user's own items: they rest on the training events alone. */
function evaluateOwn(model: G1Model, { table, questions, cutoffs }: TestInput, objective: OwnObjective) {
  const rules = objectiveRulesOf(model);
  const { values } = model.experts.find((expert) => expert.kind === 'popularity')!;
  const limit = Math.max(...cutoffs);
  const { asked, lists } = askOwn({ table, rules, popularity: values, limit }, objective, questions);
  const userCounts = { counts: usersOfItems(table), users: table.userCount };
  const figures = (one: RankedLists, bootstrapSeed: number) => {
    const result = measure(one, asked, cutoffs, { userCounts, bootstrapSeed });
    return withShares(result, cutoffs, table.itemCount, () => 1);
  };
  const { metrics, intervals } = figures(lists.objective, model.seed || 1);
  return { metrics, intervals, users: asked.count, popularity: figures(lists.popularity, 0).metrics };
}

function usersOfItems(table: EventTable): Float32Array {
  const counts = new Float32Array(table.itemCount);
  const lastUser = new Int32Array(table.itemCount).fill(-1);
  for (let user = 0; user < table.userCount; user++) {
    for (let event = table.userOffsets[user]; event < table.userOffsets[user + 1]; event++) {
      if (lastUser[table.item[event]] !== user) counts[table.item[event]]++;
      lastUser[table.item[event]] = user;
    }
  }
  return counts;
}

/** Coverage as a share of the catalog, and the share of what is listed that the user had touched. */
function withShares(
  result: Evaluation,
  cutoffs: readonly number[],
  itemCount: number,
  touchedShare: (cutoff: number) => number,
): Evaluation {
  for (const cutoff of cutoffs) {
    result.metrics[`coverage@${cutoff}`] /= Math.max(1, itemCount);
    result.metrics[`touched_share@${cutoff}`] = touchedShare(cutoff);
  }
  return result;
}

async function evaluateModel(pool: KernelPool, model: G1Model, input: TestInput & { objective: 'discover' | 'any' }) {
  const { memory } = pool;
  const { table, cutoffs, objective } = input;
  const gapMs = visitGapMs(timeScaleOf(table.ts, table.userOffsets));
  const source = sourceOf(model, table, { objective, gapMs });
  const userCounts = { counts: usersOfItems(table), users: table.userCount };
  const lanes = expertLanes(memory, model, Math.max(1, Math.min(model.historyCap, table.itemCount)));
  const limit = Math.max(...cutoffs);
  const judges = gatherJudges(memory, source, input.questions);
  const figures = async (only: 'all' | 'popularity') => {
    const mark = memory.mark();
    const all = only === 'all';
    const { itemCount } = table;
    const { popularity } = lanes;
    const maker = all
      ? makerOf(memory, model, lanes, { objective, moment: input.moment, itemCount })
      : {
          block: buildScoreBlock(memory, { itemCount, popularity, sparse: [], weights: [1], logConstant: 0 }),
          ranker: null,
        };
    const lists = await rankForJudges(pool, maker, judges, limit);
    const result = measure(lists, judges, cutoffs, { userCounts, bootstrapSeed: all ? model.seed || 1 : 0 });
    const figures = withShares(result, cutoffs, table.itemCount, (cutoff) => shareTouched(lists, judges, cutoff));
    memory.release(mark);
    return figures;
  };
  const { metrics, intervals } = await figures('all');
  return { metrics, intervals, users: judges.count, popularity: (await figures('popularity')).metrics };
}

interface TestInput {
  readonly table: EventTable;
  readonly questions: readonly TimedQuestion[];
  readonly cutoffs: readonly number[];
  readonly moment: Moment;
}

/**
 * Asks each user of the test file once, after all of the user's events: at the time of the first held-out event if
 * there are times.
 */
function questionsOf(table: EventTable, held: HeldOut, objective: UsedObjective): TimedQuestion[] {
  const questions: TimedQuestion[] = [];
  for (let user = 0; user < table.userCount; user++) {
    const targets = [...held.items.subarray(held.offsets[user], held.offsets[user + 1])];
    const end = table.userOffsets[user + 1];
    const nowMs = Math.max(table.ts[end - 1], held.firstTs[user] || 0);
    if (targets.length > 0) questions.push({ user, end, targets, nowMs });
  }
  return objective === 'discover' ? withUntouched(table, questions) : questions;
}

/**
 * Infers what the test file asks for. One item per user means the next item, unless it came in a later visit. Several
 * items follow from the visits, or are what comes later if there are no visits.
 */
function inferHorizon(table: EventTable, targets: HeldOut): NonNullable<AlgorithmParameters['horizon']> | undefined {
  const scale = timeScaleOf(table.ts, table.userOffsets);
  const hasVisits = scale === 'times' || scale === 'days';
  let users = 0;
  let single = 0;
  let laterVisits = 0;
  for (let user = 0; user < table.userCount; user++) {
    const count = targets.offsets[user + 1] - targets.offsets[user];
    if (count === 0) continue;
    users++;
    if (count === 1) single++;
    if (targets.firstTs[user] - table.ts[table.userOffsets[user + 1] - 1] > visitGapMs(scale)) laterVisits++;
  }
  if (single < NEXT_ITEM_SHARE * users) return hasVisits ? undefined : 'later';
  return hasVisits && laterVisits > users / 2 ? undefined : 'browsing';
}

/** If this share of the users has one item in the test file, it asks for the next item. */
const NEXT_ITEM_SHARE = 0.9;
