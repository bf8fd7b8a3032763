// Where the serving benchmark runs: a real service with a made project, and the bare route it is held against.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { plantModel } from '../../test/support/plant-model.ts';
import { newDataDir, type ServiceProcess, startServiceProcess } from '../../test/support/service.ts';
import { succeed } from '../../test/support/taste-project.ts';
import { report } from '../report.ts';
import { makeModel } from './made-model.ts';
import { itemIdOf, MAX_QPS, type MadeProject, type MadeSize, makeProject } from './made-project.ts';

export const PATH = '/recommend-items-to-user';

export interface Stage {
  service: ServiceProcess;
  project: MadeProject;
  size: MadeSize;
  headers: Record<string, string>;
}

/** A service with a made project, deployed by a real job; then the same data served after a restart. */
export async function withStage(size: MadeSize, env: Record<string, string>, run: (stage: Stage) => Promise<void>) {
  const dataDir = await newDataDir();
  const settings = { KINDRED_DATA_DIR: dataDir, KINDRED_LOG_LEVEL: 'warn', KINDRED_ROLES: 'api,worker', ...env };
  let service: ServiceProcess | undefined;
  try {
    const place = { dataDir, databaseUrl: env.KINDRED_DATABASE_URL ?? null };
    const project = await makeProject(place, size);
    const { modelId } = await plantModel(place, project, makeModel(size.items, size.hasRelations));
    service = await startServiceProcess(settings);
    const deployStartedMs = performance.now();
    await succeed(service, '/submit-deployment-job', {
      project_id: project.project_id,
      generator_model_id: modelId,
      qps: MAX_QPS,
    });
    const deploySec = (performance.now() - deployStartedMs) / 1000;
    await service.terminate();

    const restartedMs = performance.now();
    service = await startServiceProcess(settings);
    const listeningSec = (performance.now() - restartedMs) / 1000;
    await service.ok('POST', PATH, { user_id: 'user-1' });
    const restartSec = (performance.now() - restartedMs) / 1000;
    report({
      bench: 'serve',
      what: `deployment and restart, ${size.users} users, ${size.items} items`,
      ratio: null,
      base: '',
      figures: `deployment job ${deploySec.toFixed(2)} s; restart to listening ${listeningSec.toFixed(2)} s, to the first recommendation ${restartSec.toFixed(2)} s`,
    });
    await run({ service, project, size, headers: await headersOf(service) });
  } finally {
    await service?.terminate();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function headersOf(service: ServiceProcess): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await service.token()}`, apikey: service.credentials.api_key };
}

let changes = 0;
/** Makes every cached ranking out of date. */
export async function changeAnItem({ service, project }: Pick<Stage, 'service' | 'project'>): Promise<void> {
  const { item_dataset_id } = project;
  const items = [{ item_id: itemIdOf(0), attributes: { title: `title ${changes++}`, price: 1 } }];
  await service.ok('POST', '/upsert-dataset-items', { item_dataset_id, items });
}

export async function startBare(dataDir: string, response: object): Promise<{ url: string; stop(): void }> {
  const responseFile = join(dataDir, 'bare-answer.json');
  await writeFile(responseFile, JSON.stringify(response));
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-server.ts'), dataDir, responseFile], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const [text] = await once(child.stderr, 'data');
  return { url: String(/http\S+/.exec(String(text))), stop: () => child.kill('SIGTERM') };
}
