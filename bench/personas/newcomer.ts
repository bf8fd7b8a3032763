// What a new user has at the start: an empty folder, a shell with nothing of this npm run, and a clock.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { report } from '../report.ts';

export const folder = mkdtempSync(join(tmpdir(), 'kindred-personas-'));
export const clone = join(folder, 'kindred');
export const dataDir = join(folder, 'data');

export const env: Record<string, string> = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith('npm_') || name === 'NODE_OPTIONS' || value === undefined ? [] : [[name, value]],
  ),
);
env.PATH = (process.env.PATH ?? '')
  .split(':')
  .filter((part) => !part.includes('node_modules'))
  .join(':');
env.KINDRED_DATA_DIR = dataDir;

export async function seconds(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1000;
}

export function run(command: string, args: string[], cwd = clone, more: Record<string, string> = {}): string {
  const { status, stdout } = spawnSync(command, args, {
    cwd,
    env: { ...env, ...more },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
  return stdout;
}

export const kindred = (...args: string[]): string => run('npx', ['kindred', ...args]);

export const has = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export function tell(what: string, sec: number): void {
  report({ bench: 'personas', what, ratio: null, base: '', figures: `${sec.toFixed(1)} s` });
}
