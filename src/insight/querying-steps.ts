// A querying job. A piece streams its users with their usage of the asked values past the queries, which put aside what they need;
// the result is written from what all pieces have put aside.

import { plural } from '../base/plural.ts';
import type { DistributionQuery, ListQuery, QueryingRequest } from '../domain/insight-request.ts';
import type { PieceSteps } from '../pieces/one-piece.ts';
import type { Piece } from '../pieces/piece.ts';
import { joinedNumbers, joinUsers, PIECE_USER_FILES, type UserCounts, writePieceUsers } from '../pieces/piece-users.ts';
import { publishResult, type ResultWriter } from '../results/publish-result.ts';
import { type InsightFormat, linkSecret } from '../results/result-link.ts';
import {
  type InsightResult,
  type InsightRun,
  type PieceRun,
  resultHead,
  scanUsers,
  withEvents,
} from './insight-run.ts';
import { DistributionCollector, distributionFile, distributionOf } from './querying/collect-distribution.ts';
import { ListCollector, ListMatches, listFile, listWidth } from './querying/collect-list.ts';
import { joinedSpill } from './querying/joined-spill.ts';
import { missingValue } from './querying/missing-value.ts';
import { distributionMessage, distributionWriters } from './querying/write-distribution.ts';
import { listMessage, listWriters } from './querying/write-list.ts';
import type { CalibrationReport } from './result-head.ts';
import { calibrationOf } from './usage/calibrate-usage.ts';
import { BASES } from './usage/usage-block.ts';
import { usageOfUsers } from './usage/usage-of-users.ts';
import { type UsagePair, UsagePairs } from './usage/usage-pairs.ts';
import { openUsageTools } from './usage/usage-tools.ts';

export type QueryingJobData = QueryingRequest & { model_id: string };

/** What is known of a piece besides its files. */
export interface QueryingFacts {
  readonly users: UserCounts;
  readonly populationUsers: number;
  /** records put aside for each query */
  readonly records: readonly number[];
  readonly files: readonly string[];
  readonly calibration: CalibrationReport;
  /** for each pair, why no item has its value; null if some have it */
  readonly missing: readonly (string | null)[];
}

type Collector = ListCollector | DistributionCollector;

export const queryingSteps: PieceSteps<InsightRun, QueryingFacts, InsightResult> = {
  work: queryUsers,
  join: joinQueries,
  workShare: 0.9,
};

async function queryUsers(run: PieceRun): Promise<QueryingFacts> {
  const data = run.job.job_data as unknown as QueryingJobData;
  const pairs = new UsagePairs();
  const collector: Collector =
    data.query_type === 'user_list'
      ? await ListCollector.create(data.queries, pairs, run.folder)
      : await DistributionCollector.create(data.queries, pairs, run.folder);
  try {
    return await measureUsage(run, data, pairs.pairs, collector);
  } finally {
    await collector.close();
  }
}

function measureUsage(
  run: PieceRun,
  data: QueryingJobData,
  pairs: readonly UsagePair[],
  collector: Collector,
): Promise<QueryingFacts> {
  return withEvents(run, data.model_id, async (opened, events) => {
    const { project, model, catalog, recommender } = opened;
    const tools = await run.opened.once('usage', () => openUsageTools(opened, pairs, run.threads));
    const { sets, space, machine, mapper } = tools;
    return tools.within(async () => {
      const scan = await scanUsers(run, opened, events, space.coldNumbers);
      const source = usageOfUsers({
        scan,
        machine,
        recommender,
        sets,
        targetEventType: project.target_event_type,
        itemId: (seen) => {
          const warm = model.warmItemCount;
          return catalog.itemId(seen < warm ? recommender.itemLayout.itemOfWarm[seen] : space.coldNumbers[seen - warm]);
        },
        events: run.store.events,
        eventDatasetId: project.event_dataset_id,
      });
      let populationUsers = 0;
      for await (const block of source) {
        run.signal.throwIfAborted();
        mapper.apply(block);
        await collector.add(block, pairs.length);
        for (let row = 0; row < block.count; row++) if (BASES[block.basis[row]] === 'popularity') populationUsers++;
        const done = block.first + block.count;
        const fraction = 0.05 + 0.95 * Math.min(1, done / Math.max(1, run.range.users));
        run.progress({ fraction, phase: 'users', message: `${plural(done, 'user')} read.` });
      }
      await writePieceUsers(run.folder, scan.counts, (user) => scan.directory.at(user)!);
      const fileOf = data.query_type === 'user_list' ? listFile : distributionFile;
      return {
        users: scan.counts,
        populationUsers,
        records: collector.spills.map(({ records }) => records),
        files: [...PIECE_USER_FILES, ...data.queries.map((_, query) => fileOf(query))],
        calibration: calibrationOf(model.calibration.usage, pairs),
        missing: pairs.map((pair, n) => (sets[n].count === 0 ? missingValue(pair, catalog) : null)),
      };
    });
  });
}

/** The files of the result, from those of the pieces. */
async function joinQueries(run: InsightRun, pieces: readonly Piece<QueryingFacts>[]): Promise<InsightResult> {
  const data = run.job.job_data as unknown as QueryingJobData;
  run.progress({ fraction: 0, phase: 'write', message: 'Writing the result.' });
  const { message, writers } =
    data.query_type === 'user_list'
      ? await listResult(run, data.model_id, data.queries, pieces)
      : await distributionResult(run, data.model_id, data.queries, pieces);
  const published = await publishResult({
    blobs: run.blobs,
    secret: await linkSecret(run.store.accounts),
    scratchDir: run.scratchDir,
    resultId: run.attemptId,
    writers,
    nowMs: run.runtime.nowMs(),
    erasures: run.erasures,
  });
  return { ...published, message };
}

type Pieces = readonly Piece<QueryingFacts>[];
interface Written {
  readonly message: string;
  readonly writers: Record<InsightFormat, ResultWriter>;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const countsOf = (pieces: Pieces, query: number): number[] => pieces.map(({ facts }) => facts.records[query]);

function headOf(run: InsightRun, modelId: string, pieces: Pieces) {
  const users = sum(pieces.flatMap(({ facts }) => facts.users));
  return resultHead(run, modelId, users, sum(pieces.map(({ facts }) => facts.populationUsers)));
}

async function listResult(
  run: InsightRun,
  modelId: string,
  queries: readonly ListQuery[],
  pieces: Pieces,
): Promise<Written> {
  const { calibration, missing } = pieces[0].facts;
  const pairs = new UsagePairs();
  const numbers = queries.map(({ conditions }) => conditions.map((c) => pairs.numberOf(c.attribute, c.value)));
  const numberOf = joinedNumbers(pieces.map(({ facts }) => facts.users));
  const spills = queries.map(({ conditions }, query) =>
    joinedSpill(pieces, listFile(query), { width: listWidth(conditions), counts: countsOf(pieces, query), numberOf }),
  );
  const result = {
    head: headOf(run, modelId, pieces),
    queries,
    matches: new ListMatches(spills),
    userIds: await joinUsers(pieces),
    notes: numbers.map((list) => list.map((pair) => missing[pair]).find((note) => note !== null) ?? null),
    calibration: { method: calibration.method, users: calibration.users },
    calibrations: numbers.map((list) => list.map((pair) => calibration.pairs[pair])),
  };
  return { message: listMessage(result), writers: listWriters(result) };
}

async function distributionResult(
  run: InsightRun,
  modelId: string,
  queries: readonly DistributionQuery[],
  pieces: Pieces,
): Promise<Written> {
  const { calibration, missing } = pieces[0].facts;
  const pairs = new UsagePairs();
  const numbers = queries.map(({ attribute, value }) => pairs.numberOf(attribute, value));
  const notes = numbers.map((pair) => missing[pair]);
  const summaries = [];
  for (const [query, asked] of queries.entries()) {
    const spill = joinedSpill(pieces, distributionFile(query), { width: 1, counts: countsOf(pieces, query) });
    summaries.push(await distributionOf(spill, asked));
  }
  const result = {
    head: headOf(run, modelId, pieces),
    queries,
    summaries,
    notes,
    calibration: { method: calibration.method, users: calibration.users },
    calibrations: numbers.map((pair) => calibration.pairs[pair]),
  };
  return { message: distributionMessage(result), writers: distributionWriters(result) };
}
