// Work about some users or records (a piece) and what it leaves for the one who joins all pieces: files in a folder, and facts that fit in a
// row of the queue. A job that is not cut is one piece.
import type { IdTable } from '../base/id-table.ts';
import type { IdRange } from '../store/record-store.ts';
import type { Opened } from './opened.ts';
import type { UserRange } from './user-range.ts';

export interface RecordRange extends IdRange {
  /** estimated number of records */
  readonly count: number;
}

/** The users and the folder of a piece. */
export interface PiecePlace {
  readonly range: UserRange;
  /** For a job about the records of a dataset; if left out, all of them. */
  readonly records?: RecordRange;
  /** Users of all other pieces, for a range without events. Left out: the users who have events now. */
  readonly elsewhere?: IdTable;
  /** the folder for the piece's files */
  readonly folder: string;
  /** resources that earlier pieces of the job opened */
  readonly opened: Opened;
  /** The first piece, if it was done when this one began: a chance to save work, not to be relied on. */
  readonly first?: Piece<unknown>;
  /** time when the work was planned, equal for all pieces */
  readonly plannedMs: number;
}

export interface Piece<Facts> {
  readonly facts: Facts;
  /** The local path of a file of the piece. */
  file(name: string): Promise<string>;
  /** Publishes a file of the piece under a key of the artifact store; left out: the files are in no such store yet. */
  copyTo?(name: string, key: string): Promise<void>;
}

/** Local paths of the files of this name, in the order of pieces. One is fetched when the one before has been read. */
export async function* filesOf(pieces: readonly Piece<unknown>[], name: string): AsyncGenerator<string> {
  for (const { file } of pieces) yield await file(name);
}
