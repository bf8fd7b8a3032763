// A job that is not cut: its pieces are made one after the other, mostly one, and joined. The joining step is the same as for parts of
// several workers, so that a job gives the same result however it was cut.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '../base/runtime.ts';
import type { JobProgress } from '../domain/job.ts';
import { type Opened, withOpened } from './opened.ts';
import type { Piece, PiecePlace } from './piece.ts';
import { allUsers, cutUsers } from './user-range.ts';

/** Facts of a piece, with the names of the files that it leaves. */
export interface PieceFacts {
  readonly files: readonly string[];
}

export interface PieceSteps<Run, Facts extends PieceFacts, Result> {
  work(run: Run & PiecePlace): Promise<Facts>;
  readonly lead?: LeadStep<Run, Facts>;
  join(run: Run, pieces: readonly Piece<Facts>[]): Promise<Result>;
  /** share of the work in the progress */
  readonly workShare: number;
}

/** An additional step of the first piece, made from its own users. Its result is used when all pieces are joined. */
export interface LeadStep<Run, Facts> {
  /** Estimated users of the first piece. In a small job it has all users. */
  readonly users: number;
  /** Returns the facts of the piece with all that it leaves. */
  work(run: Run & PiecePlace, piece: Piece<Facts>): Promise<Facts>;
  /** share of this step in the progress if the job is not cut */
  readonly share: number;
}

type Runnable = {
  readonly scratchDir: string;
  readonly progress: (progress: JobProgress) => void;
  readonly runtime: Runtime;
  readonly opened?: Opened;
} & RangeInput;
type RangeInput = { readonly store: Parameters<typeof allUsers>[0]; readonly job: Parameters<typeof allUsers>[1] };

export function asOnePiece<Run extends Runnable, Facts extends PieceFacts, Result>(
  run: Run,
  steps: PieceSteps<Run, Facts, Result>,
): Promise<Result> {
  return withOpened(run.opened, async (opened) => {
    const all = await allUsers(run.store, run.job);
    const plannedMs = run.runtime.nowMs();
    const pieces: Piece<Facts>[] = [];
    let done = 0;
    for (const range of cutUsers(all, { users: all.knownUsers, most: 3, leading: steps.lead?.users })) {
      const folder = join(run.scratchDir, `piece-${pieces.length}`);
      await mkdir(folder);
      const isLead = pieces.length === 0;
      const share = steps.workShare * (range.users / Math.max(1, all.users)) + (isLead ? (steps.lead?.share ?? 0) : 0);
      const progress = scaled(run, done, done + share);
      const first = steps.lead && pieces.at(0);
      const place = { range, folder, opened, plannedMs, ...(first && { first }) };
      const facts = await makePiece({ ...run, ...place, progress }, steps, isLead);
      pieces.push({ facts, file: async (name) => join(folder, name) });
      done += share;
    }
    await opened.close();
    return steps.join({ ...run, progress: scaled(run, done, 1) }, pieces);
  });
}

/** Makes a piece. The first piece also runs the lead step. */
export async function makePiece<Run extends Pick<Runnable, 'progress'>, Facts extends PieceFacts>(
  run: Run & PiecePlace,
  { work, lead, workShare }: Pick<PieceSteps<Run, Facts, unknown>, 'work' | 'lead' | 'workShare'>,
  isLead: boolean,
): Promise<Facts> {
  if (!lead || !isLead) return work(run);
  const workEnd = workShare / (workShare + lead.share);
  const facts = await work({ ...run, progress: scaled(run, 0, workEnd) });
  const piece = { facts, file: async (name: string) => join(run.folder, name) };
  return lead.work({ ...run, progress: scaled(run, workEnd, 1) }, piece);
}

/** Progress of a step as progress of the job. */
export function scaled({ progress }: Pick<Runnable, 'progress'>, from: number, to: number): Runnable['progress'] {
  return ({ fraction, ...rest }) => progress({ ...rest, fraction: from + (to - from) * fraction });
}
