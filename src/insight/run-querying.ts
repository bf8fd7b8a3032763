// A querying job: stream all users with their usage of the asked values past the queries, then write what they gathered.
import type { DistributionQuery, ListQuery, QueryingRequest } from '../domain/insight-request.ts';
import {
  type InsightResult,
  type InsightRun,
  type InsightTools,
  resultHead,
  scanUsers,
  withTools,
} from './insight-run.ts';
import { DistributionCollector } from './querying/collect-distribution.ts';
import { ListCollector } from './querying/collect-list.ts';
import { missingValue } from './querying/missing-value.ts';
import { type UsagePair, UsagePairs } from './querying/usage-pairs.ts';
import { distributionMessage, distributionWriters } from './querying/write-distribution.ts';
import { listMessage, listWriters } from './querying/write-list.ts';
import { publishResult, type ResultWriter } from './results/publish-result.ts';
import type { CalibrationReport, ResultHead } from './results/result-head.ts';
import { type InsightFormat, linkSecret } from './results/result-link.ts';
import { calibrationOf } from './usage/calibrate-usage.ts';
import { pairTable } from './usage/pair-table.ts';
import { BASES, type UsageBlock, type UserIds } from './usage/usage-block.ts';
import { UsageMachine } from './usage/usage-machine.ts';
import { UsageMapper } from './usage/usage-mapper.ts';
import { usageOfUsers } from './usage/usage-of-users.ts';
import { usageSpace } from './usage/usage-space.ts';

export type QueryingJobData = QueryingRequest & { model_id: string };

/** Takes in usage block by block, then gives the result its files. */
interface Gatherer {
  add(block: UsageBlock, pairCount: number): Promise<void>;
  finish(facts: Facts): Promise<{ message: string; writers: Record<InsightFormat, ResultWriter> }>;
  close(): Promise<void>;
}

interface Facts {
  readonly head: ResultHead;
  readonly userIds: UserIds;
  readonly calibration: CalibrationReport;
  /** why no item has the pair's value; null when some have */
  readonly missing: (pair: number) => string | null;
}

export async function runQuerying(run: InsightRun): Promise<InsightResult> {
  const data = run.job.job_data as unknown as QueryingJobData;
  const pairs = new UsagePairs();
  const gatherer =
    data.query_type === 'user_list'
      ? await listGatherer(data.queries, pairs, run.scratchDir)
      : await distributionGatherer(data.queries, pairs, run.scratchDir);
  try {
    const facts = await withTools(run, data.model_id, (tools) => measureUsage(run, tools, pairs.pairs, gatherer));
    run.progress({ fraction: 0.9, phase: 'write', message: 'Writing the result.' });
    const { message, writers } = await gatherer.finish(facts);
    const published = await publishResult({
      blobs: run.blobs,
      secret: await linkSecret(run.store.accounts),
      scratchDir: run.scratchDir,
      resultId: run.attemptId,
      writers,
      nowMs: Date.now(),
      erasures: run.erasures,
    });
    return { ...published, message };
  } finally {
    await gatherer.close();
  }
}

async function measureUsage(
  run: InsightRun,
  { opened, events, pool }: InsightTools,
  pairs: readonly UsagePair[],
  gatherer: Gatherer,
): Promise<Facts> {
  const { project, model, catalog, recommender } = opened;
  const sets = pairs.map(({ attribute, value }) => catalog.itemsWith(attribute, value));
  const { itemOfWarm, coldItems } = recommender.itemLayout;
  const space = usageSpace(itemOfWarm, coldItems, recommender.listed(), pairTable(catalog.itemCount, sets));
  const machine = await UsageMachine.create(pool, model, space);
  const scan = await scanUsers(run, opened, events, space.coldNumbers);
  const source = usageOfUsers({
    scan,
    machine,
    recommender,
    sets,
    targetEventType: project.target_event_type,
    itemId: (seen) => {
      const warm = model.warmItemCount;
      return catalog.itemId(seen < warm ? itemOfWarm[seen] : space.coldNumbers[seen - warm]);
    },
    events: run.store.events,
    eventDatasetId: project.event_dataset_id,
  });
  const population = new Float32Array(pairs.length);
  recommender.shares(sets)({ history: [], attributes: {} }, population);
  const mapper = new UsageMapper(model.calibration.usage, pairs, population);
  let populationUsers = 0;
  for await (const block of source) {
    run.signal.throwIfAborted();
    mapper.apply(block);
    await gatherer.add(block, pairs.length);
    for (let row = 0; row < block.count; row++) if (BASES[block.basis[row]] === 'popularity') populationUsers++;
    const done = block.first + block.count;
    run.progress({
      fraction: 0.05 + 0.85 * Math.min(1, done / Math.max(1, scan.knownUsers)),
      phase: 'users',
      message: `${done} users read.`,
    });
  }
  return {
    head: resultHead(run, opened.modelId, scan.directory.length, populationUsers),
    userIds: scan.directory,
    calibration: calibrationOf(model.calibration.usage, pairs),
    missing: (pair) => (sets[pair].count === 0 ? missingValue(pairs[pair], catalog) : null),
  };
}

async function listGatherer(queries: readonly ListQuery[], pairs: UsagePairs, scratchDir: string): Promise<Gatherer> {
  const collector = await ListCollector.create(queries, pairs, scratchDir);
  return {
    add: (block, pairCount) => collector.add(block, pairCount),
    finish: async ({ head, userIds, calibration, missing }) => {
      const numbers = queries.map(({ conditions }) => conditions.map((c) => pairs.numberOf(c.attribute, c.value)));
      const result = {
        head,
        queries,
        collector,
        userIds,
        notes: numbers.map((list) => list.map(missing).find((note) => note !== null) ?? null),
        calibration: { method: calibration.method, users: calibration.users },
        calibrations: numbers.map((list) => list.map((pair) => calibration.pairs[pair])),
      };
      return { message: listMessage(result), writers: listWriters(result) };
    },
    close: () => collector.close(),
  };
}

async function distributionGatherer(
  queries: readonly DistributionQuery[],
  pairs: UsagePairs,
  scratchDir: string,
): Promise<Gatherer> {
  const collector = await DistributionCollector.create(queries, pairs, scratchDir);
  return {
    add: (block, pairCount) => collector.add(block, pairCount),
    finish: async ({ head, calibration, missing }) => {
      const numbers = queries.map(({ attribute, value }) => pairs.numberOf(attribute, value));
      const notes = numbers.map(missing);
      const summaries = [];
      for (const query of queries.keys()) summaries.push(notes[query] === null ? await collector.summary(query) : null);
      const result = {
        head,
        queries,
        summaries,
        notes,
        calibration: { method: calibration.method, users: calibration.users },
        calibrations: numbers.map((pair) => calibration.pairs[pair]),
      };
      return { message: distributionMessage(result), writers: distributionWriters(result) };
    },
    close: () => collector.close(),
  };
}
