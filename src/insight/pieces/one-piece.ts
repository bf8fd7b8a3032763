// A job as one piece: the way of a job that is not cut. The joining step is the same as for many pieces, so that a job gives the
// same result however it was cut.
import { join } from 'node:path';
import type { JobProgress } from '../../domain/job.ts';
import type { Runtime } from '../../domain/runtime.ts';
import type { Piece, PiecePlace } from './piece.ts';
import { allUsers } from './user-range.ts';

export interface PieceSteps<Run, Facts, Result> {
  work(run: Run & PiecePlace): Promise<Facts>;
  join(run: Run, pieces: readonly Piece<Facts>[]): Promise<Result>;
  /** share of the progress that the work takes */
  readonly workShare: number;
}

type Runnable = {
  readonly scratchDir: string;
  readonly progress: (progress: JobProgress) => void;
  readonly runtime: Runtime;
} & RangeInput;
type RangeInput = { readonly store: Parameters<typeof allUsers>[0]; readonly job: Parameters<typeof allUsers>[1] };

export async function asOnePiece<Run extends Runnable, Facts, Result>(
  run: Run,
  { work, join: joinPieces, workShare }: PieceSteps<Run, Facts, Result>,
): Promise<Result> {
  const kept = { ...run, opened: new Map() };
  const range = await allUsers(run.store, run.job);
  const place = { range, folder: run.scratchDir, plannedMs: run.runtime.nowMs() };
  const facts = await work({ ...kept, ...place, progress: scaled(run, 0, workShare) });
  const piece = { facts, file: async (name: string) => join(run.scratchDir, name) };
  return joinPieces({ ...kept, progress: scaled(run, workShare, 1) }, [piece]);
}

/** Progress of a step as progress of the job. */
export function scaled({ progress }: Pick<Runnable, 'progress'>, from: number, to: number): Runnable['progress'] {
  return ({ fraction, ...rest }) => progress({ ...rest, fraction: from + (to - from) * fraction });
}
