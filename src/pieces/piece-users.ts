// The users of a piece, in files: those with a history, those whose events say nothing, those of the user dataset without events.
// Over all pieces users are numbered in this order of kinds, as if they had been read at once.
import { join } from 'node:path';
import { IdTable } from '../base/id-table.ts';
import { chunksOf } from '../results/files/chunks-of.ts';
import { TextFile } from '../results/files/text-file.ts';
import type { Piece } from './piece.ts';

/** Number of users of each kind in a piece. */
export type UserCounts = readonly [withHistory: number, silent: number, records: number];

export const usersIn = ([withHistory, silent, records]: UserCounts): number => withHistory + silent + records;

const KINDS = [0, 1, 2] as const;
const fileOf = (kind: number): string => `users-${kind}.txt`;
/** Ends an id. The API refuses ids with control characters. */
const END = '\n';
const END_BYTE = END.charCodeAt(0);

/** `ids`: of all users of the piece, kind after kind. */
export async function writePieceUsers(
  folder: string,
  counts: UserCounts,
  ids: (user: number) => string,
): Promise<void> {
  let user = 0;
  for (const kind of KINDS) {
    const file = await TextFile.create(join(folder, fileOf(kind)));
    try {
      for (const end = user + counts[kind]; user < end; user++) await file.write(ids(user) + END);
    } finally {
      await file.close();
    }
  }
}

export const PIECE_USER_FILES: readonly string[] = KINDS.map(fileOf);

/** Ids of all users by their numbers over all pieces. */
export async function joinUsers(pieces: readonly Piece<unknown>[]): Promise<IdTable> {
  const ids = new IdTable();
  for (const kind of KINDS) {
    for (const piece of pieces) for await (const block of idsOfKind(piece, kind)) ids.appendEnded(block, END_BYTE);
  }
  return ids;
}

/** Ids of the users of a piece, kind after kind. */
export async function* usersOf(piece: Piece<unknown>): AsyncGenerator<string> {
  for (const kind of KINDS) {
    for await (const block of idsOfKind(piece, kind)) yield* block.toString('utf8', 0, block.length - 1).split(END);
  }
}

/** Yields many ids at a time, each with its end mark. */
async function* idsOfKind({ file }: Piece<unknown>, kind: number): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunksOf([await file(fileOf(kind))])) {
    const end = chunk.lastIndexOf(END_BYTE) + 1;
    if (end > 0) yield Buffer.concat([rest, chunk.subarray(0, end)]);
    rest = Buffer.concat([end > 0 ? Buffer.alloc(0) : rest, chunk.subarray(end)]);
  }
}

/** Maps the number of a user within a piece to the number over all pieces. */
export function joinedNumbers(counts: readonly UserCounts[]): (piece: number, user: number) => number {
  const totals = KINDS.map((kind) => counts.reduce((sum, piece) => sum + piece[kind], 0));
  const starts = KINDS.map((kind) => {
    let next = totals.slice(0, kind).reduce((sum, total) => sum + total, 0);
    return counts.map((piece) => {
      const start = next;
      next += piece[kind];
      return start;
    });
  });
  return (piece, user) => {
    let kind = 0;
    let within = user;
    while (within >= counts[piece][kind]) within -= counts[piece][kind++];
    return starts[kind][piece] + within;
  };
}
