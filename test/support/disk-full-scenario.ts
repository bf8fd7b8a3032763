// What disk-full.test.ts runs, in a mount namespace of its own if that is allowed:
//   node disk-full-scenario.ts events|models tmpfs|limit FOLDER [DATABASE_URL]
// Either way the same holds: with `limit` files cannot grow instead of a small disk being full. A limit would also stop the
// SQLite file in which a failing job says why, so models are tried on a PostgreSQL then.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { familyOf, limitFiles } from '../soak/disk.ts';
import { plantModel } from './plant-model.ts';
import { type ServiceProcess, startServiceProcess } from './service.ts';
import { createTasteProject, ended, isOfKind, succeed, tasteModel } from './taste-project.ts';

const [what, way, folder, databaseUrl = null] = process.argv.slice(2);
const dataDir = join(folder, 'data');
const artifacts = join(folder, 'artifacts');
const place = { dataDir, databaseUrl, artifactsUrl: pathToFileURL(artifacts).href };
const FILE_LIMIT_BYTES = 2 * 1024 * 1024;
/** Less than a model takes. */
const MODEL_LIMIT_BYTES = 1024;
const env = {
  KINDRED_DATA_DIR: dataDir,
  KINDRED_ARTIFACTS_URL: place.artifactsUrl,
  ...(databaseUrl !== null && { KINDRED_DATABASE_URL: databaseUrl }),
  KINDRED_ROLES: 'api,worker',
  KINDRED_LOG_LEVEL: 'fatal',
  KINDRED_JOB_LEASE_SECONDS: '2',
};

for (const disk of [dataDir, artifacts]) {
  mkdirSync(disk);
  if (way === 'tmpfs') execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', disk]);
}
let service: ServiceProcess = await startServiceProcess(env);
const project = await createTasteProject(service);
const { project_id, algorithm_id, event_dataset_id } = project;
const { modelId } = await plantModel(place, project, tasteModel());
await succeed(service, '/submit-deployment-job', { project_id, generator_model_id: modelId, qps: 1000 });

if (what === 'models') await withoutSpaceForModels();
else await withoutSpaceForEvents();
await succeed(service, '/submit-training-job', { project_id, algorithm_id });
await service.terminate();
process.exit(0);

/** A training job that cannot write its model fails and says so; nothing of it is published. */
async function withoutSpaceForModels(): Promise<void> {
  const filesBefore = readdirSync(join(artifacts, 'models'));
  if (way === 'tmpfs') fill(artifacts, 0);
  else limitFiles(familyOf(service.child.pid!), `${MODEL_LIMIT_BYTES}:`);
  const { job_id } = await service.ok('POST', '/submit-training-job', { project_id, algorithm_id });
  const job = await ended(service, project_id, job_id);
  assert.equal(job.job_status, 'FAILED');
  assert.equal(job.retry_count, 3);
  assert.match(job.failure_reason.message, way === 'tmpfs' ? /no space/i : /file too large/i);
  const { models } = await service.ok('GET', '/list-models', { project_id });
  assert.equal(models.length, 1);
  assert.deepEqual(readdirSync(join(artifacts, 'models')), filesBefore, 'nothing half-published');
  await recommendWorks();
  if (way === 'tmpfs') rmSync(join(artifacts, 'filler'));
  else limitFiles(familyOf(service.child.pid!), 'unlimited:');
}

/** Events that cannot be stored are refused as a whole batch, and reads continue. */
async function withoutSpaceForEvents(): Promise<void> {
  await takeSpace();
  const stored = await upsertUntilFull();
  await recommendWorks();
  await giveSpace();
  await recommendWorks();
  await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: batch(1_000_000) });
  const { num_records } = await service.ok('GET', '/get-event-dataset', { event_dataset_id });
  assert.equal(num_records, stored + 100);
}

function batch(from: number) {
  return Array.from({ length: 100 }, (_, n) => ({
    event_id: `more-${from + n}`,
    user_id: `v${n}`,
    item_id: `i${n % 60}`,
    ts: 1_800_000_000_000 + from + n,
    event_type: 'view',
    attributes: { note: 'x'.repeat(2000) },
  }));
}

/** Returns how many events the dataset holds: exactly those that were acknowledged. */
async function upsertUntilFull(): Promise<number> {
  let { num_records: count } = await service.ok('GET', '/get-event-dataset', { event_dataset_id });
  for (let from = 0; ; from += 100) {
    const { status, body } = await service.call('POST', '/upsert-dataset-events', {
      event_dataset_id,
      events: batch(from),
    });
    if (status === 200) {
      count += body.succeed_ids.length;
      continue;
    }
    assert.equal(status, 503, JSON.stringify(body));
    assert.equal(body.code, 'STORE_UNAVAILABLE');
    assert.match(body.detail, /full|space/i);
    break;
  }
  const { num_records } = await service.ok('GET', '/get-event-dataset', { event_dataset_id });
  assert.equal(num_records, count);
  return count;
}

async function recommendWorks(): Promise<void> {
  const { results } = await service.ok('POST', '/recommend-items-to-user', { user_id: 'u7', limit: 1 });
  assert.ok(isOfKind(results[0].item.item_id, 1));
}

async function takeSpace(): Promise<void> {
  // Some room is left: the disk gets full in the middle of the calls that follow.
  if (way === 'tmpfs') return fill(dataDir, 2 * 1024 * 1024);
  await service.terminate();
  // Holds for the service that is started from here, and for its worker.
  execFileSync('prlimit', [`--pid=${process.pid}`, `--fsize=${FILE_LIMIT_BYTES}:unlimited`]);
  service = await startServiceProcess(env);
}

async function giveSpace(): Promise<void> {
  if (way === 'tmpfs') return rmSync(join(dataDir, 'filler'));
  await service.terminate();
  execFileSync('prlimit', [`--pid=${process.pid}`, '--fsize=unlimited']);
  service = await startServiceProcess(env);
}

function fill(disk: string, leaveBytes: number): void {
  const file = openSync(join(disk, 'filler'), 'w');
  try {
    for (const size of [1024 * 1024, 4096]) {
      const block = Buffer.alloc(size, 1);
      const space = () => statfsSync(disk).bavail * statfsSync(disk).bsize;
      while (space() >= leaveBytes + size) writeSync(file, block);
    }
  } finally {
    closeSync(file);
  }
}
