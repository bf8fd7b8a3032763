// The command line of the simulation.
import { availableParallelism } from 'node:os';
import { scriptOptions } from '../support/script-options.ts';
import { firstSeedOf } from './day-seeds.ts';
import { findMutations } from './find-mutations.ts';
import { MUTATIONS } from './mutations.ts';
import { simulate } from './simulate.ts';
import { type Many, simulateMany } from './simulate-many.ts';
import { simulateParallel } from './simulate-parallel.ts';

const { values } = scriptOptions({
  usage: 'npm run simulate -- --seeds 1000 --from 1',
  options: {
    seeds: { type: 'string', help: 'number of seeds (default: 1000, with --mutations 4000)' },
    from: { type: 'string', default: '1', help: 'the first seed' },
    day: { type: 'string', help: 'begin with the first seed of a day, 2026-11-18 or today; no other day has them' },
    seed: { type: 'string', help: 'run this seed alone and print everything that happens in it' },
    mutations: { type: 'boolean', default: false, help: 'put known bugs back, one at a time, until each is found' },
    only: { type: 'string', default: '', help: 'of the mutations, those whose name contains it' },
    processes: { type: 'string', default: String(availableParallelism()), help: 'number of processes' },
    'max-seconds': { type: 'string', help: 'end when each process has used this much processor time' },
    first: { type: 'boolean', default: false, help: 'end at the first seed that breaks something, in one process' },
    json: { type: 'boolean', default: false, help: 'print sums as JSON, and before that how many seeds are done' },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Seeds that must hold before bugs are put in: if the code itself is broken, every bug counts as found. */
const CLEAN_SEEDS = 20;
const MUTATION_SEEDS = 4000;
const PROGRESS_MS = 5000;

if (values.mutations) await runMutations();
else if (values.seed !== undefined) await runSeed(Number(values.seed));
else await runSeeds();

async function runMutations(): Promise<void> {
  const clean = await simulateMany({
    from: 1,
    seeds: CLEAN_SEEDS,
    isFirstEnough: true,
    onBroken: ({ seed, broken }) => say(`without any of the bugs, seed ${seed} breaks: ${broken.join('; ')}`),
  });
  if (clean.broken > 0) process.exit(1);
  say('seeds  seconds  bug');
  const all = await findMutations({
    mutations: MUTATIONS.filter(({ name }) => name.includes(values.only)),
    maxSeeds: Number(values.seeds ?? MUTATION_SEEDS),
    processes: Number(values.processes),
    tell: ({ name, seed, seconds, broken }) =>
      say(
        `${String(seed ?? 'NONE').padStart(5)}  ${seconds.toFixed(1).padStart(7)}  ${name}\n${' '.repeat(16)}${broken}`,
      ),
  });
  const found = all.filter(({ seed }) => seed !== null);
  const seconds = all.reduce((sum, one) => sum + one.seconds, 0);
  say(`${found.length} of ${all.length} bugs found in ${seconds.toFixed(0)} s of processor time`);
  process.exitCode = found.length === all.length ? 0 : 1;
}

async function runSeed(seed: number): Promise<void> {
  const run = await simulate(seed, say);
  say(JSON.stringify({ ...run, fingerprint: run.fingerprint() }));
  process.exitCode = run.broken.length === 0 ? 0 : 1;
}

async function runSeeds(): Promise<void> {
  const maxSeconds = values['max-seconds'] === undefined ? undefined : Number(values['max-seconds']);
  const from = values.day === undefined ? Number(values.from) : firstSeedOf(values.day);
  if (values.day !== undefined) say(`from seed ${from}`);
  const range = { from, seeds: Number(values.seeds ?? 1000), maxSeconds };
  const processes = values.first ? 1 : Number(values.processes);
  const onProgress = values.json ? (done: number) => say(JSON.stringify({ done })) : progressOf(range.seeds);
  const many: Many =
    processes > 1
      ? await simulateParallel({ ...range, processes, tell: say, onProgress })
      : await simulateMany({
          ...range,
          onProgress,
          isFirstEnough: values.first,
          onBroken: ({ seed, broken }) =>
            say(`seed ${seed}: ${broken.join('; ')}\n  repeat it with: npm run simulate -- --seed ${seed}`),
        });
  const { seeds, broken, seconds, sum } = many;
  if (values.json) say(JSON.stringify(many));
  else say(`${seeds} seeds in ${seconds.toFixed(1)} s of processor time, ${broken} broken: ${JSON.stringify(sum)}`);
  process.exitCode = broken === 0 ? 0 : 1;
}

/** Tells how many seeds are done, every five seconds at most. */
function progressOf(seeds: number): (done: number) => void {
  const [all, beganMs] = [seeds.toLocaleString('en-US'), performance.now()];
  let toldMs = beganMs;
  return (done) => {
    if (performance.now() - toldMs < PROGRESS_MS) return;
    toldMs = performance.now();
    const perSecond = Math.round((done / (toldMs - beganMs)) * 1000);
    process.stderr.write(`${done.toLocaleString('en-US')} of ${all} seeds, ${perSecond} a second\n`);
  };
}
