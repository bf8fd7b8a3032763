// Training jobs that count on a real Spark cluster, through a whole service: what is left of an application when its job is cancelled, and
// what becomes of a job whose worker or whose driver is killed.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { saveModel } from '../../src/artifact/g1-file.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { trainModel } from '../../src/training/train-model.ts';
import { eventually } from '../support/eventually.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, ended, type TasteProject } from '../support/taste-project.ts';
import { SparkCluster } from './spark-cluster.ts';

/** Of each thing that is waited for, however busy the machine. */
const LIMIT_MS = 600_000;

let cluster: SparkCluster;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-spark-jobs-'));
  cluster = await SparkCluster.start();
});
after(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function started(
  submit: string,
): Promise<{ service: ServiceProcess; project: TasteProject; end(): Promise<void> }> {
  const service = await startServiceProcess({
    KINDRED_ROLES: 'api,worker',
    KINDRED_LOG_LEVEL: 'warn',
    KINDRED_JOB_LEASE_SECONDS: '60',
    KINDRED_SPARK_MASTER: cluster.master,
    KINDRED_SPARK_SUBMIT: submit,
  });
  return { service, project: await createTasteProject(service), end: () => service.stop() };
}

/** What runs for an application of the service: Spark's own process, then the program's. Requests are in its data folder. */
function driversOf({ dataDir }: ServiceProcess): { pid: number; args: string[] }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), args: commandOf(pid).split('\0') }))
    .filter(({ args }) => args.some((arg) => arg.startsWith(join(dataDir, 'scratch'))));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely.
type JobResponse = any;

/** The job as soon as an application counts for it that is not among the former ones. */
async function counting(service: ServiceProcess, project_id: string, job_id: string, former: readonly string[] = []) {
  for (;;) {
    const job: JobResponse = await service.ok('GET', '/get-job', { project_id, job_id });
    assert.ok(['PENDING', 'RUNNING'].includes(job.job_status), JSON.stringify(job));
    const { spark } = job.progress;
    if (spark && !former.includes(spark.application_id)) return spark as { application_id: string; address: string };
    await delay(50);
  }
}

/** No process of it is left, and the master has given its executors to others. */
async function isGone(service: ServiceProcess, application: string): Promise<void> {
  await eventually(async () => driversOf(service).length === 0, LIMIT_MS);
  await eventually(async () => !(await cluster.applications()).includes(application), LIMIT_MS);
}

for (const way of ['at once', 'when it does not hear the signal, so that its thread is ended'] as const) {
  test(`a cancelled job ends its application ${way}`, async () => {
    const deaf = join(folder, 'deaf.sh');
    await writeFile(deaf, `trap '' TERM\nexec "$@"\n`);
    const { service, project, end } = await started(
      way === 'at once' ? cluster.submit : `sh ${deaf} ${cluster.submit}`,
    );
    try {
      const { project_id, algorithm_id } = project;
      const { job_id } = await service.ok('POST', '/submit-training-job', { project_id, algorithm_id });
      const { application_id } = await counting(service, project_id, job_id);
      assert.equal(driversOf(service).length, 2);
      assert.ok((await cluster.applications()).includes(application_id));
      await service.ok('POST', '/cancel-job', { project_id, job_id });
      await isGone(service, application_id);
      const job = await ended(service, project_id, job_id);
      assert.equal(job.job_status, 'CANCELLED');
      assert.equal(job.progress.spark.application_id, application_id, 'the job still names it');
    } finally {
      await end();
    }
  });
}

test('a job whose worker and then whose driver is killed is retried, and its model is the same, bit for bit', async () => {
  const { service, project, end } = await started(cluster.submit);
  const fractions: number[] = [];
  try {
    const { project_id, algorithm_id } = project;
    const { job_id } = await service.ok('POST', '/submit-training-job', { project_id, algorithm_id });
    const first = await counting(service, project_id, job_id);
    const workerOf = ({ args }: { args: string[] }) => Number(args.at(-2));
    const killed = workerOf(driversOf(service)[0]);
    process.kill(killed, 'SIGKILL');
    await eventually(async () => !(await cluster.applications()).includes(first.application_id), LIMIT_MS);
    const second = await counting(service, project_id, job_id, [first.application_id]);
    const driver = driversOf(service).find((one) => one.args[0].endsWith('java') && workerOf(one) !== killed)!;
    process.kill(driver.pid, 'SIGKILL');
    const third = await counting(service, project_id, job_id, [first.application_id, second.application_id]);
    for (let job: JobResponse; job?.job_status !== 'SUCCEED'; await delay(100)) {
      job = await service.ok('GET', '/get-job', { project_id, job_id });
      assert.ok(['RUNNING', 'SUCCEED'].includes(job.job_status), JSON.stringify(job));
      fractions.push(job.progress.fraction);
    }
    const job = await ended(service, project_id, job_id);
    assert.equal(job.retry_count, 2);
    assert.deepEqual(job.job_result.spark, third);
    assert.deepEqual(
      fractions,
      fractions.toSorted((a, b) => a - b),
      'progress never falls back',
    );
    await isGone(service, third.application_id);
    assert.ok(await isBuiltIn(service, project, job.job_result.model_id));

    const left = await Array.fromAsync(openBlobStore(service).list('spark/'), ({ key }) => key);
    // What a killed worker leaves is swept every hour.
    const ofOthers = left.filter((key) => !key.startsWith(`spark/${job_id}-1/`));
    assert.ok(ofOthers.length > 0 && ofOthers.every((key) => key.startsWith('spark/kept/')), `${left}`);
  } finally {
    await end();
  }
});

/** Whether the model file is the one that a worker makes alone. */
async function isBuiltIn({ dataDir }: ServiceProcess, project: TasteProject, modelId: string): Promise<boolean> {
  const store = await openStore({ dataDir });
  try {
    const events = (await store.datasets.get(project.account_id, 'event', project.event_dataset_id))!;
    const { model } = await trainModel({
      store,
      project: { ...project, target_event_type: 'buy' },
      eventShards: events.num_shards,
      parameters: {},
      threads: 1,
    });
    const file = join(folder, 'model');
    await saveModel(file, model);
    const made = await openBlobStore({ dataDir }).localFile(`models/${modelId}.kindred`);
    return (await readFile(file)).equals(await readFile(made));
  } finally {
    await store.close();
  }
}
