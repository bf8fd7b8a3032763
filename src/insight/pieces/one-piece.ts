// A job as one piece: the way of a job that is not cut. The joining step is the same as for many pieces, so that a job gives the
// same result however it was cut.
import { join } from 'node:path';
import type { JobProgress } from '../../domain/job.ts';
import type { Runtime } from '../../domain/runtime.ts';
import { type Opened, withOpened } from './opened.ts';
import type { Piece, PiecePlace } from './piece.ts';
import { allUsers } from './user-range.ts';

export interface PieceSteps<Run, Facts, Result> {
  work(run: Run & PiecePlace): Promise<Facts>;
  /** What joining needs besides the pieces. Another worker may make it meanwhile. */
  readonly aside?: AsideStep<Run, Facts>;
  /** `aside`: what that step left. */
  join(run: Run, pieces: readonly Piece<Facts>[], aside: Piece<AsideFacts> | null): Promise<Result>;
  /** share of the progress that the work takes */
  readonly workShare: number;
}

export interface AsideFacts {
  readonly files: readonly string[];
}

export interface AsideStep<Run, Facts> {
  /** The range is that of all users. `whole`: the piece of them, where the job is not cut. */
  work(run: Run & PiecePlace, whole: Piece<Facts> | null): Promise<AsideFacts>;
  /** share of the progress that it takes where the job is not cut */
  readonly share: number;
}

type Runnable = {
  readonly scratchDir: string;
  readonly progress: (progress: JobProgress) => void;
  readonly runtime: Runtime;
  readonly opened?: Opened;
} & RangeInput;
type RangeInput = { readonly store: Parameters<typeof allUsers>[0]; readonly job: Parameters<typeof allUsers>[1] };

export function asOnePiece<Run extends Runnable, Facts, Result>(
  run: Run,
  { work, aside, join: joinPieces, workShare }: PieceSteps<Run, Facts, Result>,
): Promise<Result> {
  return withOpened(run.opened, async (opened) => {
    const range = await allUsers(run.store, run.job);
    const place = { range, folder: run.scratchDir, opened, plannedMs: run.runtime.nowMs() };
    const facts = await work({ ...run, ...place, progress: scaled(run, 0, workShare) });
    const file = async (name: string) => join(run.scratchDir, name);
    const piece = { facts, file };
    const joinFrom = workShare + (aside?.share ?? 0);
    const besides = await aside?.work({ ...run, ...place, progress: scaled(run, workShare, joinFrom) }, piece);
    const left = besides === undefined ? null : { facts: besides, file };
    await opened.close();
    return joinPieces({ ...run, progress: scaled(run, joinFrom, 1) }, [piece], left);
  });
}

/** Progress of a step as progress of the job. */
export function scaled({ progress }: Pick<Runnable, 'progress'>, from: number, to: number): Runnable['progress'] {
  return ({ fraction, ...rest }) => progress({ ...rest, fraction: from + (to - from) * fraction });
}
