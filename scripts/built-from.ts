// Whether what `npm ci` builds was built from the present files. `npx kindred` asks npm to build the checkout once more before its first
// command: then there is nothing to do.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** All that a build reads. */
const SOURCES = [
  'src/**/*',
  'console/**/*',
  'clients/{browser,shop}/**/*',
  'scripts/*',
  'package*.json',
  'tsconfig*.json',
];
const HASH_FILE = 'build/built-from.sha256';

export function hashOfSources(folder: string): string {
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map((file) => join(file.parentPath, file.name)).sort()) {
    const content = readFileSync(path);
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

export function isBuiltFrom(folder: string, sources: string): boolean {
  const file = join(folder, HASH_FILE);
  return existsSync(file) && readFileSync(file, 'utf8') === sources;
}

/** `sources`: their hash before the build. */
export function markBuilt(folder: string, sources: string): void {
  writeFileSync(join(folder, HASH_FILE), sources);
}
