// Every system call fails once: the workload runs again and again, each time with another call of another kind failing. The call
// of the store that hits it must fail with a clear error or succeed, the work must continue, and the folder must hold what was told.
//
// There are more calls than there is time. Calls come in an order drawn from the seed, the first and the last of each kind before
// all others, until the time is over.
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../../src/base/seeded-random.ts';
import { CaseRunner } from './case-runner.ts';
import { checkFolder } from './check-folder.ts';
import type { Call, Failure, Fault } from './shim.ts';

const FAILURES: { readonly [call in Exclude<Call, 'accept'>]: readonly Failure[] } = {
  open: ['EMFILE', 'EIO'],
  read: ['EIO'],
  write: ['ENOSPC', 'EIO', 'short'],
  fsync: ['EIO'],
  truncate: ['EIO'],
  rename: ['EIO', 'ENOSPC'],
  unlink: ['EIO'],
  mkdir: ['EIO', 'ENOSPC'],
  mmap: ['ENOMEM'],
};
/** What a person is told must name the cause or the next step, not an internal state. */
const UNCLEAR = /undefined|\[object|TypeError|Cannot read prop|ERR_SQLITE_ERROR|ERR_INTERNAL/;

/** However slow the machine is. */
const MIN_CASES = 60;

export interface FailOptions {
  shim: string;
  root: string;
  random: Random;
  seconds: number;
  say: (line: string) => void;
}

/** Returns how many cases broke something. */
export async function failEveryCall({ shim, root, random, seconds, say }: FailOptions): Promise<number> {
  const runners = Array.from({ length: availableParallelism() }, (_, n) => {
    const folder = join(root, `failing-${n}`);
    mkdirSync(folder);
    return new CaseRunner(shim, folder);
  });
  const counts = await countCalls(runners[0]);
  say(`calls of one run: ${[...counts].map(([call, count]) => `${count} ${call}`).join(', ')}`);
  const waiting = inOrder(counts, random);
  const all = waiting.length;
  const endMs = performance.now() + seconds * 1000;
  const hits = new Map<string, number>();
  let [broken, refused, rows] = [0, 0, 0];
  const work = async (runner: CaseRunner): Promise<void> => {
    while (waiting.length > 0 && (performance.now() < endMs || all - waiting.length < MIN_CASES)) {
      const fault = waiting.shift()!;
      const { ended, marks, isHit } = await runner.run(fault);
      const kind = `${fault.call} ${fault.failure}`;
      hits.set(kind, (hits.get(kind) ?? 0) + Number(isHit));
      const checked = await checkFolder(runner.dataDir, marks, { writes: true, isPowerLost: false });
      rows += checked.rows;
      const told = marks.filter((line) => line.startsWith('error '));
      refused += told.length;
      const wrong = [
        ...(ended === null ? [] : [`the process ended with ${ended} after "${marks.at(-1)}"`]),
        ...marks.filter((line) => line.startsWith('lost ')),
        ...told.filter((line) => UNCLEAR.test(line)).map((line) => `unclear: ${line}`),
        ...checked.wrong,
        ...(checked.rows === 0 ? ['nothing was acknowledged'] : []),
      ];
      if (wrong.length === 0) continue;
      broken++;
      say(`${kind} ${fault.place}: ${wrong.slice(0, 3).join('; ')}`);
    }
  };
  await Promise.all(runners.map(work));
  for (const runner of runners) runner.end();
  for (const [call, failures] of Object.entries(FAILURES)) {
    for (const failure of failures) {
      if ((hits.get(`${call} ${failure}`) ?? 0) > 0) continue;
      broken++;
      say(`no ${call} failed with ${failure}: the shim does not see them`);
    }
  }
  if (refused === 0) say('no call of the store was refused: nothing was tested');
  say(
    `${all - waiting.length} of ${all} calls failed once, ${refused} calls of the store refused, ${rows} acknowledged rows looked for, ${broken} broken`,
  );
  return broken + Number(refused === 0);
}

/** How many calls of a kind one run makes. */
async function countCalls(runner: CaseRunner): Promise<Map<Call, number>> {
  // The first run loads what the later ones have.
  for (let run = 0; run < 2; run++) {
    const { ended, marks } = await runner.run(null);
    const failed = marks.filter((line) => /^(error|lost) /.test(line));
    if (ended !== null || failed.length > 0) throw new Error(`without a fault: ${ended} ${failed.join('; ')}`);
  }
  return new Map((Object.keys(FAILURES) as Call[]).map((call) => [call, runner.counted(call)]));
}

/** Every call of a kind with every failure. */
function inOrder(counts: ReadonlyMap<Call, number>, random: Random): Fault[] {
  const places = Object.entries(FAILURES).flatMap(([call, failures]) => {
    const total = counts.get(call as Call)!;
    return failures.flatMap((failure) =>
      Array.from({ length: total }, (_, n) => ({
        fault: { call: call as Call, failure, place: n + 1, times: 1 },
        rank: n === 0 || n === total - 1 ? -1 : random.below(2 ** 31),
      })),
    );
  });
  return places.sort((a, b) => a.rank - b.rank).map(({ fault }) => fault);
}
