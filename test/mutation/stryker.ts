// Stryker's mutants: its instrumenter puts all of them into the files at once, and an environment variable says which one is
// active. It is installed into a cache folder when it is first used, because nothing else needs it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const VERSION = '10.1.1';
export const ACTIVE_MUTANT = '__STRYKER_ACTIVE_MUTANT__';

export interface SourceFile {
  name: string;
  content: string;
}

export interface Mutant {
  id: string;
  fileName: string;
  mutatorName: string;
  replacement: string;
  /** counted from 0 */
  location: { start: { line: number; column: number }; end: { line: number; column: number } };
}

export async function plantMutants(files: readonly SourceFile[]): Promise<{ files: SourceFile[]; mutants: Mutant[] }> {
  const modules = join(installed(), 'node_modules');
  const load = (path: string) => import(pathToFileURL(join(modules, path)).href);
  const { createInstrumenter } = await load('@stryker-mutator/instrumenter/dist/src/index.js');
  const { createInjector } = await load('typed-inject/dist/src/index.js');
  const log = { isDebugEnabled: () => false, debug() {}, info() {}, warn() {} };
  const instrumenter = createInjector().provideValue('logger', log).injectFunction(createInstrumenter);
  return instrumenter.instrument(
    files.map((file) => ({ ...file, mutate: true })),
    { plugins: null, ignorers: [], excludedMutations: [], noHeader: false },
  );
}

function installed(): string {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kindred-tests');
  const folder = join(cache, `stryker-${VERSION}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const made = mkdtempSync(join(cache, 'stryker-'));
  const args = ['install', '--prefix', made, '--no-audit', '--no-fund', `@stryker-mutator/core@${VERSION}`];
  const { status } = spawnSync('npm', args, { cwd: made, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`npm ended with ${status}`);
  renameSync(made, folder);
  rmSync(made, { recursive: true, force: true });
  return folder;
}
