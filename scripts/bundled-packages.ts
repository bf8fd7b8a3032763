// Which packages are inside the bundles that are shipped (console, tracker, demo shop, kernels). Packages that are bundled are
// development dependencies: an installation does not bring them, so the bundler has to say which they are. Each build keeps the
// list of their files in build/bundled/<bundle>.json.
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Plugin } from 'vite';

/** What the package is built of; each has a list of what is in it. */
export const BUNDLES = ['browser', 'console', 'demo', 'kernels'];
const LISTS = 'build/bundled';

/** A Vite plugin that keeps the list of the bundle it builds: modules, and assets like fonts. */
export function keepBundled(bundle: string): Plugin {
  return {
    name: 'keep-bundled',
    generateBundle(_, output) {
      const ids = Object.values(output).flatMap((one) =>
        one.type === 'chunk' ? one.moduleIds : one.originalFileNames,
      );
      writeBundled(bundle, filesOfPackages(ids));
    },
  };
}

/** Those of the module ids that are files of packages, from node_modules on. */
export function filesOfPackages(ids: readonly string[]): string[] {
  const files = ids.flatMap((id) => {
    const path = id
      .replace(/^\0/, '')
      .replace(/[?#].*$/, '')
      .replaceAll('\\', '/');
    const start = path.indexOf('node_modules/');
    if (start >= 0) return [path.slice(start)];
    // A helper that the bundler brings along has the name of its package instead of a path.
    return id.startsWith('\0') ? [`node_modules/${path}`] : [];
  });
  return [...new Set(files)].sort();
}

/** Replaces the list at once: who reads it beside a build finds a whole one. */
export function writeBundled(bundle: string, files: readonly string[]): void {
  mkdirSync(LISTS, { recursive: true });
  const next = join(LISTS, `${bundle}.${process.pid}`);
  writeFileSync(next, `${JSON.stringify(files, null, 1)}\n`);
  renameSync(next, join(LISTS, `${bundle}.json`));
}

/** The files of packages in all bundles of this checkout. */
export function readBundled(): string[] {
  const lists = globSync(`${LISTS}/*.json`).sort();
  const missing = BUNDLES.filter((bundle) => !lists.some((list) => basename(list, '.json') === bundle));
  if (missing.length > 0) throw new Error(`No list of what is in ${missing.join(', ')}: run "npm run prepare".`);
  return [...new Set(lists.flatMap((list): string[] => JSON.parse(readFileSync(list, 'utf8'))))].sort();
}
