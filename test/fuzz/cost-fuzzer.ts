// `npm run test:cost -- --seed 7 --minutes 10`: searches, for every route that the server registers, inputs that cost the service much
// processor time or memory for few bytes sent, and prints the worst. Fails when a request costs more than the limits below, or when
// any gets an unexpected error or a broken connection. Then many slow clients call at once. `--input '…'` sends one input again. Needs Linux.
import assert from 'node:assert/strict';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { scriptOptions } from '../support/script-options.ts';
import { longestStretch } from '../support/short-stretch.ts';
import { nameOf, type Operation, operationsOf } from './api-operations.ts';
import { CostSearch, cpu, cpuPerKb, type Measured, memory, memoryPerKb, stretch } from './cost-search.ts';
import { type CostService, startCostService } from './cost-service.ts';
import { costTable, repeatLine } from './cost-table.ts';
import { readInput } from './costly-inputs.ts';
import { hasEnded } from './request-cost.ts';
import { holdSlowClients } from './slow-clients.ts';

const MAX_CPU_MS = 3000;
const MAX_MEMORY_MB = 600;
/** The search ends after this many. */
const MAX_FAILURES = 20;
/** Inputs whose longest stretch is measured against the machine. */
const STRETCHES = 5;

const { values } = scriptOptions({
  usage: 'npm run test:cost -- --minutes 10 --seed 7',
  options: {
    minutes: { type: 'string', default: '10', help: 'how long inputs are searched' },
    seed: { type: 'string', help: 'which inputs are tried (default: the date)' },
    input: { type: 'string', help: 'send this input again, as it was printed' },
  },
});
/** Another one every day. */
const seed = Number(values.seed ?? new Date().toISOString().slice(0, 10).replaceAll('-', ''));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

function printWrong(title: string, list: readonly Measured[]): boolean {
  if (list.length === 0) return false;
  say(title);
  for (const measured of list) {
    const { cpuMs, memoryMb, stretchMs, status, failure, input } = measured;
    const cost = `${cpuMs.toFixed(0)} ms, ${memoryMb.toFixed(0)} MB, a stretch of ${stretchMs.toFixed(0)} ms`;
    say(`  ${nameOf(input.operation)} → ${status}: ${cost} ${failure ?? ''}\n${repeatLine(measured)}`);
  }
  return true;
}

/** The server's own routes, which include all that it describes. */
function checkedRoutes({ operations, description }: CostService): readonly Operation[] {
  const registered = operations.map(nameOf);
  const described = operationsOf(description).map(nameOf);
  assert.deepEqual(
    described.filter((name) => !registered.includes(name)),
    [],
    'described, but not in the list of routes',
  );
  return operations;
}

async function searchCosts(target: CostService, minutes: number): Promise<CostSearch> {
  const operations = checkedRoutes(target);
  const search = new CostSearch(target);
  const random = seededRandom(seed);
  const endMs = performance.now() + minutes * 60_000;
  // Every route once, however slow the machine is.
  for (let n = 0; n < operations.length || performance.now() < endMs; n++) {
    try {
      await search.tryOne(operations[n % operations.length], random);
    } catch (error) {
      if (!hasEnded(target.service)) throw error;
    }
    if (hasEnded(target.service) || search.failures.length > MAX_FAILURES) break;
  }
  const refused = operations.map(nameOf).filter((name) => !search.accepted.has(name));
  say(`${search.requests} requests to ${operations.length} routes, all that the server has registered`);
  say(`${refused.length} took no input: ${refused.join(', ') || 'none'}`);
  return search;
}

/** Longer than the thread that serves all accounts may work at a stretch, as test/support/short-stretch.ts says. */
async function tooLong(search: CostSearch): Promise<Measured[]> {
  const long: Measured[] = [];
  for (const measured of search.worstBy(stretch).slice(0, STRETCHES)) {
    const again = async () => stretch(await search.measure(measured.input));
    if ((await longestStretch(again)) > 1) long.push(measured);
  }
  return long;
}

async function fuzz(target: CostService, minutes: number): Promise<boolean> {
  const search = await searchCosts(target, minutes);
  const tables = [
    { title: 'processor time (ms) per KB sent, the worst input of a route:', figure: cpuPerKb },
    { title: 'memory (MB) per KB sent:', figure: memoryPerKb },
    { title: 'most processor time (ms):', figure: cpu },
    { title: 'most memory (MB):', figure: memory },
    { title: 'longest stretch of the API thread (ms):', figure: stretch },
  ];
  for (const { title, figure } of tables) say(costTable(title, search.worstBy(figure), figure));
  if (hasEnded(target.service)) {
    printWrong('sent last:', search.failures);
    say(`the service ended: ${target.service.output()} ${target.service.greeting()}`);
    return false;
  }
  const long = await tooLong(search);
  say(await holdSlowClients(target));
  const isWrong = [
    printWrong(
      `more than ${MAX_CPU_MS} ms:`,
      search.worstBy(cpu).filter(({ cpuMs }) => cpuMs > MAX_CPU_MS),
    ),
    printWrong(
      `more than ${MAX_MEMORY_MB} MB:`,
      search.worstBy(memory).filter(({ memoryMb }) => memoryMb > MAX_MEMORY_MB),
    ),
    printWrong('too long a stretch of the API thread:', long),
    printWrong('unexpected errors:', search.failures),
  ];
  return !isWrong.includes(true);
}

async function sendAgain(target: CostService, text: string): Promise<boolean> {
  const search = new CostSearch(target);
  const measured: Measured[] = [];
  for (let n = 0; n < 3; n++) measured.push(await search.measure(readInput(text, target.operations)));
  say(costTable('sent three times, ms per KB:', measured, cpuPerKb));
  return !printWrong('unexpected errors:', search.failures);
}

say(
  values.input === undefined
    ? `cost: ${values.minutes} minutes, seed ${seed} (repeat it with --seed ${seed})`
    : 'cost: one input',
);
const target = await startCostService();
try {
  const isFine =
    values.input === undefined ? await fuzz(target, Number(values.minutes)) : await sendAgain(target, values.input);
  process.exitCode = isFine ? 0 : 1;
} finally {
  await target.stop();
}
