// A program written in Go, built once into a cache folder. Needs Go.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

export interface GoProgram {
  name: string;
  /** e.g. `helm.sh/helm/v3/cmd/helm` */
  path: string;
  version: string;
}

const cacheDir = (): string => join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kindred-tests');

export const hasGo = (): boolean => spawnSync('go', ['version']).status === 0;

/** The path of the program. */
export function goProgram({ name, path, version }: GoProgram): string {
  const program = join(cacheDir(), `${name}-${version}`);
  if (existsSync(program)) return program;
  mkdirSync(cacheDir(), { recursive: true });
  const folder = mkdtempSync(join(cacheDir(), `${name}-build-`));
  try {
    const { status } = spawnSync('go', ['install', `${path}@v${version}`], {
      env: { ...process.env, GOBIN: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [built] = readdirSync(folder);
    if (status !== 0 || built === undefined) throw new Error(`go install ${path}@v${version} ended with ${status}`);
    // Another process may have been faster: the same program.
    renameSync(join(folder, basename(built)), program);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return program;
}
