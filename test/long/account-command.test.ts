// `kindred account`: accounts, plans and keys from the command line, while the service runs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { createEmptyProject } from '../support/empty-project.ts';
import { ApiCaller, startTestService, type TestService } from '../support/service.ts';
import { createTasteProject } from '../support/taste-project.ts';

const run = promisify(execFile);
const ENTRY = join(import.meta.dirname, '../../bin/kindred.js');

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const kindred = (...words: string[]) =>
  run(process.execPath, [ENTRY, ...words], { env: { ...process.env, KINDRED_DATA_DIR: service.dataDir } });

test('a new account can call at once, within its plan', async () => {
  const { stdout } = await kindred('account', 'create', 'acme', '--max-event-shards', '12', '--json');
  const made = JSON.parse(stdout);
  const acme = new ApiCaller(service.baseUrl, made);
  const account = await acme.ok('GET', '/get-account');
  assert.equal(account.name, 'acme');
  assert.equal(account.account_id, made.account_id);
  assert.equal(account.plan.max_event_shards, 12);
  await acme.ok('POST', '/create-event-dataset', { name: 'e' });
  assert.equal((await acme.call('POST', '/create-event-dataset', { name: 'e' })).body.code, 'PLAN_LIMIT_EXCEEDED');
  await kindred('account', 'update', 'acme', '--max-event-shards', '20');
  await acme.ok('POST', '/create-event-dataset', { name: 'e' });
  const { user_dataset_id } = await acme.ok('POST', '/create-user-dataset', { name: 'u' });
  const upsert = (attributes: object) =>
    acme.call('POST', '/upsert-dataset-users', { user_dataset_id, users: [{ user_id: 'u', attributes }] });
  await kindred('account', 'update', 'acme', '--max-storage-bytes', '1000');
  const refused = await upsert({ text: 'x'.repeat(1000) });
  assert.equal(refused.status, 403);
  assert.equal(refused.body.code, 'PLAN_LIMIT_EXCEEDED');
  assert.equal((await upsert({})).status, 200);
  const { plan, usage } = await acme.ok('GET', '/get-account');
  assert.equal(plan.max_storage_bytes, 1000);
  assert.deepEqual(usage, { event_shards: 20, training_hours: 0, storage_bytes: 67 });
});

test('the default project of an account is chosen among its own', async () => {
  const { stdout } = await kindred('account', 'create', 'chooser', '--json');
  const chooser = new ApiCaller(service.baseUrl, JSON.parse(stdout));
  const { project_id } = await createTasteProject(chooser);
  assert.equal((await chooser.ok('GET', '/get-account')).default_project_id, null);
  await kindred('account', 'update', 'chooser', '--default-project', project_id);
  assert.equal((await chooser.ok('GET', '/get-account')).default_project_id, project_id);
  const foreign = kindred('account', 'update', 'acme', '--default-project', project_id);
  await assert.rejects(foreign, /Project prj_\w+ was not found in this account/);
});

test('a name is given once, and what is not there is told', async () => {
  await kindred('account', 'create', 'twice');
  await assert.rejects(kindred('account', 'create', 'twice'), (error: { code: number; stderr: string }) => {
    assert.match(error.stderr, /already an account "twice"/);
    return error.code === 3;
  });
  await assert.rejects(kindred('account', 'keys', 'nobody'), /there is no account "nobody"/);
  await assert.rejects(kindred('account', 'create', 'x', '--max-qps', 'many'), { code: 2 });
});

test('accounts and keys are listed without secrets, and keys are created', async () => {
  const { stdout } = await kindred('account', 'keys', 'default', '--create', 'ci', '--json');
  const made = JSON.parse(stdout);
  assert.equal((await new ApiCaller(service.baseUrl, made).call('GET', '/get-account')).status, 200);
  const keys = JSON.parse((await kindred('account', 'keys', 'default', '--json')).stdout).api_keys;
  assert.deepEqual(
    keys.map((key: { name: string }) => key.name),
    ['ci', 'first key'],
  );
  assert.doesNotMatch(JSON.stringify(keys), /hash|client_secret|ks_/);
  assert.match((await kindred('account', 'list')).stdout, /default/);
});

test('the command line makes keys that expire and keys for browsers, and rotates secrets', async () => {
  const key = async (...args: string[]) =>
    JSON.parse((await kindred('account', 'keys', 'default', ...args, '--json')).stdout);
  const short = await key('--create', 'short', '--expires', '2999-12-31');
  assert.equal(short.expires_ts, Date.UTC(2999, 11, 31));
  const rotated = await key('--rotate', short.key_id, '--grace-hours', '0');
  const [before, after] = [short, { ...short, client_secret: rotated.client_secret }];
  await assert.rejects(new ApiCaller(service.baseUrl, before).token(), /invalid_client/);
  assert.equal((await new ApiCaller(service.baseUrl, after).call('GET', '/get-account')).status, 200);

  const { project_id } = await createTasteProject(service);
  const pages = await key('--create', 'pages', '--browser', 'https://shop.example', '--project', project_id);
  assert.deepEqual([pages.kind, pages.api_key, pages.client_secret], ['browser', pages.key_id, undefined]);
  const named = await key('--create', 'more', '--browser', 'https://shop.example', '--project', 'films');
  assert.equal(named.project_id, project_id);
  await assert.rejects(key('--create', 'pages', '--browser', 'https://shop.example'), { code: 2 });
  await assert.rejects(key('--create', 'pages', '--browser', 'https://shop.example/', '--project', 'prj_1'), {
    code: 2,
  });
  await assert.rejects(key('--rotate', pages.key_id), { code: 3 });
});

test('changes on the command line are in the audit log', async () => {
  const { stdout } = await kindred('account', 'create', 'operated', '--json');
  const made = JSON.parse(stdout);
  const operated = new ApiCaller(service.baseUrl, made);
  await kindred('account', 'update', 'operated', '--max-qps', '7');
  await kindred('account', 'keys', 'operated', '--create', 'ci', '--scopes', '/track');
  const { audit_entries } = await operated.ok('GET', '/list-audit-entries');
  assert.deepEqual(
    audit_entries.map(({ operation, actor, summary }: Record<string, never>) => [
      operation,
      (actor as { kind: string }).kind,
      summary,
    ]),
    [
      ['kindred account keys --create', 'operator', 'name: "ci", kind: "secret", scopes: /track'],
      ['kindred account update', 'operator', 'maxQps'],
      ['kindred account create', 'operator', ''],
    ],
  );
});

test('an event is tracked, a mapping kept and the audit log read from the command line', async () => {
  const { project_id, event_dataset_id } = await createEmptyProject(service, 'from-the-shell');
  const json = async (...args: string[]) => JSON.parse((await kindred(...args, '--json')).stdout);
  const tracked = await json('track', 'u1', 'i1', '--project', project_id, '--type', 'purchase', '--value', '3');
  const [event_id] = tracked.event_ids;
  assert.equal((await service.ok('GET', '/get-dataset-record', { event_dataset_id, event_id })).event_value, 3);

  const mapping = { events: { Played: { event_type: 'play', item_id: 'properties.song' } } };
  const file = join(service.dataDir, 'mapping.json');
  await writeFile(file, JSON.stringify(mapping));
  const kept = await json('segment', '--project', project_id, '--mapping', file);
  assert.deepEqual(kept.segment_mapping, mapping);
  assert.equal((await json('segment', '--project', project_id, '--reset')).segment_mapping, null);

  const { audit_entries } = await json('audit', '--operation', '/update-project', '--limit', '2');
  assert.deepEqual(
    audit_entries.map((entry: { object_id: string }) => entry.object_id),
    [project_id, project_id],
  );
  assert.match((await kindred('audit')).stdout, /\/update-project/);
});
