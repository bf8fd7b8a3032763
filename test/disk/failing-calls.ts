// Every system call fails once: the workload runs again and again, each time with another call of another kind failing. The call
// of the store that hits it must fail with a clear error or succeed, the work must continue, and the folder must hold what was told.
//
// There are more calls than there is time. Calls come in an order drawn from the seed, the first and the last of each kind before
// all others, until the time is over.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../../src/domain/seeded-random.ts';
import { checkFolder } from './check-folder.ts';

const ERRORS: Record<string, readonly string[]> = {
  open: ['EMFILE', 'EIO'],
  write: ['ENOSPC', 'EIO'],
  fsync: ['EIO'],
  rename: ['EIO', 'ENOSPC'],
  mmap: ['ENOMEM'],
};
/** What a person is told must name the cause or the next step, not an internal state. */
const UNCLEAR = /undefined|\[object|TypeError|Cannot read prop/;

/** However slow the machine is. */
const MIN_CALLS = 30;

export interface FailOptions {
  shim: string;
  root: string;
  random: Random;
  seconds: number;
  say: (line: string) => void;
}

interface Workload {
  status: number | null;
  stderr: string;
  marks: string[];
}

export async function failEveryCall({ shim, root, random, seconds, say }: FailOptions): Promise<number> {
  const run = async (folder: string, env: Record<string, string>): Promise<Workload> => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    const [data, marks] = [join(folder, 'data'), join(folder, 'marks')];
    const child = spawn(process.execPath, [join(import.meta.dirname, 'workload.ts'), data, marks], {
      env: { ...process.env, LD_PRELOAD: shim, KINDRED_SHIM_FOLDER: data, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 120_000,
    });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, stderr, marks: readFileSync(marks, 'utf8').split('\n').filter(Boolean) };
  };
  const countFile = join(root, 'counts');
  await run(join(root, 'counting'), { KINDRED_SHIM_COUNT: countFile });
  const counts = readFileSync(countFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([call, count]) => [call, Number(count)] as const);
  say(`calls of one run: ${counts.map(([call, count]) => `${count} ${call}`).join(', ')}`);
  const waiting = inOrder(new Map(counts), random);
  const all = waiting.length;
  const endMs = performance.now() + seconds * 1000;
  let [broken, refused] = [0, 0];
  const work = async (_: unknown, worker: number): Promise<void> => {
    const folder = join(root, `failing-${worker}`);
    while (waiting.length > 0 && (performance.now() < endMs || all - waiting.length < MIN_CALLS)) {
      const failing = waiting.shift()!;
      const { status, stderr, marks } = await run(folder, { KINDRED_SHIM_FAIL: failing });
      const errorsTold = marks.filter((line) => line.startsWith('error '));
      refused += errorsTold.length;
      const wrong = await checkFolder(join(folder, 'data'), certainOf(marks), { writes: true });
      if (status !== 0) wrong.push(`the process ended with ${status} after "${marks.at(-1)}": ${stderr.slice(0, 300)}`);
      for (const line of errorsTold) if (UNCLEAR.test(line)) wrong.push(`unclear: ${line}`);
      if (wrong.length === 0) continue;
      broken++;
      say(`${failing}: ${wrong.slice(0, 3).join('; ')}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const runs = all - waiting.length;
  say(`${runs} of ${all} calls failed once, ${refused} calls of the store refused, ${broken} broken`);
  return broken;
}

/** `call:error:n` for every call of a kind and every error. */
function inOrder(counts: ReadonlyMap<string, number>, random: Random): string[] {
  const places = Object.entries(ERRORS).flatMap(([call, errors]) => {
    const total = counts.get(call) ?? 0;
    return errors.flatMap((error) =>
      Array.from({ length: total }, (_, n) => ({
        failing: `${call}:${error}:${n + 1}`,
        rank: n === 0 || n === total - 1 ? -1 : random.below(2 ** 31),
      })),
    );
  });
  return places.sort((a, b) => a.rank - b.rank).map(({ failing }) => failing);
}

/** After an error the outcome of that call is not known: what a deletion that failed may have removed is left out. */
function certainOf(marks: readonly string[]): string[] {
  if (!marks.some((line) => line.startsWith('error '))) return [...marks];
  return marks.filter((line) => !line.startsWith('error '));
}
