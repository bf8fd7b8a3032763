// Threats of docs/security.md that no other test meets.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('no call works without credentials except those declared open', async () => {
  const { body: description } = await service.call('GET', '/openapi.json', undefined, { anonymous: true });
  const open: string[] = [];
  for (const [path, methods] of Object.entries(
    description.paths as Record<string, Record<string, { security: object[] }>>,
  )) {
    for (const [method, { security }] of Object.entries(methods)) {
      if (!security.some((way) => 'token' in way)) {
        open.push(path);
        continue;
      }
      const { status, body } = await service.call(method.toUpperCase(), path, undefined, { anonymous: true });
      assert.equal(status, 401, `${method} ${path}`);
      assert.equal(body.code, 'UNAUTHENTICATED', `${method} ${path}`);
    }
  }
  const meant = ['/healthz', '/metrics', '/oauth2/token', '/openapi.json', '/readyz', '/results/{result_id}'];
  assert.deepEqual(open.sort(), meant);
});

test('values never become part of a statement or a page', async () => {
  const hostile = `'; DROP TABLE event; -- " OR 1=1 \\ <script>alert(1)</script> %00 \${7*7} {{7*7}}`;
  const { item_dataset_id } = await service.ok('POST', '/create-item-dataset', { name: hostile });
  const { name } = await service.ok('GET', '/get-item-dataset', { item_dataset_id });
  assert.equal(name, hostile);
  const items = [{ item_id: hostile, attributes: { [hostile]: hostile } }];
  await service.ok('POST', '/upsert-dataset-items', { item_dataset_id, items });
  const record = await service.ok('GET', '/get-dataset-record', { item_dataset_id, item_id: hostile });
  assert.deepEqual(record.attributes, { [hostile]: hostile });
  const { records } = await service.ok('GET', '/list-dataset-records', { item_dataset_id, search: hostile });
  assert.equal(records.length, 1);
  const { records: none } = await service.ok('GET', '/list-dataset-records', {
    item_dataset_id,
    search: "' OR 1=1 --",
  });
  assert.equal(none.length, 0);
});

test('whoever tries secrets is held up after many failures, and the owner at the same address is not', async () => {
  const ask = (client_id: string, client_secret: string) =>
    fetch(`${service.baseUrl}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope: '*' }),
    });
  const { api_key, client_secret } = service.credentials;
  for (const key of ['kk_guessed', api_key]) {
    const statuses = new Set<number>();
    for (let n = 0; n < 70; n++) statuses.add((await ask(key, `guess-${n}`)).status);
    assert.deepEqual([...statuses], [401, 429]);
  }
  assert.equal((await ask(api_key, client_secret)).status, 200);
  const refused = await ask(api_key, 'wrong');
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
});
