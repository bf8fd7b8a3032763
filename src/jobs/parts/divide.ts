// A job that any number of workers can share: its users or records are cut into ranges, each range is a part on the queue
// (store/job-queue.ts, split), and when all parts are done their files are joined in order. A small job is one piece, made and
// joined at once. Both ways take the same two steps, so the result is the same to the byte.
import { type Job, JobFailure } from '../../domain/job.ts';
import { asOnePiece, makePiece, type PieceFacts, type PieceSteps, scaled } from '../../insight/pieces/one-piece.ts';
import { type Opened, withOpened } from '../../insight/pieces/opened.ts';
import type { PiecePlace } from '../../insight/pieces/piece.ts';
import { allUsers, cutUsers } from '../../insight/pieces/user-range.ts';
import { ErasureGuard } from '../../insight/results/erasure-guard.ts';
import { type ClaimedPart, MAX_PARTS, type Publication } from '../../store/job-queue.ts';
import type { JobContext, JobHandler, JobSplit } from '../job-handler.ts';
import { cutRecords, type RecordKind } from './cut-records.ts';
import { type PartResult, pieceOf, putPieceFiles } from './piece-files.ts';

export type DividedContext = JobContext & {
  /** keeps users who are deleted meanwhile out of the result */
  readonly erasures: ErasureGuard | null;
};

export interface DividedJob<Facts extends PieceFacts>
  extends PieceSteps<DividedContext, Facts, Record<string, unknown>> {
  /** Whether the result names users, who may be deleted meanwhile. */
  namesUsers(job: Job): boolean;
  /** What the work is about: all users of the project, or the records of a dataset; null: it is not cut. */
  cutBy(job: Job): 'users' | RecordKind | null;
}

/** What every part of a job is given. */
interface PartPlan extends Pick<PiecePlace, 'range' | 'records'> {
  /** how often users had been deleted when the job was cut; null: it names nobody */
  readonly erasures: number | null;
  readonly planned_ms: number;
  /** makes besides what all are joined with */
  readonly lead?: true;
}

type PlannedResult<Facts> = PartResult<Facts> & Pick<PartPlan, 'erasures'>;

/** Where joining begins, as the queue shows it (store/sql/job-parts.ts). */
const JOIN_FROM = 0.9;

export function divided<Facts extends PieceFacts>(steps: DividedJob<Facts>): JobHandler {
  return (context) => withOpened(context.opened, (opened) => handle({ ...context, opened }, steps));
}

type OpenContext = JobContext & { readonly opened: Opened };

async function handle<Facts extends PieceFacts>(
  context: OpenContext,
  steps: DividedJob<Facts>,
): Promise<Publication | JobSplit> {
  if (context.part) return workOnPart(context, context.part, steps);
  if (context.parts) return joinParts(context, steps);
  const { job, store, config } = context;
  const erasures = steps.namesUsers(job) ? await ErasureGuard.begin(store, job) : null;
  const by = steps.cutBy(job);
  if (config.jobPartUsers !== undefined && by !== null) {
    const ranges = await cut(context, steps, by, config.jobPartUsers);
    if (ranges.length > 1) return splitInto(ranges, erasures, context.runtime.nowMs());
  }
  const result = await asOnePiece({ ...context, erasures }, steps);
  return publicationOf(result, erasures);
}

type PartRange = Pick<PartPlan, 'range' | 'records' | 'lead'>;

async function cut<Facts extends PieceFacts>(
  { store, job }: JobContext,
  { lead }: DividedJob<Facts>,
  by: 'users' | RecordKind,
  size: number,
): Promise<PartRange[]> {
  const all = await allUsers(store, job);
  if (by !== 'users') {
    return (await cutRecords(store, job, by, { size, most: MAX_PARTS })).map((records) => ({ range: all, records }));
  }
  const ranges = cutUsers(all, { users: size, most: MAX_PARTS, leading: lead?.users });
  return ranges.map((range, n) => ({ range, ...(lead && n === 0 && { lead: true }) }));
}

function splitInto(ranges: readonly PartRange[], erasures: ErasureGuard | null, planned_ms: number): JobSplit {
  const count = erasures?.state.count ?? null;
  return { split: ranges.map((range) => ({ ...range, erasures: count, planned_ms }) satisfies PartPlan) };
}

async function workOnPart<Facts extends PieceFacts>(
  context: OpenContext,
  part: ClaimedPart,
  steps: DividedJob<Facts>,
): Promise<Publication> {
  const { store, blobs, attemptId, scratchDir: folder } = context;
  const { range, records, erasures, planned_ms: plannedMs, lead } = part.data as unknown as PartPlan;
  const job = await store.jobs.get(context.job.account_id, context.job.project_id, part.jobId);
  if (job === null) throw new JobFailure('JOB_NOT_FOUND', 'The job of this part is gone.');
  const run = { ...context, job, range, records, folder, plannedMs, erasures: null };
  const facts = await makePiece(run, steps, lead === true);
  await putPieceFiles(blobs, { jobId: part.jobId, attemptId, folder }, facts.files);
  return { result: { attempt_id: attemptId, facts, erasures } satisfies PlannedResult<Facts> };
}

async function joinParts<Facts extends PieceFacts>(
  context: OpenContext,
  { join }: DividedJob<Facts>,
): Promise<Publication> {
  const { job, store, blobs } = context;
  const results = (await store.queue.partResults(job.job_id)) as PlannedResult<Facts>[];
  const count = results[0].erasures;
  // Users who were deleted since the job was cut must not be in the result, whichever part has read them.
  const erasures = count === null ? null : await ErasureGuard.begin(store, job, count);
  const pieces = results.map((result) => pieceOf(blobs, job.job_id, result));
  await context.opened.close();
  const whole = { ...context, erasures, progress: scaled(context, JOIN_FROM, 1) };
  return publicationOf(await join(whole, pieces), erasures);
}

function publicationOf(result: Record<string, unknown>, erasures: ErasureGuard | null): Publication {
  return { result, ...(erasures && { erasures: erasures.state }) };
}
