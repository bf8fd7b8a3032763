// The audit log over the API: every change is in it before its call returns, and nothing that must not be.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEmptyProject } from '../support/empty-project.ts';
import { eventually } from '../support/eventually.ts';
import { ApiCaller, startTestService, type TestService } from '../support/service.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

interface Entry {
  operation: string;
  object_id: string | null;
  summary: string;
  calls: number;
  records: number;
  actor: { kind: string; id: string; name: string | null };
  created_ts: number;
}

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`audit log over the API on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    const env = () => ({ KINDRED_DATA_DIR: place.dataDir, KINDRED_DATABASE_URL: place.databaseUrl ?? '' });

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService(env());
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const list = async (filter: object = {}): Promise<Entry[]> =>
      (await service.ok('GET', '/list-audit-entries', filter)).audit_entries;

    test('a change is in the log when its call returns: who, when, what, without secrets', async () => {
      const before = Date.now();
      const made = await service.ok('POST', '/create-api-key', { name: 'ci', scopes: ['/create-user-dataset'] });
      const [entry] = await list({ operation: '/create-api-key' });
      const { api_keys } = await service.ok('GET', '/list-api-keys');
      const own = api_keys.find((key: { current: boolean }) => key.current);
      assert.deepEqual(entry.actor, { kind: 'key', id: own.key_id, name: 'first key' });
      assert.deepEqual([entry.object_id, entry.summary], [made.key_id, 'name: "ci", scopes: /create-user-dataset']);
      assert.ok(entry.created_ts >= before && entry.created_ts <= Date.now());

      await new ApiCaller(service.baseUrl, made).ok('POST', '/create-user-dataset', { name: 'users' });
      const [byKey] = await list({ key_id: made.key_id });
      assert.deepEqual([byKey.operation, byKey.actor.name], ['/create-user-dataset', 'ci']);
      await service.ok('POST', '/rotate-api-key', { key_id: made.key_id });
      const text = JSON.stringify(await list());
      assert.doesNotMatch(text, new RegExp(`ks_|${made.api_key}|${made.client_secret}`));
    });

    test('a call that was refused and a call that only reads leave no entry', async () => {
      const count = (await list()).length;
      await service.call('POST', '/create-project', { name: 'x' });
      await service.call('DELETE', '/delete-model', { project_id: 'prj_none', model_id: 'mdl_none' });
      await service.call('POST', '/recommend-items-to-user', { user_id: 'u' });
      await service.ok('GET', '/list-projects');
      assert.equal((await list()).length, count);
    });

    test('calls that write records are one entry per key, dataset and hour, without ids of users', async () => {
      const { event_dataset_id, user_dataset_id } = await createEmptyProject(service);
      const users = [{ user_id: 'jane@example.org' }, { user_id: 'joe@example.org' }];
      for (let n = 0; n < 5; n++) await service.ok('POST', '/upsert-dataset-users', { user_dataset_id, users });
      for (const { user_id } of users) {
        await service.ok('DELETE', '/delete-dataset-user-events', { event_dataset_id, user_id });
        await service.ok('DELETE', '/delete-dataset-users', { user_dataset_id, user_ids: [user_id] });
      }
      const sum = (entries: Entry[], of: 'calls' | 'records') => entries.reduce((total, entry) => total + entry[of], 0);
      const deletes = await list({ operation: '/delete-dataset-users' });
      // Two when the hour changed in between.
      assert.ok(deletes.length <= 2);
      assert.deepEqual([sum(deletes, 'calls'), sum(deletes, 'records')], [2, 2]);
      let upserts = await list({ operation: '/upsert-dataset-users' });
      await eventually(async () => {
        upserts = await list({ operation: '/upsert-dataset-users' });
        return sum(upserts, 'calls') >= 5;
      });
      assert.deepEqual([sum(upserts, 'calls'), sum(upserts, 'records')], [5, 10]);
      assert.equal(upserts[0].object_id, user_dataset_id);
      assert.doesNotMatch(JSON.stringify(await list()), /example\.org/);
    });

    test('counts that were not written yet are written when the service stops', async () => {
      const { item_dataset_id } = await createEmptyProject(service, 'second');
      await service.ok('POST', '/upsert-dataset-items', { item_dataset_id, items: [{ item_id: 'i1' }] });
      await service.stop();
      service = await startTestService(env());
      const entries = await list({ operation: '/upsert-dataset-items' });
      assert.equal(entries.find((entry) => entry.object_id === item_dataset_id)?.records, 1);
    });

    test('pages hold the log whole, filters by time narrow it', async () => {
      const all = await list();
      assert.ok(all.length >= 5);
      const paged: Entry[] = [];
      let page_token: string | null = null;
      do {
        const page = await service.ok('GET', '/list-audit-entries', {
          page_size: '3',
          ...(page_token && { page_token }),
        });
        paged.push(...page.audit_entries);
        page_token = page.next_page_token;
      } while (page_token !== null);
      assert.deepEqual(paged, all);
      const middle = all[2].created_ts;
      assert.ok((await list({ from_ts: String(middle) })).every(({ created_ts }) => created_ts >= middle));
      assert.ok((await list({ to_ts: String(middle) })).every(({ created_ts }) => created_ts < middle));
    });
  });
}

test('what is not in the log only reads: a new call that changes something is logged unless it says otherwise', async () => {
  const service = await startTestService();
  try {
    const { body } = await service.call('GET', '/openapi.json', undefined, { anonymous: true });
    const READS =
      /^\/(oauth2\/token|recommend-|rank-|list-|record-impressions|projects\/|call-placement|compose-page|preview-placement)/;
    const modes = new Map<string, number>();
    for (const [path, methods] of Object.entries<Record<string, { 'x-audit': string }>>(body.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const mode = operation['x-audit'];
        modes.set(mode, (modes.get(mode) ?? 0) + 1);
        if (method === 'get') assert.equal(mode, 'none', path);
        else assert.equal(mode === 'none', READS.test(path), `${path} is ${mode} in the log`);
      }
    }
    assert.ok(modes.get('each')! > 15 && modes.get('hourly')! > 3 && modes.get('counted')! > 3);
  } finally {
    await service.stop();
  }
});
