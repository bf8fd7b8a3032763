// The records that several pieces have put aside for one query, read as if one had.
import { open } from 'node:fs/promises';
import type { Piece } from '../../pieces/piece.ts';
import { readRecords, type SpilledRecords } from '../../results/files/record-spill.ts';

export interface SpillParts {
  /** numbers (floats) per record */
  readonly width: number;
  /** number of records of each piece */
  readonly counts: readonly number[];
  /** The number of a user over all pieces, for records that begin with one; left out: they do not. */
  readonly numberOf?: (piece: number, user: number) => number;
}

export function joinedSpill(
  pieces: readonly Piece<unknown>[],
  file: string,
  { width, counts, numberOf }: SpillParts,
): SpilledRecords {
  const records = counts.reduce((sum, count) => sum + count, 0);
  return {
    width,
    records,
    async readAll() {
      const all = new Float32Array(records * width);
      const users = new Uint32Array(all.buffer);
      let start = 0;
      for (const [piece, count] of counts.entries()) {
        const handle = await open(await pieces[piece].file(file));
        try {
          await readRecords(handle, all.subarray(start * width, (start + count) * width));
        } finally {
          await handle.close();
        }
        if (numberOf) {
          for (let at = start * width; at < (start + count) * width; at += width)
            users[at] = numberOf(piece, users[at]);
        }
        start += count;
      }
      return all;
    },
  };
}
