// The lines of all pieces in one file, in order.
import { rename, writeFile } from 'node:fs/promises';
import { chunksOf } from '../../insight/files/chunks-of.ts';
import { filesOf, type Piece } from '../../insight/pieces/piece.ts';

export async function joinLines(pieces: readonly Piece<unknown>[], name: string, target: string): Promise<void> {
  // A job that was not cut made it in its own folder.
  if (pieces.length === 1) return rename(await pieces[0].file(name), target);
  await writeFile(target, chunksOf(filesOf(pieces, name)), { flag: 'wx', mode: 0o600 });
}
