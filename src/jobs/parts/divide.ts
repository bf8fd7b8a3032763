// A job that any number of workers can share: its users or records are cut into ranges, each range is a part on the queue
// (store/job-queue.ts, split), and when all parts are done their files are joined in order. A small job is one piece, made and
// joined at once. Both ways take the same two steps, so the result is the same to the byte.
import type { EntityKind } from '../../domain/dataset.ts';
import { type Job, JobFailure } from '../../domain/job.ts';
import { asOnePiece, makePiece, type PieceFacts, type PieceSteps, scaled } from '../../pieces/one-piece.ts';
import { type Opened, withOpened } from '../../pieces/opened.ts';
import type { Piece, PiecePlace } from '../../pieces/piece.ts';
import { allUsers, cutUsers, isRecordsAlone } from '../../pieces/user-range.ts';
import { ErasureGuard } from '../../results/erasure-guard.ts';
import { type ClaimedPart, JOIN_FROM, MAX_PARTS, type Publication } from '../../store/job-queue.ts';
import type { JobContext, JobHandler, JobSplit } from '../job-handler.ts';
import { cutRecords } from './cut-records.ts';
import { withoutEventsAgain } from './made-again.ts';
import { type PartResult, pieceOf, putPieceFiles } from './piece-files.ts';

export type DividedContext<Decided = null> = JobContext & {
  /** the result of `decide`, which all parts share */
  readonly decided: Decided;
  /** keeps users who are deleted meanwhile out of the result */
  readonly erasures: ErasureGuard | null;
};

export interface DividedJob<Facts extends PieceFacts, Decided = null>
  extends PieceSteps<DividedContext<Decided>, Facts, Record<string, unknown>> {
  /**
   * Decides, when the job begins, what could change while it runs and must be equal for all parts. The result is in the
   * row of each part, so it must be small. Default: null.
   */
  decide?(context: JobContext): Promise<Decided>;
  /** The ids of the users of a piece. Left out: users without events are not looked at. */
  usersOf?(piece: Piece<Facts>): AsyncIterable<string>;
  /** Whether the result names users, who may be deleted meanwhile. */
  namesUsers(job: Job): boolean;
  /** Ids of users in the job itself. The result names them even if nobody has them. */
  namedIds?(job: Job): readonly string[];
  /** What the job is cut by: all users of the project, or the records of a dataset. null if it is not cut. */
  cutBy(job: Job): 'users' | EntityKind | null;
}

/** The data that every part of a job receives. */
interface PartPlan<Decided> extends Pick<PiecePlace, 'range' | 'records'>, Pick<DividedContext<Decided>, 'decided'> {
  /** count of deleted users when the job was cut; null if the result names no users */
  readonly erasures: number | null;
  readonly planned_ms: number;
  /** set for the part that also runs the lead step */
  readonly lead?: true;
}

type PlannedResult<Facts, Decided> = PartResult<Facts> & { readonly plan: PartPlan<Decided> };

/** Progress at which joining begins after a part was made again. */
const JOIN_LATE_FROM = 0.95;

export function divided<Facts extends PieceFacts, Decided = null>(steps: DividedJob<Facts, Decided>): JobHandler {
  return (context) => withOpened(context.opened, (opened) => handle({ ...context, opened }, steps));
}

type OpenContext = JobContext & { readonly opened: Opened };

async function handle<Facts extends PieceFacts, Decided>(
  context: OpenContext,
  steps: DividedJob<Facts, Decided>,
): Promise<Publication | JobSplit> {
  if (context.part) return workOnPart(context, context.part, steps);
  if (context.parts) return joinParts(context, steps);
  const { job, store, config } = context;
  const erasures = steps.namesUsers(job)
    ? await ErasureGuard.begin(store, job, { named: steps.namedIds?.(job) })
    : null;
  const by = steps.cutBy(job);
  const decided = steps.decide ? await steps.decide(context) : (null as Decided);
  if (config.jobPartUsers !== undefined && by !== null) {
    const ranges = await cut(context, steps, by, config.jobPartUsers);
    if (ranges.length > 1) {
      const shared = { erasures: erasures?.state.count ?? null, decided, planned_ms: context.runtime.nowMs() };
      return { split: ranges.map((range) => ({ ...range, ...shared }) satisfies PartPlan<Decided>) };
    }
  }
  const result = await asOnePiece({ ...context, erasures, decided }, steps);
  return publicationOf(result, erasures);
}

type PartRange = Pick<PartPlan<unknown>, 'range' | 'records' | 'lead'>;

async function cut(
  { store, job }: JobContext,
  { lead, usersOf }: Pick<DividedJob<PieceFacts>, 'usersOf'> & { lead?: { readonly users: number } },
  by: 'users' | EntityKind,
  size: number,
): Promise<PartRange[]> {
  const all = await allUsers(store, job);
  if (by !== 'users') {
    return (await cutRecords(store, job, by, { size, most: MAX_PARTS })).map((records) => ({ range: all, records }));
  }
  const ranges = cutUsers(all, { users: size, most: MAX_PARTS, leading: lead?.users });
  const looked = usersOf ? ranges : ranges.filter((range) => !isRecordsAlone(range));
  return looked.map((range, n) => ({ range, ...(lead && n === 0 && { lead: true }) }));
}

async function workOnPart<Facts extends PieceFacts, Decided>(
  context: OpenContext,
  part: ClaimedPart,
  steps: DividedJob<Facts, Decided>,
): Promise<Publication> {
  const { store, blobs, attemptId, scratchDir: folder } = context;
  const plan = part.data as unknown as PartPlan<Decided>;
  const { range, records, decided, planned_ms: plannedMs, lead: isLead = false } = plan;
  const job = await store.jobs.get(context.job.account_id, context.job.project_id, part.jobId);
  if (job === null) throw new JobFailure('JOB_NOT_FOUND', 'The job of this part is gone.');
  const [done] = steps.lead && !isLead ? await store.queue.partResults(part.jobId) : [];
  const first = done && { first: pieceOf(blobs, part.jobId, done as PlannedResult<Facts, Decided>) };
  const run = { ...context, job, range, records, folder, plannedMs, decided, erasures: null, ...first };
  const facts = await makePiece(run, steps, isLead);
  await putPieceFiles(blobs, { jobId: part.jobId, attemptId, folder }, facts.files);
  return { result: { attempt_id: attemptId, facts, plan } satisfies PlannedResult<Facts, Decided> };
}

async function joinParts<Facts extends PieceFacts, Decided>(
  context: OpenContext,
  steps: DividedJob<Facts, Decided>,
): Promise<Publication> {
  const { job, store, blobs, scratchDir } = context;
  const results = (await store.queue.partResults(job.job_id)) as PlannedResult<Facts, Decided>[];
  const { erasures: count, decided, planned_ms: plannedMs } = results[0].plan;
  // Users who were deleted since the job was cut must not be in the result, whichever part has read them.
  const erasures = count === null ? null : await ErasureGuard.begin(store, job, { count });
  let pieces = results.map((result) => pieceOf(blobs, job.job_id, result));
  const { range } = results.at(-1)!.plan;
  const { usersOf } = steps;
  const isAgain = usersOf !== undefined && erasures !== null && isRecordsAlone(range) && (await erasures.hasErased());
  if (isAgain) {
    const progress = scaled(context, JOIN_FROM, JOIN_LATE_FROM);
    const run = { ...context, plannedMs, decided, erasures: null, progress };
    const make = (place: Pick<PiecePlace, 'range' | 'folder' | 'elsewhere'>) => steps.work({ ...run, ...place });
    pieces = await withoutEventsAgain(pieces, { scratchDir, range, usersOf, make });
  }
  await context.opened.close();
  const whole = { ...context, erasures, decided, progress: scaled(context, isAgain ? JOIN_LATE_FROM : JOIN_FROM, 1) };
  return publicationOf(await steps.join(whole, pieces), erasures);
}

function publicationOf(result: Record<string, unknown>, erasures: ErasureGuard | null): Publication {
  return { result, ...(erasures && { erasures: erasures.state }) };
}
