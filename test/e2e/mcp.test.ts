// `kindred mcp` with the official client: tools on real data, with the scopes of the key and no more.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { eventually } from '../support/eventually.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, succeed, type TasteProject } from '../support/taste-project.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

let service: TestService;
let project: TasteProject;
/** With the key of docs/assistants.md. */
let client: Client;
const clients: Client[] = [];

before(async () => {
  service = await startTestService({ KINDRED_ROLES: 'api,worker' });
  project = await createTasteProject(service);
  const { project_id, algorithm_id } = project;
  const trained = await succeed(service, '/submit-training-job', { project_id, algorithm_id });
  const { model_id } = trained.job_result;
  await succeed(service, '/submit-deployment-job', { project_id, generator_model_id: model_id });
  const page = readFileSync(new URL('../../docs/assistants.md', import.meta.url), 'utf8');
  const scopes = /--scopes (\S+)/.exec(page)![1].split(',');
  client = await connect(await service.ok('POST', '/create-api-key', { name: 'as in the docs', scopes }));
});
after(async () => {
  for (const each of clients) await each.close();
  await service?.stop();
});

const envOf = ({ api_key, client_secret }: { api_key: string; client_secret: string }) => ({
  ...(process.env as Record<string, string>),
  KINDRED_BASE_URL: service.baseUrl,
  KINDRED_API_KEY: api_key,
  KINDRED_CLIENT_SECRET: client_secret,
});

async function connect(credentials: { api_key: string; client_secret: string }): Promise<Client> {
  const connected = new Client({ name: 'test', version: '1' });
  await connected.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp'],
      env: envOf(credentials),
    }),
  );
  clients.push(connected);
  return connected;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into responses freely.
async function use(by: Client, name: string, given: Record<string, unknown> = {}): Promise<any> {
  const { content, isError } = await by.callTool({ name, arguments: given });
  const [first] = content as { text: string }[];
  return isError ? { error: first.text } : JSON.parse(first.text);
}

test('an assistant reads data health, explains a list, finds an audience and reads reports', async () => {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), [
    'draft_placement',
    'explain_recommendations',
    'find_audience',
    'get_data_health',
    'get_placement_report',
    'list_items',
    'list_placements',
    'list_projects',
  ]);
  assert.equal(tools.find(({ name }) => name === 'list_items')?.annotations?.readOnlyHint, true);
  assert.equal((await use(client, 'list_projects')).projects[0].project_id, project.project_id);
  const health = await use(client, 'get_data_health', { project: 'films' });
  assert.equal(health.status.data.items, 60);
  const items = await use(client, 'list_items', { search: 'Film 17', limit: 3 });
  assert.equal(items.records[0].attributes.title, 'Film 17');

  const list = await use(client, 'explain_recommendations', { user_id: 'u4', limit: 5 });
  assert.ok(list.results.length > 0);
  assert.ok(list.results[0].reasons.length > 0, JSON.stringify(list.results[0]));
  const { item_id } = list.results[0].item;
  const one = await use(client, 'explain_recommendations', { user_id: 'u4', item_id });
  assert.deepEqual([one.position, one.result.item.item_id], [1, item_id]);
  const none = await use(client, 'explain_recommendations', { user_id: 'u4', item_id: 'no such item' });
  assert.equal(none.position, null);

  const conditions = [{ attribute: 'genre', value: 'Horror', min_affinity: 0.1 }];
  const audience = await use(client, 'find_audience', { conditions, limit: 5 });
  assert.ok(audience.count > 0 && audience.users.length <= 5, JSON.stringify(audience));
  const affinities: number[] = audience.users.map(({ usages }: { usages: number[] }) => usages[0]);
  assert.deepEqual(
    affinities,
    [...affinities].sort((x, y) => y - x),
  );
  assert.ok(affinities.every((affinity) => affinity >= 0.1));
  const again = await use(client, 'find_audience', { job_id: audience.job_id, limit: 1 });
  assert.deepEqual(again.users, audience.users.slice(0, 1));
  assert.deepEqual((await use(client, 'get_placement_report', { days: 7 })).by, 'total');
});

test('a drafted placement is checked and previewed, and changes nothing', async () => {
  const definition = { kind: 'for_you', defaults: { limit: 3, filter_query: "genre = 'Drama'" } };
  const draft = await use(client, 'draft_placement', { definition, user_id: 'u0' });
  assert.equal(draft.saved, false);
  assert.deepEqual(draft.definition, definition);
  assert.ok(draft.preview.results.length > 0, JSON.stringify(draft));
  assert.deepEqual((await use(client, 'list_placements')).placements, []);
  const wrong = await use(client, 'draft_placement', { definition: { kind: 'nonsense' }, user_id: 'u0' });
  assert.match(wrong.error, /definition/);
});

test('a key is offered the tools it covers, and no other tool runs', async () => {
  const scopes = ['/list-projects', '/list-dataset-records', '/list-placements'];
  const limited = await connect(await service.ok('POST', '/create-api-key', { name: 'assistant', scopes }));
  const { tools } = await limited.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), ['list_items', 'list_placements', 'list_projects']);
  assert.match(limited.getInstructions() ?? '', /does not cover: get_data_health, explain_recommendations/);
  assert.equal((await use(limited, 'list_items', { limit: 1 })).records.length, 1);
  await assert.rejects(use(limited, 'explain_recommendations', { user_id: 'u0' }), /explain_recommendations/);
});

test('wrong arguments and errors of the service are told to the assistant', async () => {
  const refused = await use(client, 'list_items', { limit: 'many' }).catch((error) => ({ error: String(error) }));
  assert.match(refused.error, /limit/);
  assert.match((await use(client, 'list_items', { project: 'nothing' })).error, /project nothing was not found/);
  const filter = await use(client, 'explain_recommendations', { user_id: 'u0', filter_query: 'genre ==' });
  assert.match(filter.error, /INVALID_FILTER/);
});

test('Ctrl-C ends the command, also while a tool runs', async () => {
  const queries = async () => (await service.ok('GET', '/list-jobs', { job_type: 'QUERYING' })).jobs.length;
  const before = await queries();
  const child = spawn(process.execPath, [MAIN, 'mcp'], { env: envOf(service.credentials) });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  await once(child.stdout, 'data');
  const conditions = [{ attribute: 'genre', value: 'Horror' }];
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'find_audience', arguments: { conditions } } });
  await eventually(async () => (await queries()) > before);
  child.kill('SIGINT');
  let told = '';
  child.stderr.on('data', (text) => {
    told += text;
  });
  assert.deepEqual(await once(child, 'exit'), [130, null]);
  assert.equal(told, 'kindred: interrupted\n');
});
