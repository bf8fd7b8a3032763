// A process that loads a test file once and runs its tests with one mutant after the other, which takes milliseconds where a new
// process takes a tenth of a second. It first sends what its tests reach after loading, then for each mutant whether they pass.
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { firstFailing } from './collected-tests.ts';

/** A mutant that is reached this many times as often as without it has made a loop endless: its next use throws. */
const ENDLESS_FACTOR = 100;
const ENDLESS_EXTRA = 100_000;

type Counts = Readonly<Record<string, number>>;
const coverage = { static: {} as Counts, perTest: {} };
const stryker = { activeMutant: '', mutantCoverage: coverage, hitCount: 0, hitLimit: 0 };
Object.assign(globalThis, { __stryker__: stryker });
const collector = new URL('collected-tests.ts', import.meta.url).href;
registerHooks({
  resolve: (name, context, next) =>
    name === 'node:test' ? { url: collector, shortCircuit: true } : next(name, context),
});

let broken = false;
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, () => {
    broken = true;
  });
}

await import(pathToFileURL(resolve(process.argv[2])).href);
const loaded = new Set(Object.keys(coverage.static));
coverage.static = {};
const startedMs = performance.now();
const isSound = (await firstFailing()) === null && !broken;
const hits = coverage.static;
coverage.static = {};
const reached = Object.keys(hits).filter((mutant) => !loaded.has(mutant));
process.send!({ ms: performance.now() - startedMs, reached: isSound ? reached : [] });

process.on('message', async (mutant: string) => {
  Object.assign(stryker, {
    activeMutant: mutant,
    hitCount: 0,
    hitLimit: ENDLESS_FACTOR * hits[mutant] + ENDLESS_EXTRA,
  });
  broken = false;
  const failing = await firstFailing().catch(() => undefined);
  stryker.activeMutant = '';
  if (failing === null && !broken) return process.send!('passed');
  // What an earlier mutant left behind is not the fault of this one, so the test must pass without it.
  broken = false;
  const again = await firstFailing(failing ? [failing] : undefined).catch(() => undefined);
  process.send!(again === null && !broken ? 'failed' : 'unsure');
});
