// Every system call fails once: the workload runs again and again, each time with another call of another kind failing. The call
// of the store that hits it must fail with a clear error or succeed, the work must go on, and the folder must hold what was told.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkFolder } from './check-folder.ts';

const ERRORS: Record<string, readonly string[]> = {
  open: ['EMFILE', 'EIO'],
  write: ['ENOSPC', 'EIO'],
  fsync: ['EIO'],
  rename: ['EIO', 'ENOSPC'],
  mmap: ['ENOMEM'],
};
const PLACES = 3;
/** What a person is told must name the cause or the next step, not an internal state. */
const UNCLEAR = /undefined|\[object|TypeError|Cannot read prop/;

export interface FailOptions {
  shim: string;
  root: string;
  say: (line: string) => void;
}

export async function failEveryCall({ shim, root, say }: FailOptions): Promise<number> {
  const folder = join(root, 'failing');
  const run = (env: Record<string, string>) => {
    rmSync(folder, { recursive: true, force: true });
    const marks = join(root, 'marks');
    rmSync(marks, { force: true });
    const done = spawnSync(process.execPath, [join(import.meta.dirname, 'workload.ts'), folder, marks], {
      env: { ...process.env, LD_PRELOAD: shim, KINDRED_SHIM_FOLDER: folder, ...env },
      timeout: 120_000,
    });
    const text = readFileSync(marks, 'utf8');
    return { status: done.status, stderr: String(done.stderr), marks: text.split('\n').filter(Boolean) };
  };
  const countFile = join(root, 'counts');
  run({ KINDRED_SHIM_COUNT: countFile });
  const counts = Object.fromEntries(
    readFileSync(countFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ')),
  ) as Record<string, string>;
  say(
    `calls of one run: ${Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')}`,
  );
  let runs = 0;
  let broken = 0;
  let refused = 0;
  for (const [call, errors] of Object.entries(ERRORS)) {
    const total = Number(counts[call]);
    for (const error of errors) {
      const step = Math.max(1, Math.floor(total / PLACES));
      for (let place = 1; place <= total; place += step) {
        const failing = `${call}:${error}:${place}`;
        const { status, stderr, marks } = run({ KINDRED_SHIM_FAIL: failing });
        runs++;
        const errorsTold = marks.filter((line) => line.startsWith('error '));
        refused += errorsTold.length;
        const wrong = await checkFolder(folder, certainOf(marks), { writes: true });
        if (status !== 0)
          wrong.push(`the process ended with ${status} after "${marks.at(-1)}": ${stderr.slice(0, 300)}`);
        for (const line of errorsTold) if (UNCLEAR.test(line)) wrong.push(`unclear: ${line}`);
        if (wrong.length === 0) continue;
        broken++;
        say(`${failing}: ${wrong.slice(0, 3).join('; ')}`);
      }
    }
  }
  say(`${runs} runs with a call that failed, ${refused} calls of the store refused, ${broken} broken`);
  return broken;
}

/** After an error the outcome of that call is not known: what a deletion that failed may have removed is left out. */
function certainOf(marks: readonly string[]): string[] {
  if (!marks.some((line) => line.startsWith('error '))) return [...marks];
  return marks.filter((line) => !line.startsWith('error '));
}
