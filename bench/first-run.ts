// npm run bench -- first-run: a new user's clock. Clones this checkout's HEAD into an empty folder, installs, runs the demo, and
// prints how long each step took until the first recommendation is on the screen and until the end.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { report } from './report.ts';

const DEMO_BAR_SEC = 120;
const folder = mkdtempSync(join(tmpdir(), 'kindred-first-run-'));
const clone = join(folder, 'kindred');
/** What a new user's shell has: nothing of this npm run. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && name !== 'NODE_OPTIONS'),
);
env.PATH = (process.env.PATH ?? '')
  .split(':')
  .filter((part) => !part.includes('node_modules'))
  .join(':');

try {
  const startedMs = Date.now();
  const cloning = timed('git', ['clone', '--quiet', '--depth', '1', `file://${process.cwd()}`, clone], folder);
  const installing = timed('npm', ['ci', '--silent'], clone);
  const demo = await demoClock();
  const total = (demo.firstRecommendationMs - startedMs) / 1000;
  tell('clone', cloning);
  tell('npm ci', installing);
  for (const [step, seconds] of demo.steps) tell(`demo: ${step}`, seconds);
  tell('from clone to the first recommendation', total);
  report({
    bench: 'first run',
    what: 'the whole demo',
    ratio: demo.seconds / DEMO_BAR_SEC,
    base: 'two minutes',
    figures: `${demo.seconds.toFixed(1)} s`,
    bar: 'at most 1',
    met: demo.seconds <= DEMO_BAR_SEC,
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function timed(command: string, args: string[], cwd: string): number {
  const startedMs = Date.now();
  const { status } = spawnSync(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
  return (Date.now() - startedMs) / 1000;
}

async function demoClock() {
  const startedMs = Date.now();
  const child = spawn('npx', ['kindred', 'demo', '--no-serve'], {
    cwd: clone,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const steps: [string, number][] = [];
  let step = 'start of the service';
  let stepMs = startedMs;
  let firstRecommendationMs = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (firstRecommendationMs === 0 && /→\s+recommended/.test(line)) firstRecommendationMs = Date.now();
    const heading = /^(\d)\. (.*)$/.exec(line)?.[2];
    if (heading === undefined && !line.startsWith('All of this took')) continue;
    steps.push([step, (Date.now() - stepMs) / 1000]);
    step = heading ?? '';
    stepMs = Date.now();
  }
  if ((await exited) !== 0) throw new Error('the demo failed');
  return { steps, firstRecommendationMs, seconds: (Date.now() - startedMs) / 1000 };
}

function tell(what: string, seconds: number): void {
  report({ bench: 'first run', what, ratio: null, base: '', figures: `${seconds.toFixed(1)} s` });
}
