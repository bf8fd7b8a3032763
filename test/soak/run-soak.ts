// Two API nodes and two workers on one PostgreSQL, clients at work, faults striking by a schedule drawn from a seed; then quiet,
// and the checker. `npm run test:soak -- --minutes 15 --seed 7` runs it long; test/e2e/faults.test.ts runs it short.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../src/domain/seeded-random.ts';
import { PoisonedNetwork } from '../network/poisoned-network.ts';
import { Cluster } from '../support/cluster.ts';
import { hasGo } from '../support/go-program.ts';
import { createTasteProject, ended, succeed, tasteEvents } from '../support/taste-project.ts';
import { Bystander } from './bystander.ts';
import { whatIsWrong } from './check.ts';
import { ask, trainAndDeploy, writeAndDelete } from './clients.ts';
import { strikeUntil } from './faults.ts';
import { Ledger } from './ledger.ts';
import { openNodes } from './nodes.ts';
import { Registers } from './registers.ts';

const WRITERS = 3;
const REGISTER_CLIENTS = 3;

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
  counts: Ledger['counts'] & { faultKinds: number; histories: number; operations: number; starvedSeconds: number };
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
    const trained = await succeed(api(), '/submit-training-job', {
      project_id: project.project_id,
      algorithm_id: project.algorithm_id,
    });
    await succeed(api(), '/submit-deployment-job', {
      project_id: project.project_id,
      generator_model_id: trained.job_result.model_id,
      qps: 10_000,
    });

    const beginMs = performance.now();
    const sayWhen = (line: string): void => say(`${((performance.now() - beginMs) / 1000).toFixed(1)} s: ${line}`);
    const ledger = new Ledger(sayWhen);
    const registers = new Registers();
    const endMs = beginMs + seconds * 1000;
    let quiet = false;
    const parts = { nodes, project, ledger, bystander, stopped: () => quiet, pauses };
    const clients = [
      ...Array.from({ length: WRITERS }, (_, client) => writeAndDelete(parts, client)),
      ...nodes.apis.map((place) => ask(parts, place)),
      ...Array.from({ length: REGISTER_CLIENTS }, (_, client) => registers.use(parts, client)),
      trainAndDeploy(parts),
    ];
    for (const client of clients) client.catch((error) => ledger.complain(`a client gave up: ${error}`));
    await strikeUntil(endMs, nodes, {
      pick: seededRandom(seed).below,
      ledger,
      databaseUrl: cluster.place.databaseUrl!,
      say: sayWhen,
    });
    // Some calm under load after the last fault: what failed then would not be excused any more.
    await delay(5000);
    quiet = true;
    await Promise.allSettled(clients);
    const { jobs } = await api().ok('GET', '/list-jobs', { project_id: project.project_id });
    for (const { job_id } of jobs) await ended(api(), project.project_id, job_id);
    const wrong = await whatIsWrong({ cluster, api: api(), project, ledger, eventsBefore: tasteEvents().length });
    const { wrong: unordered, ...checked } = registers.check();
    return {
      wrong: [...wrong, ...unordered],
      counts: {
        ...ledger.counts,
        faultKinds: ledger.faultKinds.size,
        starvedSeconds: bystander.starvedSeconds,
        ...checked,
      },
    };
  } finally {
    bystander.stop();
    await cluster.stop();
    await network?.stop();
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '15' },
      seed: { type: 'string' },
      pauses: { type: 'string', default: '1' },
    },
  });
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  say(`soak: ${values.minutes} minutes, seed ${seed} (repeat it with --seed ${seed})`);
  const network = hasGo();
  if (!network) say('soak: without faults of the network, which need Go');
  const seconds = Number(values.minutes) * 60;
  const { wrong, counts } = await runSoak({ seconds, seed, network, pauses: Number(values.pauses), say });
  say(`soak: ${JSON.stringify(counts)}`);
  for (const complaint of wrong) say(`WRONG: ${complaint}`);
  say(`soak: ${wrong.length === 0 ? 'everything holds' : `${wrong.length} things do not hold`}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
