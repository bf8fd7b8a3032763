// Users without events, once more. The part about them leaves out who has events now, so a user whose last event is deleted between
// two parts would be in both, or in none. If users were deleted since the job was cut, the part is made again from the user dataset
// without the users of all other parts, where these are joined.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { IdTable } from '../../base/id-table.ts';
import type { Piece, PiecePlace } from '../../pieces/piece.ts';

export interface PieceMaker<Facts> {
  readonly scratchDir: string;
  /** range of the part about users without events */
  readonly range: PiecePlace['range'];
  usersOf(piece: Piece<Facts>): AsyncIterable<string>;
  make(place: Required<Pick<PiecePlace, 'range' | 'folder' | 'elsewhere'>>): Promise<Facts>;
}

export async function withoutEventsAgain<Facts>(
  pieces: readonly Piece<Facts>[],
  { scratchDir, range, usersOf, make }: PieceMaker<Facts>,
): Promise<Piece<Facts>[]> {
  const others = pieces.slice(0, -1);
  const elsewhere = new IdTable();
  for (const piece of others) for await (const id of usersOf(piece)) elsewhere.append(id);
  const folder = join(scratchDir, 'without-events');
  await mkdir(folder);
  const facts = await make({ range, folder, elsewhere });
  return [...others, { facts, file: async (name) => join(folder, name) }];
}
