// A whole service, API and worker on SQLite, whose system calls fail while a client writes, reads, asks and trains: every call is
// served or refused with a clear error, the next ones are served, and what was acknowledged is there, also after kill -9. Then
// starts fail, and the next start serves.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../src/base/seeded-random.ts';
import { openStore } from '../../src/store/open-store.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, succeed } from '../support/taste-project.ts';
import { ServiceClient } from './service-client.ts';
import { type Call, type Failure, type Fault, Faults } from './shim.ts';

const STARTS = 4;
/** However slow the machine is. */
const MIN_FAULTS = 10;
const FULL_DISK_MS = 1000;
const HANGS_MS = 120_000;

/** A call, how it fails, and how many such calls there are about. */
type Kind = readonly [Call, Failure, number];
const OF_CALLS: readonly Kind[] = [
  ...([
    ['write', 'EIO', 30],
    ['write', 'ENOSPC', 30],
    ['write', 'short', 30],
  ] as const),
  ...([
    ['fsync', 'EIO', 2],
    ['read', 'EIO', 24],
  ] as const),
];
const OF_TRAINING: readonly Kind[] = [
  ...([
    ['open', 'EMFILE', 12],
    ['open', 'EIO', 12],
    ['rename', 'EIO', 2],
    ['unlink', 'EIO', 1],
  ] as const),
  ...([
    ['mkdir', 'EIO', 3],
    ['write', 'ENOSPC', 250],
    ['read', 'EIO', 600],
    ['fsync', 'EIO', 45],
  ] as const),
];
const OF_STARTS: readonly Kind[] = [
  ...([
    ['open', 'EMFILE', 24],
    ['open', 'EIO', 24],
    ['read', 'EIO', 180],
    ['write', 'ENOSPC', 60],
  ] as const),
  ...([
    ['fsync', 'EIO', 8],
    ['truncate', 'EIO', 2],
    ['unlink', 'EIO', 4],
    ['mmap', 'ENOMEM', 2],
  ] as const),
];
/** Until it has space again. */
const FULL_DISK: Fault = { call: 'write', failure: 'ENOSPC', place: 1, times: 2 ** 30 };

function faultOf(random: Random, kinds: readonly Kind[]): Fault {
  const [call, failure, most] = random.pick(kinds);
  return { call, failure, place: 1 + random.below(most), times: 1 };
}

/** Why a service did not start, without a trace of its code. */
const CLEAR = /kindred could not start: .{20}/;
const UNCLEAR = /\n\s+at |undefined|\[object|attempt to write|disk image/;

export interface ServiceFaultOptions {
  shim: string;
  root: string;
  random: Random;
  seconds: number;
  say: (line: string) => void;
}

/** Returns how many faults broke something. */
export async function failTheService({ shim, root, random, seconds, say }: ServiceFaultOptions): Promise<number> {
  const dataDir = join(root, 'service');
  const faults = new Faults(shim, join(root, 'service-control'));
  const start = (): Promise<ServiceProcess> =>
    startServiceProcess({
      ...faults.envFor(dataDir),
      KINDRED_DATA_DIR: dataDir,
      KINDRED_ROLES: 'api,worker',
      KINDRED_LOG_LEVEL: 'fatal',
      KINDRED_JOB_LEASE_SECONDS: '2',
    });
  let service = await start();
  const project = await createTasteProject(service);
  const { project_id, algorithm_id } = project;
  const { job_result } = await succeed(service, '/submit-training-job', { project_id, algorithm_id });
  const generator_model_id = job_result.model_id;
  await succeed(service, '/submit-deployment-job', { project_id, generator_model_id, qps: 1000 });
  const client = new ServiceClient(service, project);

  let [struck, hit, broken] = [0, 0, 0];
  const endMs = performance.now() + seconds * 1000;
  for (; performance.now() < endMs || struck < MIN_FAULTS; struck++) {
    const trains = struck % 5 === 4;
    const fault = struck % 5 === 3 ? FULL_DISK : faultOf(random, trains ? OF_TRAINING : OF_CALLS);
    faults.arm(fault);
    const untilMs = performance.now() + (fault === FULL_DISK ? FULL_DISK_MS : 0);
    do await client.work();
    while (performance.now() < untilMs);
    if (trains) await client.train();
    if (faults.refused(fault.call) > 0) hit++;
    faults.disarm();
    const wrong = [...(await client.checkAfter()), ...client.takeWrong()];
    if (service.child.exitCode !== null) wrong.push(`it ended: ${service.greeting().slice(-300)}`);
    if (wrong.length === 0) continue;
    broken++;
    say(`service, ${fault.call} ${fault.failure} ${fault.place}: ${wrong.slice(0, 3).join('; ')}`);
    if (service.child.exitCode !== null) break;
  }
  await service.kill();
  broken += await checkStored();

  for (let n = 0; n < STARTS; n++) {
    const fault = faultOf(random, OF_STARTS);
    faults.arm(fault);
    const started = await Promise.race([start().catch(String), delay(HANGS_MS, 'the start hangs', { ref: false })]);
    faults.disarm();
    if (typeof started !== 'string') await started.kill();
    else if (!CLEAR.test(started) || UNCLEAR.test(started)) {
      broken++;
      say(`start, ${fault.call} ${fault.failure} ${fault.place}: unclear: ${started.slice(0, 500)}`);
    }
    service = await start();
    await service.ok('GET', '/get-event-dataset', { event_dataset_id: project.event_dataset_id });
    await service.kill();
  }
  broken += await checkStored();
  faults.close();
  const { calls, refused, jobs, events, items } = client.seen;
  say(
    `a service with ${struck} faults (${hit} struck) and ${STARTS} starts: ${calls} calls, ${refused} refused, ${jobs} jobs, ${events.size} events and ${items.size} items acknowledged, ${broken} broken`,
  );
  const isReal = hit > 0 && refused > 0 && jobs > 0 && events.size > 0 && items.size > 0;
  if (!isReal) say('this tested nothing: no call was refused, or nothing was acknowledged');
  return broken + Number(!isReal);

  async function checkStored(): Promise<number> {
    const store = await openStore({ dataDir });
    const lost: string[] = [];
    for (const id of client.seen.events)
      if ((await store.events.get(project.event_dataset_id, id)) === null) lost.push(`event ${id}`);
    for (const id of client.seen.items)
      if ((await store.items.get(project.item_dataset_id, id)) === null) lost.push(`item ${id}`);
    await store.close();
    if (lost.length > 0) say(`lost by the service: ${lost.slice(0, 5).join(', ')}`);
    return lost.length;
  }
}
