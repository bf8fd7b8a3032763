// POST /ingest/segment: the example of docs/segment.md as it is there, deliveries that come again, and who may call.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createEmptyProject, type EmptyProject } from '../support/empty-project.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

const PAGE = readFileSync(new URL('../../docs/segment.md', import.meta.url), 'utf8');
const [MAPPING, DELIVERY, RESPONSE] = [...PAGE.matchAll(/```json\n(.*?)```/gs)].map(([, json]) => JSON.parse(json));
const basicOf = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const VIEWED = { type: 'track', event: 'Product Viewed', messageId: 'm', userId: 'u', properties: { product_id: 'p' } };

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`Segment on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: EmptyProject;
    let basic: string;

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService({
        KINDRED_DATA_DIR: place.dataDir,
        KINDRED_DATABASE_URL: place.databaseUrl ?? '',
      });
      project = await createEmptyProject(service);
      const made = await service.ok('POST', '/create-api-key', { name: 'segment', scopes: ['/ingest/segment'] });
      basic = basicOf(made.api_key, made.client_secret);
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const deliver = (body: unknown, headers: Record<string, string> = { authorization: basic }, query = '') =>
      service.call('POST', `/ingest/segment${query || `?project_id=${project.project_id}`}`, undefined, {
        anonymous: true,
        raw: JSON.stringify(body),
        headers,
      });
    const countEvents = async (): Promise<number> =>
      (await service.ok('GET', '/get-event-dataset', { event_dataset_id: project.event_dataset_id })).num_records;

    test('the example of the documentation does what it says, and again stores nothing more', async () => {
      await service.ok('PUT', '/update-project', { ...MAPPING, project_id: project.project_id });
      for (let times = 0; times < 2; times++) {
        const { status, body } = await deliver(DELIVERY);
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(body, { ...RESPONSE, project_id: project.project_id });
      }
      const { records } = await service.ok('GET', '/list-dataset-records', {
        event_dataset_id: project.event_dataset_id,
      });
      const facts = (record: Record<string, unknown>) => [
        record.item_id,
        record.event_type,
        record.event_value,
        record.attributes,
      ];
      assert.deepEqual(records.map(facts).sort(), [
        ['p-1', 'purchase', 2, {}],
        ['p-2', 'purchase', 1, {}],
        ['s-9', 'play', 3, { device: 'ios' }],
      ]);
      const { user_dataset_id } = project;
      assert.deepEqual(
        (await service.ok('GET', '/get-dataset-record', { user_dataset_id, user_id: 'u-1' })).attributes,
        {
          plan: 'pro',
        },
      );
    });

    test('traits that arrive at the same time for a user who is new are all kept', async () => {
      const { project_id, user_dataset_id } = project;
      const names = Array.from({ length: 10 }, (_, n) => `trait_${n}`);
      await service.ok('PUT', '/update-project', { project_id, segment_mapping: { traits: names } });
      const delivered = names.map((name) => deliver({ type: 'identify', userId: 'new', traits: { [name]: 1 } }));
      for (const { body } of await Promise.all(delivered)) assert.equal(body.users, 1);
      const { attributes } = await service.ok('GET', '/get-dataset-record', { user_dataset_id, user_id: 'new' });
      assert.deepEqual(Object.keys(attributes).sort(), names);
      await service.ok('PUT', '/update-project', { ...MAPPING, project_id });
    });

    test('traits are added to those a user has', async () => {
      const { user_dataset_id } = project;
      await service.ok('POST', '/upsert-dataset-users', {
        user_dataset_id,
        users: [{ user_id: 'u-2', attributes: { age: 30, plan: 'free' } }],
      });
      const identify = { type: 'identify', userId: 'u-2', traits: { plan: 'pro' } };
      assert.equal((await deliver(identify)).body.users, 1);
      const { attributes } = await service.ok('GET', '/get-dataset-record', { user_dataset_id, user_id: 'u-2' });
      assert.deepEqual(attributes, { age: 30, plan: 'pro' });
    });

    test('a trait of another type than the schema says is reported, and the others are stored', async () => {
      const { user_dataset_id } = project;
      await service.ok('PUT', '/update-user-dataset', { user_dataset_id, attribute_schema: { age: 'NUMERICAL' } });
      const identify = { type: 'identify', userId: 'u-3', traits: { plan: 'pro' } };
      await service.ok('PUT', '/update-project', {
        project_id: project.project_id,
        segment_mapping: { traits: ['age', 'plan'], attributes: { all: 'properties' } },
      });
      assert.equal((await deliver({ ...identify, traits: { age: 'old' } })).body.users, 0);
      const { body } = await deliver({ batch: [VIEWED, { ...identify, traits: { age: 'old', plan: 'pro' } }] });
      assert.deepEqual([body.stored, body.users], [1, 1]);
      assert.deepEqual(
        body.failures.map(({ index, code }: { index: number; code: string }) => [index, code]),
        [
          [0, 'ATTRIBUTE_TYPE_MISMATCH'],
          [1, 'ATTRIBUTE_TYPE_MISMATCH'],
        ],
      );
      const { attributes } = await service.ok('GET', '/get-dataset-record', { user_dataset_id, user_id: 'u-3' });
      assert.deepEqual(attributes, { plan: 'pro' });
      const metrics = (await service.call('GET', '/metrics', undefined, { anonymous: true })).body;
      assert.match(metrics, /^kindred_records_failed_total\{kind="user",code="ATTRIBUTE_TYPE_MISMATCH"\} 2$/m);
      assert.doesNotMatch(metrics, /kind="event",code="ATTRIBUTE_TYPE_MISMATCH"/, 'the event is stored');
      assert.equal((await deliver({ ...identify, traits: { age: 31 } })).body.users, 1);
      await service.ok('PUT', '/update-project', { ...MAPPING, project_id: project.project_id });
    });

    test('the mapping is kept with the project and can be taken back', async () => {
      const { project_id } = project;
      assert.deepEqual(
        (await service.ok('GET', '/get-project', { project_id })).segment_mapping,
        MAPPING.segment_mapping,
      );
      assert.equal((await service.ok('PUT', '/update-project', { project_id, name: 'renamed' })).name, 'renamed');
      const back = await service.ok('PUT', '/update-project', { project_id, segment_mapping: null });
      assert.deepEqual([back.segment_mapping, back.name], [null, 'renamed']);
      assert.equal((await deliver({ ...VIEWED, event: 'Song Played' })).body.skipped, 1);
      assert.equal(
        (await service.call('PUT', '/update-project', { project_id: 'prj_none' })).body.code,
        'PROJECT_NOT_FOUND',
      );
    });

    test('names and rules of a mapping are checked', async () => {
      const { project_id } = project;
      const rule = { event_type: 'play' };
      for (const [segment_mapping, pointer] of [
        [{ events: { 'a\u0001': rule } }, '/segment_mapping/events/a\u0001'],
        [{ events: { 'a\u0001': 42 } }, '/segment_mapping/events/a\u0001'],
        [{ events: { ['a'.repeat(129)]: null } }, `/segment_mapping/events/${'a'.repeat(64)}`],
        [{ events: { Played: { ...rule, valeu: 'x' } } }, '/segment_mapping/events/Played/valeu'],
        [{ events: { Played: {} } }, '/segment_mapping/events/Played/event_type'],
        [{ attributes: { 'a\u0001': 'x' } }, '/segment_mapping/attributes/a\u0001'],
        [{ attributes: { a: 7 } }, '/segment_mapping/attributes/a'],
      ] as const) {
        const { status, body } = await service.call('PUT', '/update-project', { project_id, segment_mapping });
        assert.deepEqual([status, body.errors[0].pointer], [400, pointer], JSON.stringify(body));
      }
      const segment_mapping = { events: { Played: { ...rule, value: null }, Skipped: null } };
      const updated = await service.ok('PUT', '/update-project', { project_id, segment_mapping });
      assert.deepEqual(updated.segment_mapping, { events: { Played: rule, Skipped: null } });
      await service.ok('PUT', '/update-project', { ...MAPPING, project_id });
    });

    test('a key and its secret, or a write key; nothing else', async () => {
      const { project_id } = project;
      const origins = ['https://shop.example'];
      const { api_key } = await service.ok('POST', '/create-api-key', {
        name: 'w',
        kind: 'browser',
        origins,
        project_id,
      });
      const { api_key: other, client_secret } = await service.ok('POST', '/create-api-key', {
        name: 'o',
        scopes: ['/get-account'],
      });
      assert.equal((await deliver(VIEWED, { authorization: basicOf(api_key, '') }, '?')).body.stored, 1);
      const foreign = { authorization: basicOf(api_key, ''), origin: 'https://evil.example' };
      const cases: [Record<string, string>, number][] = [
        [{}, 401],
        [{ authorization: 'Basic x' }, 401],
        [{ authorization: basicOf(service.credentials.api_key, 'wrong') }, 401],
        [{ authorization: basicOf(service.credentials.api_key, '') }, 401],
        [{ authorization: basicOf(other, client_secret) }, 403],
        [foreign, 403],
      ];
      for (const [headers, status] of cases) assert.equal((await deliver(VIEWED, headers)).status, status);
      const elsewhere = await service.call('GET', '/get-account', undefined, {
        anonymous: true,
        headers: { authorization: basicOf(service.credentials.api_key, service.credentials.client_secret) },
      });
      assert.equal(elsewhere.status, 401, 'Basic is for this call alone');
    });

    test('a write key stores events of one visitor and no attributes', async () => {
      const { project_id } = project;
      const origins = ['https://shop.example'];
      const made = await service.ok('POST', '/create-api-key', { name: 'w', kind: 'browser', origins, project_id });
      const headers = { authorization: basicOf(made.api_key, '') };
      const identify = { type: 'identify', userId: 'u', traits: { plan: 'pro' } };
      const { body } = await deliver({ batch: [VIEWED, identify] }, headers);
      assert.deepEqual([body.stored, body.users, body.skipped], [1, 0, 1]);
      assert.deepEqual(body.skipped_events, { identify: 1 });
      const two = await deliver({ batch: [VIEWED, { ...VIEWED, userId: 'v' }] }, headers);
      assert.equal(two.status, 400);
      const old = await deliver({ ...VIEWED, timestamp: '2001-01-01T00:00:00Z' }, headers);
      assert.deepEqual([old.body.stored, old.body.failures[0].code], [0, 'INVALID_RECORD']);
    });

    test('a body is JSON of at most 512 KiB, as sent and as inflated', async () => {
      const raw = async (body: Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
        (await service.call('POST', '/ingest/segment', undefined, { raw: body, headers })).status;
      const large = Buffer.alloc(512 * 1024 + 1, ' ');
      assert.equal(await raw(new Uint8Array(large), {}), 413);
      assert.equal(await raw(new Uint8Array(gzipSync(large)), { 'content-encoding': 'gzip' }), 413);
      assert.equal(await raw(new Uint8Array(Buffer.from('{"batch": [')), {}), 400);
      assert.equal(
        await raw(new Uint8Array(Buffer.from('a=b')), { 'content-type': 'application/x-www-form-urlencoded' }),
        415,
      );
    });

    test('what is no message is refused or counted, and large batches are refused whole', async () => {
      const before = await countEvents();
      for (const body of [[], 'text', null, { batch: 7 }])
        assert.equal((await deliver(body)).status, 400, JSON.stringify(body));
      assert.equal((await deliver({})).body.skipped, 1);
      const many = await deliver({ batch: Array(1001).fill({}) });
      assert.equal(many.body.code, 'BATCH_TOO_LARGE');
      const bad = await deliver({
        batch: [{ ...VIEWED, messageId: 'x', properties: { product_id: 'p'.repeat(300) } }],
      });
      assert.deepEqual([bad.body.stored, bad.body.failures[0].index], [0, 0]);
      assert.equal(await countEvents(), before);
    });
  });
}
