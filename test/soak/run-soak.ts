// Two API nodes and two workers on one PostgreSQL, clients at work, faults striking by schedules drawn from a seed; then quiet, and
// the checker. `npm run test:soak -- --minutes 15 --seed 7` runs it long; test/long/faults.test.ts runs it short.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { PoisonedNetwork } from '../network/poisoned-network.ts';
import { Cluster } from '../support/cluster.ts';
import { hasGo } from '../support/go-program.ts';
import { scriptOptions } from '../support/script-options.ts';
import { createTasteProject, succeed, tasteEvents } from '../support/taste-project.ts';
import { Bystander } from './bystander.ts';
import { Calls } from './calls.ts';
import { whatIsWrong } from './check.ts';
import { ask } from './clients/ask.ts';
import { createAutomatedProject, shutDownAutomated, untilAllRests } from './clients/automation.ts';
import type { ClientParts } from './clients/client.ts';
import { deleteItems } from './clients/delete-items.ts';
import { trainAndDeploy } from './clients/deploy.ts';
import { cancelTrainings, watchJobs } from './clients/jobs.ts';
import { writeEvents } from './clients/write-events.ts';
import { ItemHistory } from './histories/item-history.ts';
import { JobHistory } from './histories/job-history.ts';
import { ServingHistory } from './histories/serving-history.ts';
import { type CallCounts, Ledger } from './ledger.ts';
import { openNodes } from './nodes.ts';
import { Registers } from './registers.ts';
import { strikeUntil } from './schedules.ts';
import { tooLittle } from './too-little.ts';

const WRITERS = 3;
const REGISTER_CLIENTS = 3;

/** Time in which the machine has none for anybody does not count, so that a short soak sees enough also next to other work. */
const MAX_EXTRA_SECONDS = 120;

export interface SoakOptions {
  seconds: number;
  seed: number;
  /** with lines that can be poisoned and a real S3 server; needs Go */
  network?: boolean;
  /** multiplies the clients' pauses, for machines that have other things to do */
  pauses?: number;
  say?: (line: string) => void;
}

export interface SoakOutcome {
  wrong: string[];
  counts: Record<string, number>;
  calls: Record<string, CallCounts>;
  /** what was disturbed → how many calls that excused */
  excusedBy: Record<string, number>;
}

export async function runSoak({
  seconds,
  seed,
  network: isPoisoned = false,
  pauses = 1,
  say = () => {},
}: SoakOptions): Promise<SoakOutcome> {
  const cluster = await Cluster.start();
  const network = isPoisoned ? await PoisonedNetwork.start(cluster.place.databaseUrl!) : null;
  const bystander = new Bystander();
  try {
    if (network) {
      cluster.artifactsUrl = network.artifactsUrl;
      // The checker reads the artifacts too.
      Object.assign(process.env, network.s3.env);
    }
    const nodes = await openNodes(cluster, network);
    const api = () => nodes.apis[0].current.caller;
    const project = await createTasteProject(api());
    const { project_id, algorithm_id } = project;
    const { job_result } = await succeed(api(), '/submit-training-job', { project_id, algorithm_id });
    const { model_id } = job_result;
    await succeed(api(), '/submit-deployment-job', { project_id, generator_model_id: model_id, qps: 10_000 });
    const automatedId = await createAutomatedProject(api(), project);

    const beginMs = performance.now();
    const sayWhen = (line: string): void => say(`${((performance.now() - beginMs) / 1000).toFixed(1)} s: ${line}`);
    const ledger = new Ledger(sayWhen);
    const registers = new Registers();
    const isOver = { work: false, watch: false };
    const parts: ClientParts = {
      nodes,
      project,
      ledger,
      pauses,
      stopped: () => isOver.work,
      pick: seededRandom(seed).below,
      calls: new Calls({ nodes, ledger, bystander }),
      jobs: new JobHistory(ledger),
      serving: new ServingHistory(model_id),
      items: new ItemHistory(ledger),
    };
    const working = [
      ...Array.from({ length: WRITERS }, (_, client) => writeEvents(parts, client)),
      trainAndDeploy(parts),
      cancelTrainings(parts),
      deleteItems(parts),
      shutDownAutomated(parts, automatedId),
    ];
    // They go on as long as there is anything to see.
    const watcher = { ...parts, stopped: () => isOver.watch };
    const watching = [
      ...nodes.apis.flatMap((place) => [ask(watcher, place), watchJobs(watcher, place)]),
      ...Array.from({ length: REGISTER_CLIENTS }, (_, client) => registers.use(watcher, client)),
    ];
    for (const client of [...working, ...watching])
      client.catch((error) => ledger.complain(`a client gave up: ${error}`));
    const { databaseUrl } = cluster.place;
    const endMs = () => beginMs + 1000 * (seconds + Math.min(bystander.starvedSeconds, MAX_EXTRA_SECONDS));
    await strikeUntil(endMs, nodes, { seed, ledger, databaseUrl: databaseUrl!, say: sayWhen });
    // Some calm under load after the last fault: what failed then would not be excused any more.
    await delay(5000);
    isOver.work = true;
    await Promise.allSettled(working);
    isOver.watch = true;
    await Promise.allSettled(watching);
    await untilAllRests(api(), automatedId);
    const eventsBefore = tasteEvents().length;
    const wrong = await whatIsWrong({ cluster, api: api(), project, automatedId, ledger, eventsBefore });
    const { wrong: unordered, ...inRegisters } = registers.check();
    const { wrong: unserved, ...served } = parts.serving.check();
    const counts = {
      ...ledger.counts,
      faultKinds: ledger.faultKinds.size,
      starvedSeconds: bystander.starvedSeconds,
      ...inRegisters,
      ...served,
      ...parts.jobs.counts,
      ...parts.items.counts,
    };
    const { calls, excusedBy } = ledger;
    return { wrong: [...wrong, ...unordered, ...unserved, ...tooLittle(counts, calls)], counts, calls, excusedBy };
  } finally {
    bystander.stop();
    await cluster.stop();
    await network?.stop();
  }
}

if (import.meta.main) {
  const { values } = scriptOptions({
    usage: 'npm run test:soak -- --minutes 15 --seed 7',
    options: {
      minutes: { type: 'string', default: '15', help: 'how long faults strike' },
      seed: { type: 'string', help: 'which faults strike when (default: random)' },
      pauses: { type: 'string', default: '1', help: "multiplies clients' pauses, for busy machines" },
    },
  });
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  say(`soak: ${values.minutes} minutes, seed ${seed} (repeat it with --seed ${seed})`);
  const network = hasGo();
  if (!network) say('soak: without faults of the network, which need Go');
  const seconds = Number(values.minutes) * 60;
  const options = { seconds, seed, network, pauses: Number(values.pauses), say };
  const { wrong, counts, calls, excusedBy } = await runSoak(options);
  say(`soak: ${JSON.stringify(counts)}`);
  for (const [kind, one] of Object.entries(calls)) say(`soak: ${kind}: ${JSON.stringify(one)}`);
  say(`soak: calls excused by what was disturbed: ${JSON.stringify(excusedBy)}`);
  for (const complaint of wrong) say(`WRONG: ${complaint}`);
  say(`soak: ${wrong.length === 0 ? 'everything holds' : `${wrong.length} things do not hold`}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
