// Trains on one file and measures on another: what `kindred evaluate` does.
import { availableParallelism } from 'node:os';
import type { G1Model } from '../artifact/g1-model.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { buildInteractions } from '../dataset/interactions.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { JobFailure } from '../domain/job.ts';
import { historyRulesOf } from '../history/history-rules.ts';
import type { EventFileFormat } from '../import/event-file.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
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
  readonly threads?: number;
  readonly onProgress?: ProgressListener;
}

export interface FileEvaluation {
  metrics: Record<string, number>;
  popularity: Record<string, number>;
  intervals: Record<string, [number, number]>;
  users: number;
  data: { events: number; users: number; items: number; format: EventFileFormat; reading: 'set' | 'order' };
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
    const { model } = await fitModel(pool, table, input.parameters, clock);
    clock.begin('evaluate', 0.97, 'Ranking all items for every user of the test file');
    const evaluation = await evaluateModel(pool, model, table, targets, input.cutoffs);
    requireFigures(evaluation, input);
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

async function evaluateModel(
  pool: KernelPool,
  model: G1Model,
  table: EventTable,
  targets: HeldOut,
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
