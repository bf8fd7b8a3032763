// The users of a piece, in files: those with a history, those whose events say nothing, those of the user dataset without events.
// Over all pieces users are numbered in this order of kinds, as if they had been read at once.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { IdTable } from '../../domain/id-table.ts';
import { lineBlocksOf } from '../files/lines-of.ts';
import { TextFile } from '../files/text-file.ts';
import type { Piece } from './piece.ts';

/** How many users of each kind a piece has. */
export type UserCounts = readonly [withHistory: number, silent: number, records: number];

const KINDS = [0, 1, 2] as const;
const fileOf = (kind: number): string => `users-${kind}.jsonl`;

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
      for (const end = user + counts[kind]; user < end; user++) await file.write(`${JSON.stringify(ids(user))}\n`);
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
    for (const piece of pieces)
      for await (const block of blocksOfKind(piece, kind)) for (const id of block) ids.append(id);
  }
  return ids;
}

/** Ids of the users of a piece, kind after kind. */
export async function* usersOf(piece: Piece<unknown>): AsyncGenerator<string> {
  for (const kind of KINDS) for await (const block of blocksOfKind(piece, kind)) yield* block;
}

async function* blocksOfKind({ file }: Piece<unknown>, kind: number): AsyncGenerator<string[]> {
  const blocks = lineBlocksOf(createReadStream(await file(fileOf(kind))));
  for await (const lines of blocks) yield lines.map((line) => JSON.parse(line));
}

/** From the number of a user within a piece to that over all pieces. */
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
