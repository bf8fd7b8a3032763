// Trains on one file and measures on another: what `kindred evaluate` does.
import { availableParallelism } from 'node:os';
import type { G1Model } from '../artifact/g1-model.ts';
import type { EventTable } from '../dataset/event-table.ts';
import type { Question } from '../dataset/questions.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { JobFailure } from '../domain/job.ts';
import type { Model } from '../domain/model.ts';
import { historyRulesOf } from '../history/history-rules.ts';
import type { Moment } from '../history/moment.ts';
import { timeScaleOf, visitGapMs } from '../history/visits.ts';
import type { EventFileFormat } from '../import/event-file.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { buildRankerBlock } from '../scoring/ranker-block.ts';
import { buildScoreBlock } from '../scoring/score-block.ts';
import { expertLanes } from '../scoring/score-lanes.ts';
import { measure, rankForJudges } from './evaluate.ts';
import { fitModel } from './fit-model.ts';
import { gatherJudges } from './judges.ts';
import { type EvaluationFiles, type HeldOut, readTestFile, readTrainFile } from './read-evaluation.ts';
import { peakMemoryMb } from './train-model.ts';
import { type ProgressListener, TrainingClock } from './training-clock.ts';

export interface EvaluateFilesInput extends EvaluationFiles {
  readonly cutoffs: readonly number[];
  readonly parameters: AlgorithmParameters;
  /** default: what the data calls for */
  readonly objective?: 'discover' | 'any';
  readonly threads?: number;
  readonly onProgress?: ProgressListener;
}

export interface FileEvaluation {
  metrics: Record<string, number>;
  popularity: Record<string, number>;
  intervals: Record<string, [number, number]>;
  users: number;
  data: { events: number; users: number; items: number; format: EventFileFormat; reading: 'set' | 'order' };
  /** what the model itself reports, on questions of its own */
  reported: Model['metrics'];
  settings: Readonly<Record<string, unknown>>;
  seconds: Record<string, number>;
  peak_memory_mb: number;
}

export async function evaluateFiles(input: EvaluateFilesInput): Promise<FileEvaluation> {
  const clock = new TrainingClock(input.onProgress);
  clock.begin('read', 0, `Reading ${input.train}`);
  const trainFile = await readTrainFile(input);
  const { table, reading, format } = trainFile;
  const targets = await readTestFile(input, trainFile);
  const pool = new KernelPool(input.threads ?? availableParallelism());
  try {
    const horizon = input.parameters.horizon ?? inferHorizon(table, targets);
    const parameters = horizon === undefined ? input.parameters : { ...input.parameters, horizon };
    const { model, metrics } = await fitModel(pool, { table }, parameters, clock);
    clock.begin('evaluate', 0.97, 'Ranking all items for every user of the test file');
    const moment = horizon === 'browsing' ? 'browsing' : 'arriving';
    const asked = { table, targets, cutoffs: input.cutoffs, objective: input.objective, moment } as const;
    const evaluation = await evaluateModel(pool, model, asked);
    requireFigures(evaluation, input);
    return {
      ...evaluation,
      data: { events: table.length, users: table.userCount, items: table.itemCount, format, reading },
      reported: metrics,
      settings: model.settings,
      seconds: clock.finish(),
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

async function evaluateModel(pool: KernelPool, model: G1Model, input: TestInput) {
  const { memory } = pool;
  const { table, cutoffs } = input;
  const scale = timeScaleOf(table.ts, table.userOffsets);
  const rules = {
    ...historyRulesOf(model),
    typeWeights: table.typeNames.map((name) => model.typeWeights[name] ?? 0),
  };
  const objective = input.objective ?? model.objectives!.auto;
  const source = { table, rules, objective, gapMs: visitGapMs(scale), hidden: null };
  const counts = new Float32Array(table.itemCount);
  const lastUser = new Int32Array(table.itemCount).fill(-1);
  for (let user = 0; user < table.userCount; user++) {
    for (let event = table.userOffsets[user]; event < table.userOffsets[user + 1]; event++) {
      if (lastUser[table.item[event]] !== user) counts[table.item[event]]++;
      lastUser[table.item[event]] = user;
    }
  }
  const lanes = expertLanes(memory, model, Math.max(1, Math.min(model.historyCap, table.itemCount)));
  const limit = Math.max(...cutoffs);
  const judges = gatherJudges(memory, source, questionsOf(table, input.targets));
  const figures = async (only: 'all' | 'popularity') => {
    const mark = memory.mark();
    const all = only === 'all';
    const discovers = objective === 'discover' && model.objectives!.auto === 'any';
    const scoring = lanes.scorings[lanes.ofMoment[discovers ? 'discovering' : input.moment]];
    const block = buildScoreBlock(memory, {
      ...{ itemCount: table.itemCount, popularity: lanes.popularity },
      ...{ sparse: all ? lanes.sparse : [], weights: all ? scoring.weights : [1] },
      logConstant: all ? scoring.logConstant : 0,
      seenTakesPart: false,
    });
    const ranker = all && scoring.ranker !== null ? buildRankerBlock(memory, block, scoring.ranker) : null;
    const lists = await rankForJudges(pool, { block, ranker }, judges, limit);
    const userCounts = { counts, users: table.userCount };
    const result = measure(lists, judges, cutoffs, { userCounts, bootstrapSeed: all ? model.seed || 1 : 0 });
    memory.release(mark);
    for (const cutoff of cutoffs) result.metrics[`coverage@${cutoff}`] /= Math.max(1, table.itemCount);
    return result;
  };
  const { metrics, intervals } = await figures('all');
  return { metrics, intervals, users: judges.count, popularity: (await figures('popularity')).metrics };
}

interface TestInput {
  readonly table: EventTable;
  readonly targets: HeldOut;
  readonly cutoffs: readonly number[];
  readonly objective: 'discover' | 'any' | undefined;
  readonly moment: Moment;
}

/** Each user of the test file is asked once, after all of its events. */
function questionsOf(table: EventTable, targets: HeldOut): Question[] {
  const questions: Question[] = [];
  for (let user = 0; user < table.userCount; user++) {
    const wanted = targets.items.subarray(targets.offsets[user], targets.offsets[user + 1]);
    if (wanted.length > 0) questions.push({ user, end: table.userOffsets[user + 1], targets: [...wanted] });
  }
  return questions;
}

/**
 * One item a user is the next item, unless it came in a later visit. Of several items, visits say when they were asked for; where
 * there are none, they are what comes later.
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

/** This share of the users has one item in the test file where the next item is asked for. */
const NEXT_ITEM_SHARE = 0.9;
