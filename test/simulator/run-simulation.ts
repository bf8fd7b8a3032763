// The command line of the simulation.
//
//   npm run simulate -- --seeds 1000 --from 1   runs seeds one after the other, prints those that break an invariant
//   npm run simulate -- --seed 7                runs one and prints everything that happens in it
//   npm run simulate -- --mutations             puts known bugs back, one at a time, and runs seeds until each is found
import { parseArgs } from 'node:util';
import { findMutations } from './find-mutations.ts';
import { MUTATIONS } from './mutations.ts';
import { simulate } from './simulate.ts';
import { simulateMany } from './simulate-many.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    /** end at the first seed that breaks something */
    first: { type: 'boolean', default: false },
    mutations: { type: 'boolean', default: false },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Seeds that must hold before bugs are put in: if the code itself is broken, every bug counts as found. */
const CLEAN_SEEDS = 20;

if (values.mutations) {
  const clean = await simulateMany({
    ...{ from: 1, seeds: CLEAN_SEEDS, isFirstEnough: true },
    onBroken: ({ seed, broken }) => say(`without any of the bugs, seed ${seed} breaks: ${broken.join('; ')}`),
  });
  if (clean.broken > 0) process.exit(1);
  const all = await findMutations(Number(values.seeds), ({ name, seed, broken }) =>
    say(seed === null ? `NOT FOUND  ${name}` : `found by seed ${seed}: ${name}\n    ${broken}`),
  );
  const missed = all.filter(({ seed }) => seed === null).length;
  say(`${MUTATIONS.length - missed} of ${MUTATIONS.length} mutations found`);
  process.exitCode = missed === 0 ? 0 : 1;
} else if (values.seed !== undefined) {
  const run = await simulate(Number(values.seed), say);
  say(JSON.stringify(run));
  process.exitCode = run.broken.length === 0 ? 0 : 1;
} else {
  const { seeds, broken, seconds, sum } = await simulateMany({
    from: Number(values.from),
    seeds: Number(values.seeds),
    isFirstEnough: values.first,
    onBroken: ({ seed, broken }) =>
      say(`seed ${seed}: ${broken.join('; ')}\n  repeat it with: npm run simulate -- --seed ${seed}`),
  });
  say(`${seeds} seeds in ${seconds.toFixed(1)} s of processor time, ${broken} broken: ${JSON.stringify(sum)}`);
  process.exitCode = broken === 0 ? 0 : 1;
}
