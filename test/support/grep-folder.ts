// Which files of a folder hold a text, byte by byte: what somebody with the disk in hand would find.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function filesWith(folder: string, texts: readonly string[]): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
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
