// Work about some users (a piece) and what it leaves for the one who joins all pieces: files in a folder, and facts that fit in a
// row of the queue. A job that is not cut is one piece.
import type { UserRange } from './user-range.ts';

/** Where and about whom a piece is made. */
export interface PiecePlace {
  readonly range: UserRange;
  /** for the files of the piece */
  readonly folder: string;
  /** when the work was planned: one time for all pieces */
  readonly plannedMs: number;
}

export interface Piece<Facts> {
  readonly facts: Facts;
  /** The local path of a file of the piece. */
  file(name: string): Promise<string>;
}
