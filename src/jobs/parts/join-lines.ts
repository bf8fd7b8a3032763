// The lines of all pieces in one file, in order.
import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Piece } from '../../insight/pieces/piece.ts';

const CHUNK_BYTES = 1024 * 1024;

export async function joinLines(pieces: readonly Piece<unknown>[], name: string, target: string): Promise<void> {
  // A job that was not cut made it in its own folder.
  if (pieces.length === 1) return rename(await pieces[0].file(name), target);
  const chunks = async function* () {
    for (const piece of pieces) yield* createReadStream(await piece.file(name), { highWaterMark: CHUNK_BYTES });
  };
  await pipeline(chunks, createWriteStream(target, { flags: 'wx', mode: 0o600, highWaterMark: CHUNK_BYTES }));
}
