// The lines of all pieces as those of a result, in order.
import { rename, writeFile } from 'node:fs/promises';
import { filesOf, type Piece } from '../../pieces/piece.ts';
import { chunksOf } from '../../results/files/chunks-of.ts';
import type { ResultLines } from '../../results/publish-lines.ts';

/** `name`: the file of each piece that contains its lines. */
export function joinedLines(pieces: readonly Piece<{ readonly bytes: number }>[], name: string): ResultLines {
  const copies = pieces.flatMap(({ copyTo }) => copyTo ?? []);
  return {
    bytes: pieces.reduce((sum, { facts }) => sum + facts.bytes, 0),
    copies: copies.length === pieces.length ? copies.map((copyTo) => (key) => copyTo(name, key)) : null,
    join: (target) => joinLines(pieces, name, target),
  };
}

export async function joinLines(pieces: readonly Piece<unknown>[], name: string, target: string): Promise<void> {
  // A job that was not cut made it in its own folder.
  if (pieces.length === 1) return rename(await pieces[0].file(name), target);
  await writeFile(target, chunksOf(filesOf(pieces, name)), { flag: 'wx', mode: 0o600 });
}
