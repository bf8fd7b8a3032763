// Which files of a folder hold a text, byte by byte: what somebody with the disk in hand would find.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function filesWith(folder: string, texts: readonly string[]): string[] {
  const found: string[] = [];
  for (const path of filesIn(folder)) {
    let bytes: Buffer;
    try {
      bytes = readFileSync(path);
    } catch {
      continue; // removed meanwhile
    }
    for (const text of texts) if (bytes.includes(text)) found.push(`${path} holds ${text}`);
  }
  return found;
}

/** A walk begins again when a folder was removed in the middle of it. */
function filesIn(folder: string): string[] {
  for (;;) {
    try {
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !existsSync(folder)) throw error;
    }
  }
}
