import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { type Asked, type Scripted, startScriptedServer } from '../../test/support/scripted-server.ts';
import { Kindred, KindredError, KindredJobError, type KindredOptions } from './index.ts';

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serviceThat(
  respond: (asked: Asked, nth: number) => Scripted | Promise<Scripted>,
  options: Partial<KindredOptions> = {},
) {
  let tokens = 0;
  const server = await startScriptedServer((asked, nth) => {
    if (asked.path !== '/oauth2/token') return respond(asked, nth);
    tokens += 1;
    return { body: { access_token: `token-${tokens}`, token_type: 'Bearer', expires_in: 3600, scope: '*' } };
  });
  servers.push(server);
  const kindred = new Kindred({
    baseUrl: server.baseUrl,
    apiKey: 'key',
    clientSecret: 'secret',
    retry: { baseDelayMs: 1, maxDelayMs: 2 },
    ...options,
  });
  const calls = (path: string) => server.asked.filter((asked) => asked.path === path);
  return { kindred, server, calls };
}

const problem = (status: number, code: string, more: object = {}): Scripted => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body: { type: 'about:blank', title: code, status, detail: `about ${code}`, code, request_id: 'req-1', ...more },
});

test('calls made at once share one token and carry both headers', async () => {
  const { kindred, calls } = await serviceThat(() => ({ body: { projects: [], next_page_token: null } }));
  await Promise.all([kindred.listProjects(), kindred.listProjects(), kindred.listProjects({ page_size: 5 })]);
  assert.equal(calls('/oauth2/token').length, 1);
  const form = new URLSearchParams(calls('/oauth2/token')[0].body);
  assert.deepEqual(Object.fromEntries(form), {
    grant_type: 'client_credentials',
    client_id: 'key',
    client_secret: 'secret',
    scope: '*',
  });
  for (const call of calls('/list-projects')) {
    assert.equal(call.headers.authorization, 'Bearer token-1');
    assert.equal(call.headers.apikey, 'key');
  }
  assert.ok(calls('/list-projects').some((call) => call.query.get('page_size') === '5'));
});

test('with scope per-call each operation asks for a token of its own path alone', async () => {
  const { kindred, calls } = await serviceThat(() => ({ body: {} }), { scope: 'per-call' });
  await kindred.getProject({ project_id: 'prj_1' });
  await kindred.getProject({ project_id: 'prj_2' });
  await kindred.shutdownDeployment({ project_id: 'prj_1' });
  const scopes = calls('/oauth2/token').map((call) => new URLSearchParams(call.body).get('scope'));
  assert.deepEqual(scopes, ['/get-project', '/shutdown-deployment']);
});

test('a refused token is renewed once, also for a call that may not be repeated', async () => {
  const { kindred, calls } = await serviceThat((asked) =>
    asked.headers.authorization === 'Bearer token-1' ? problem(401, 'TOKEN_EXPIRED') : { body: { job_id: 'job_1' } },
  );
  const request = { project_id: 'prj_1', algorithm_id: 'alg_1' };
  assert.deepEqual(await kindred.submitTrainingJob(request), { job_id: 'job_1' });
  assert.equal(calls('/submit-training-job').length, 2);
  assert.equal(calls('/oauth2/token').length, 2);
});

test('credentials that stay refused are an error after one renewal', async () => {
  const { kindred, calls } = await serviceThat(() => problem(401, 'UNAUTHENTICATED'));
  await assert.rejects(kindred.getAccount(), { name: 'KindredError', code: 'UNAUTHENTICATED', status: 401 });
  assert.equal(calls('/get-account').length, 2);
});

test('a problem document becomes an error with code, status, fields and request id', async () => {
  const { kindred } = await serviceThat(() =>
    problem(400, 'INVALID_REQUEST', { errors: [{ pointer: '/name', message: 'must be a string' }] }),
  );
  await assert.rejects(kindred.createUserDataset({ name: 'users' }), (error) => {
    assert.ok(error instanceof KindredError);
    assert.equal(error.code, 'INVALID_REQUEST');
    assert.equal(error.status, 400);
    assert.equal(error.requestId, 'req-1');
    assert.deepEqual(error.errors, [{ pointer: '/name', message: 'must be a string' }]);
    assert.match(error.message, /\/name must be a string/);
    return true;
  });
});

for (const [status, code] of [
  [408, 'REQUEST_TIMEOUT'],
  [429, 'RATE_LIMITED'],
] as const) {
  test(`${status} is retried for every call, also a submission`, async () => {
    const { kindred, calls } = await serviceThat((_asked, nth) =>
      nth < 3 ? { ...problem(status, code), headers: { 'retry-after': '0' } } : { body: { job_id: 'job_1' } },
    );
    await kindred.submitTrainingJob({ project_id: 'prj_1', algorithm_id: 'alg_1' });
    assert.equal(calls('/submit-training-job').length, 3);
  });
}

test('a service that asks for more than a minute is not waited for', async () => {
  const { kindred, calls } = await serviceThat(() => ({
    ...problem(503, 'OVERLOADED'),
    headers: { 'retry-after': '3600' },
  }));
  await assert.rejects(kindred.getAccount(), { code: 'OVERLOADED', retryAfterSec: 3600 });
  assert.equal(calls('/get-account').length, 1);
});

test('a submission whose connection breaks is not sent again, an upsert is', async () => {
  const { kindred, calls } = await serviceThat((asked, nth) =>
    asked.path === '/submit-training-job' || nth < 3
      ? { cut: true }
      : { body: { user_dataset_id: 'uds_1', succeed_ids: ['u'], failed_ids: [], failures: [] } },
  );
  const submission = kindred.submitTrainingJob({ project_id: 'prj_1', algorithm_id: 'alg_1' });
  await assert.rejects(submission, { code: 'CONNECTION_FAILED', status: 0 });
  assert.equal(calls('/submit-training-job').length, 1);
  await kindred.upsertDatasetUsers({ user_dataset_id: 'uds_1', users: [{ user_id: 'u' }] });
  assert.equal(calls('/upsert-dataset-users').length, 3);
});

test('a change of a placement whose connection breaks is not sent again: its own version would refuse it', async () => {
  const { kindred, calls } = await serviceThat((_asked, nth) =>
    nth === 1 ? { cut: true } : problem(409, 'PLACEMENT_CHANGED'),
  );
  const change = kindred.updatePlacement({ project_id: 'prj_1', name: 'home', rules: [], expected_version: 1 });
  await assert.rejects(change, { code: 'CONNECTION_FAILED' });
  assert.equal(calls('/update-placement').length, 1);
});

test('a 503 that may hide finished work is retried only for calls that may be repeated', async () => {
  const { kindred, calls } = await serviceThat(() => problem(503, 'STORE_UNAVAILABLE'), {
    retry: { maxRetries: 2, baseDelayMs: 1 },
  });
  await assert.rejects(kindred.createProject({} as never), { code: 'STORE_UNAVAILABLE' });
  await assert.rejects(kindred.getProject({ project_id: 'prj_1' }), { code: 'STORE_UNAVAILABLE' });
  assert.equal(calls('/create-project').length, 1);
  assert.equal(calls('/get-project').length, 3);
});

test('a call without a response ends with TIMEOUT, an aborted one with its own reason', async () => {
  const { kindred } = await serviceThat(() => new Promise<Scripted>(() => {}), { retry: { maxRetries: 0 } });
  await assert.rejects(kindred.getAccount({}, { timeoutMs: 50 }), { code: 'TIMEOUT' });
  const controller = new AbortController();
  const call = kindred.getAccount({}, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 20);
  await assert.rejects(call, { message: 'enough' });
});

test('large bodies are compressed if the option is set', async () => {
  const { kindred, calls } = await serviceThat(
    () => ({ body: { item_dataset_id: 'ids_1', succeed_ids: [], failed_ids: [], failures: [] } }),
    { gzip: true },
  );
  const items = Array.from({ length: 500 }, (_, index) => ({
    item_id: `item-${index}`,
    attributes: { color: 'red' },
  }));
  await kindred.upsertDatasetItems({ item_dataset_id: 'ids_1', items });
  const [call] = calls('/upsert-dataset-items');
  assert.equal(call.headers['content-encoding'], 'gzip');
  assert.deepEqual(JSON.parse(call.body).items, items);
});

test('bulk upserts cut a stream into batches, pull no faster than they send, and report refused records', async () => {
  let inFlight = 0;
  let mostInFlight = 0;
  let pulled = 0;
  let responded = 0;
  let mostAhead = 0;
  const { kindred, calls } = await serviceThat(async (asked) => {
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    const events = JSON.parse(asked.body).events as { event_id: string }[];
    mostAhead = Math.max(mostAhead, pulled - responded);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inFlight -= 1;
    responded += events.length;
    const failures = events.flatMap(({ event_id }, index) =>
      event_id === 'e1500' ? [{ index, id: event_id, code: 'INVALID_RECORD', message: 'ts is missing' }] : [],
    );
    const succeed_ids = events.map(({ event_id }) => event_id).filter((id) => id !== 'e1500');
    const warnings = events.flatMap(({ event_id }, index) =>
      event_id === 'e2500' ? [{ index, id: event_id, code: 'SUSPICIOUS_TIME', message: 'ts is before 2000' }] : [],
    );
    const failed_ids = failures.map(({ id }) => id);
    return { body: { event_dataset_id: 'eds_1', succeed_ids, failed_ids, failures, warnings } };
  });
  async function* events() {
    for (let index = 0; index < 5500; index++) {
      pulled += 1;
      yield { event_id: `e${index}`, user_id: 'u', item_id: 'i', ts: index, event_type: 'view' };
    }
  }
  const seen: number[] = [];
  const warned: [number, string][] = [];
  const result = await kindred.bulkUpsertEvents('eds_1', events(), {
    parallel: 2,
    onWarning: ({ position, record }) => warned.push([position, record.event_id]),
    onProgress: ({ submitted }) => seen.push(submitted),
  });
  assert.equal(calls('/upsert-dataset-events').length, 6);
  assert.deepEqual([result.submitted, result.succeeded, result.failed], [5500, 5499, 1]);
  assert.deepEqual([result.warned, warned], [1, [[2500, 'e2500']]]);
  assert.equal(result.failures[0].position, 1500);
  assert.equal(result.failures[0].record.event_id, 'e1500');
  assert.equal(mostInFlight, 2);
  assert.ok(mostAhead <= 3001, `pulled ${mostAhead} records ahead`);
  assert.equal(seen.at(-1), 5500);
});

test('a bulk upsert takes a web stream, and stops at the first call that fails', async () => {
  const { kindred, calls } = await serviceThat(() => problem(404, 'DATASET_NOT_FOUND'));
  let cancelled = false;
  const users = new ReadableStream<{ user_id: string }>({
    pull: (controller) => controller.enqueue({ user_id: 'u' }),
    cancel: () => {
      cancelled = true;
    },
  });
  await assert.rejects(kindred.bulkUpsertUsers('uds_none', users, { parallel: 1 }), { code: 'DATASET_NOT_FOUND' });
  assert.equal(calls('/upsert-dataset-users').length, 1);
  assert.ok(cancelled);
});

test('waitForJob reports each change and returns the finished job', async () => {
  const job = (job_status: string, fraction: number) => ({
    body: { job_id: 'job_1', job_type: 'TRAINING', job_status, progress: { fraction, phase: 'fit', message: '' } },
  });
  const { kindred } = await serviceThat((_asked, nth) => job(nth < 4 ? 'RUNNING' : 'SUCCEED', nth < 3 ? 0.5 : 1));
  const seen: string[] = [];
  const done = await kindred.waitForJob(
    { project_id: 'prj_1', job_id: 'job_1' },
    { maxPollMs: 2, onProgress: ({ fraction }, { job_status }) => seen.push(`${job_status} ${fraction}`) },
  );
  assert.equal(done.job_status, 'SUCCEED');
  assert.deepEqual(seen, ['RUNNING 0.5', 'RUNNING 1', 'SUCCEED 1']);
});

test('waitForJob throws what made a job fail', async () => {
  const { kindred } = await serviceThat(() => ({
    body: {
      job_id: 'job_1',
      job_type: 'TRAINING',
      job_status: 'FAILED',
      progress: { fraction: 0, phase: '', message: '' },
      failure_reason: { code: 'NO_TARGET_EVENTS', message: 'no event has the type purchase' },
    },
  }));
  await assert.rejects(kindred.waitForJob({ project_id: 'prj_1', job_id: 'job_1' }), (error) => {
    assert.ok(error instanceof KindredJobError);
    assert.equal(error.code, 'NO_TARGET_EVENTS');
    assert.equal(error.job.job_status, 'FAILED');
    return true;
  });
});

test('waitForJob ends at once with the reason of its signal, fired between two looks or before the first', async () => {
  const running = {
    body: { job_id: 'job_1', job_status: 'RUNNING', progress: { fraction: 0, phase: '', message: '' } },
  };
  const reason = new Error('the page was left');
  const { kindred, calls } = await serviceThat(() => running);
  const between = new AbortController();
  await assert.rejects(
    kindred.waitForJob(
      { project_id: 'prj_1', job_id: 'job_1' },
      { signal: between.signal, onProgress: () => setImmediate(() => between.abort(reason)) },
    ),
    reason,
  );
  assert.equal(calls('/get-job').length, 1);
  const before = AbortSignal.abort(reason);
  await assert.rejects(kindred.waitForJob({ project_id: 'prj_1', job_id: 'job_1' }, { signal: before }), reason);
  assert.equal(calls('/get-job').length, 1);
});

test('lists are walked page by page', async () => {
  const { kindred, calls } = await serviceThat((asked) =>
    asked.query.get('page_token') === 'second'
      ? { body: { models: [{ model_id: 'mdl_1' }], next_page_token: null } }
      : { body: { models: [{ model_id: 'mdl_3' }, { model_id: 'mdl_2' }], next_page_token: 'second' } },
  );
  const ids: string[] = [];
  for await (const { model_id } of kindred.iterateModels({ project_id: 'prj_1' })) ids.push(model_id);
  assert.deepEqual(ids, ['mdl_3', 'mdl_2', 'mdl_1']);
  assert.equal(calls('/list-models').length, 2);
});

test('calls go to the serving address when one is given, and those that are not there refuse it', async () => {
  const { kindred, server, calls } = await serviceThat(() => ({ body: { results: [] } }));
  const at = { servingUri: `${server.baseUrl}/projects/prj_1` };
  const sentTo = (path: string) => calls(`/projects/prj_1${path}`).map(({ body }) => JSON.parse(String(body)));
  await kindred.recommendItemsToUser({ user_id: 'u' }, at);
  await kindred.recommendItemsToItem({ item_id: 'i' }, at);
  await kindred.rankItemsToUser({ user_id: 'u', item_ids: ['i'] }, at);
  await kindred.callPlacement({ placement: 'home-page', user_id: 'u' }, at);
  await kindred.composePage({ placements: [{ name: 'home-page' }] }, at);
  assert.deepEqual(sentTo('/recommend-items-to-user'), [{ user_id: 'u' }]);
  assert.deepEqual(sentTo('/recommend-items-to-item'), [{ item_id: 'i' }]);
  assert.deepEqual(sentTo('/rank-items-to-user'), [{ user_id: 'u', item_ids: ['i'] }]);
  assert.deepEqual(sentTo('/placements/home-page'), [{ user_id: 'u' }]);
  assert.deepEqual(sentTo('/page'), [{ placements: [{ name: 'home-page' }] }]);
  const other: object = at;
  await assert.rejects(kindred.getProject({ project_id: 'prj_1' }, other), /\/get-project does not take servingUri/);
});

test('a download carries no credentials and keeps the signed link whole', async () => {
  const { kindred, server, calls } = await serviceThat(() => ({ body: 'a,b\n' }));
  const job_result = { download_url: `${server.baseUrl}/results/r?signature=s` };
  assert.equal(await kindred.downloadResult({ job_result }, 'csv'), 'a,b\n');
  const [call] = calls('/results/r');
  assert.equal(call.query.get('signature'), 's');
  assert.equal(call.query.get('format'), 'csv');
  assert.equal(call.headers.authorization, undefined);
  assert.equal(call.headers.apikey, undefined);
});

test('the type of a created key says by its kind whether it has a secret', async () => {
  const { kindred } = await serviceThat((asked) => {
    const isBrowser = JSON.parse(String(asked.body)).kind === 'browser';
    return { body: { api_key: 'k', ...(!isBrowser && { client_secret: 's' }) } };
  });
  const { client_secret } = await kindred.createApiKey({ name: 'server' });
  const ofServer: string = client_secret;
  const browser = { name: 'page', kind: 'browser', origins: ['https://shop.example'], project_id: 'prj_1' } as const;
  const ofBrowser: undefined = (await kindred.createApiKey({ ...browser, origins: [...browser.origins] }))
    .client_secret;
  assert.deepEqual([ofServer, ofBrowser], ['s', undefined]);
});
