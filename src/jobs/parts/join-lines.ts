// The lines of all pieces in one file, in order.
import { rename, writeFile } from 'node:fs/promises';
import { filesOf, type Piece } from '../../pieces/piece.ts';
import { chunksOf } from '../../results/files/chunks-of.ts';

export async function joinLines(pieces: readonly Piece<unknown>[], name: string, target: string): Promise<void> {
  // A job that was not cut made it in its own folder.
  if (pieces.length === 1) return rename(await pieces[0].file(name), target);
  await writeFile(target, chunksOf(filesOf(pieces, name)), { flag: 'wx', mode: 0o600 });
}
