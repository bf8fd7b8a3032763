// Finds the built kernels and checks that they were built from the current sources. A build of other sources would run and return
// wrong results, because both sides must agree on the layout of memory. An installed package has no sources to compare with.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const SOURCES = join(HERE, 'assembly');
const BUILD = 'build/kernels';
export const KERNELS_FILE = 'kernels.wasm';
/** Next to the kernels: the hash of what they were built from. */
export const SOURCES_HASH_FILE = 'sources.sha256';

/** The folder of the built kernels, of this checkout or package. */
export function findKernels(): string {
  for (let folder = HERE; ; folder = dirname(folder)) {
    const build = join(folder, BUILD);
    if (existsSync(join(build, KERNELS_FILE))) return build;
    if (dirname(folder) === folder) {
      throw new Error(`${BUILD}/${KERNELS_FILE} is missing: run "npm ci" or "npm run prepare".`);
    }
  }
}

/** Null where there are no sources. */
export function hashOfSources(sources: string = SOURCES): string | null {
  if (!existsSync(sources)) return null;
  const hash = createHash('sha256');
  for (const name of readdirSync(sources).sort()) {
    if (name.endsWith('.ts')) hash.update(`${name}\0`).update(readFileSync(join(sources, name)));
  }
  return hash.digest('hex');
}

export function isCurrent(build: string, sources: string = SOURCES): boolean {
  const hash = hashOfSources(sources);
  const file = join(build, SOURCES_HASH_FILE);
  return hash === null || (existsSync(file) && readFileSync(file, 'utf8') === hash);
}

/** Throws what to do when the kernels are missing or not those of the sources. */
export function requireCurrentKernels(): void {
  if (isCurrent(findKernels())) return;
  throw new Error(
    `The kernels in ${BUILD} were built from other sources than src/kernels/assembly: run "npm run prepare".`,
  );
}
