// A service to be fuzzed: with an account that has one of everything, a person who is signed in, and things that may be destroyed.
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHOP_FILE } from '../../src/sample/film-shop.ts';
import { CLIENT, startOpenIdServer } from '../support/openid-provider.ts';
import { plantModel } from '../support/plant-model.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, succeed, tasteModel } from '../support/taste-project.ts';
import { newTestPlace, type TestPlace } from '../support/test-database.ts';
import { signInAs, WebVisitor } from '../support/web-visitor.ts';
import {
  type Description,
  type Ids,
  type Operation,
  type RegisteredRoute,
  registeredOperations,
} from './api-operations.ts';
import { CostMeter, meterEnv } from './request-cost.ts';
import { type Credentials, PAGE } from './request-frames.ts';
import { idsOf, SpareThings } from './spare-things.ts';

const PERSON = 'ann@example.com';

export interface CostService {
  service: ServiceProcess;
  meter: CostMeter;
  operations: readonly Operation[];
  description: Description;
  credentials: Credentials;
  /** What most calls work on. */
  ids: Ids;
  spares: SpareThings;
  stop(): Promise<void>;
}

export async function startCostService(): Promise<CostService> {
  const place = await newTestPlace('sqlite');
  const provider = await startOpenIdServer();
  const file = join(place.dataDir, 'longest-stretch');
  writeFileSync(join(place.dataDir, SHOP_FILE), '{}');
  const service = await startServiceProcess({
    KINDRED_DATA_DIR: place.dataDir,
    KINDRED_ROLES: 'api,worker',
    KINDRED_LOG_LEVEL: 'error',
    KINDRED_OIDC_ISSUER: provider.issuer,
    KINDRED_OIDC_CLIENT_ID: CLIENT.id,
    KINDRED_OIDC_CLIENT_SECRET: CLIENT.secret,
    KINDRED_OIDC_ADMINS: PERSON,
    ...meterEnv(file),
  });
  provider.allow(service.baseUrl);
  const stop = async (): Promise<void> => {
    await service.stop();
    await provider.stop();
    await place.remove();
  };
  try {
    const description = (await service.call('GET', '/openapi.json')).body as Description;
    const routes = JSON.parse(readFileSync(`${file}.routes`, 'utf8')) as RegisteredRoute[];
    const ids = idsOf(await oneOfEverything(service, place));
    return {
      service,
      meter: new CostMeter(service, file),
      description,
      ids,
      stop,
      operations: registeredOperations(routes, description),
      spares: new SpareThings(service, () => projectWithModel(service, place)),
      credentials: await credentialsOf(service, ids),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function projectWithModel(service: ServiceProcess, place: TestPlace) {
  const project = await createTasteProject(service);
  const { modelId } = await plantModel(place, project, tasteModel());
  return { ...project, model_id: modelId, generator_model_id: modelId };
}

async function oneOfEverything(service: ServiceProcess, place: TestPlace): Promise<Record<string, unknown>> {
  const made = await projectWithModel(service, place);
  const { project_id, model_id } = made;
  const deployment = { project_id, generator_model_id: model_id, qps: 10_000 };
  const { job_id } = await succeed(service, '/submit-deployment-job', deployment);
  await service.ok('POST', '/create-placement', { project_id, name: 'home', kind: 'for_you' });
  const { key_id } = await service.ok('POST', '/create-api-key', { name: 'kept' });
  const conditions = [{ attribute: 'genre', value: 'Drama', lower_bound: 0.1 }];
  const query = { project_id, model_id, query_type: 'user_list', queries: [{ conditions }] };
  const { job_result } = await succeed(service, '/submit-querying-job', query);
  const { pathname, searchParams } = new URL(job_result.download_url);
  return {
    ...made,
    job_id,
    key_id,
    name: 'home',
    result_id: pathname.split('/').at(-1),
    ...Object.fromEntries(searchParams),
    '*': largestAsset(),
  };
}

/** Of the console. */
function largestAsset(): string {
  const folder = join(import.meta.dirname, '../../build/console');
  const sizeOf = (name: string): number => statSync(join(folder, name)).size;
  return globSync('assets/*', { cwd: folder }).reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a));
}

async function credentialsOf(service: ServiceProcess, ids: Ids): Promise<Credentials> {
  const [project_id] = ids.get('project_id')!;
  const pageKey = { name: 'page', kind: 'browser', origins: [PAGE], project_id };
  const visitor = new WebVisitor();
  await signInAs(visitor, service.baseUrl, PERSON);
  return {
    token: await service.token(),
    apiKey: service.credentials.api_key,
    browserKey: (await service.ok('POST', '/create-api-key', pageKey)).api_key,
    cookie: `kindred-session=${visitor.cookies.get(`${new URL(service.baseUrl).host} kindred-session`)}`,
  };
}
