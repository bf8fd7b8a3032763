// Querying and clustering over HTTP, with a model trained on planted taste: submit, follow, download; on every database.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openAccount } from '../../src/accounts.ts';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { openStore } from '../../src/store/open-store.ts';
import { adjustedRandIndex } from '../support/adjusted-rand-index.ts';
import { ApiCaller, startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, succeed } from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

const GENRES = ['Drama', 'Comedy', 'Horror'];
const KINDS = GENRES.length;
const ITEMS = 90;
const USERS = 120;
const kindOf = (userId: string): number => Number(userId.slice(1)) % KINDS;

/** Users of a kind turn to items of one genre, nine times of ten, each item once. */
async function createPlantedProject(api: ApiCaller) {
  const { user_dataset_id } = await api.ok('POST', '/create-user-dataset', { name: 'users' });
  const { item_dataset_id } = await api.ok('POST', '/create-item-dataset', { name: 'items' });
  const { event_dataset_id } = await api.ok('POST', '/create-event-dataset', { name: 'events' });
  const items = Array.from({ length: ITEMS }, (_, n) => ({
    item_id: `i${n}`,
    attributes: { title: `Film ${n}`, genre: [GENRES[n % KINDS]], price: n % 10 },
  }));
  await api.ok('POST', '/upsert-dataset-items', { item_dataset_id, items });
  await api.ok('POST', '/upsert-dataset-users', { user_dataset_id, users: [{ user_id: 'stranger' }] });
  const { next: chance } = seededRandom(5);
  const events = Array.from({ length: USERS }, (_, user) => {
    const had = new Set<number>();
    while (had.size < 12) {
      const kind = chance() < 0.9 ? user % KINDS : Math.floor(chance() * KINDS);
      had.add(kind + KINDS * Math.floor(chance() ** 1.5 * (ITEMS / KINDS)));
    }
    return [...had].map((item, n) => ({
      event_id: `${user}-${item}`,
      user_id: `u${user}`,
      item_id: `i${item}`,
      ts: 1_700_000_000_000 + n * 86_400_000 + Math.floor(chance() * 1e6),
      event_type: 'buy',
    }));
  }).flat();
  for (let from = 0; from < events.length; from += 1000)
    await api.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: events.slice(from, from + 1000) });
  const datasets = { user_dataset_id, item_dataset_id, event_dataset_id };
  const { project_id } = await api.ok('POST', '/create-project', {
    name: 'planted',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    ...datasets,
    target_event_type: 'buy',
  });
  const { algorithm_id } = await api.ok('POST', '/create-algorithm', { project_id, name: 'a', algorithm_type: 'G1' });
  return { project_id, algorithm_id };
}

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`insight on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: { project_id: string; algorithm_id: string };
    let modelId: string;

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService({
        KINDRED_ROLES: 'api,worker',
        ...place.env,
      });
      project = await createPlantedProject(service);
      modelId = (await succeed(service, '/submit-training-job', project)).job_result.model_id;
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const query = (query_type: string, queries: unknown[]) =>
      succeed(service, '/submit-querying-job', {
        project_id: project.project_id,
        model_id: modelId,
        query_type,
        queries,
      });
    /** A download as a browser does it: the address alone. */
    const download = async (url: string) => {
      const response = await fetch(url);
      return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
    };

    test('a list of users who use a genre, as JSON, CSV and SVG, from a link that needs no headers', async () => {
      const conditions = [{ attribute: 'genre', value: 'Drama', lower_bound: 0 }];
      const job = await query('user_list', [{ conditions }]);
      assert.equal(job.job_type, 'QUERYING');
      assert.equal(job.job_data.model_id, modelId);
      assert.equal(job.job_data.query_type, 'user_list');
      assert.equal(job.progress.fraction, 1);
      const { download_url, expired_at_sec, message } = job.job_result;
      assert.equal(message, `${USERS + 1} of ${USERS + 1} users meet the conditions.`);
      const lifetimeSec = expired_at_sec - Date.now() / 1000;
      assert.ok(lifetimeSec > 23 * 3600 && lifetimeSec <= 24 * 3600);

      const json = await download(download_url);
      assert.match(json.type, /^application\/json/);
      const { queries, total_users } = JSON.parse(json.text);
      assert.equal(total_users, USERS + 1);
      assert.equal(queries[0].calibration.length, 1);
      assert.ok(queries[0].calibration[0].error < 0.1, JSON.stringify(queries[0].calibration));
      const users: { user_id: string; usage: number; basis: string }[] = queries[0].users;
      assert.deepEqual(
        users,
        users.toSorted((a, b) => b.usage - a.usage),
      );
      const fans = users.slice(0, USERS / KINDS).filter(({ user_id }) => kindOf(user_id) === 0).length;
      assert.ok(fans >= 0.9 * (USERS / KINDS), `${fans} of the first ${USERS / KINDS} like it`);
      assert.equal(users.find(({ user_id }) => user_id === 'stranger')?.basis, 'popularity');

      const csv = await download(`${download_url}&format=csv`);
      assert.match(csv.type, /^text\/csv/);
      assert.equal(csv.text.trimEnd().split('\r\n').length, USERS + 2);
      const svg = await download(`${download_url}&format=svg`);
      assert.match(svg.type, /^image\/svg\+xml/);
      assert.match(svg.text, /^<svg /);
    });

    test('a distribution by default in 20 bins, and a value that no item has', async () => {
      const job = await query('user_distribution', [
        { attribute: 'genre', value: 'Comedy' },
        { attribute: 'price', value: 7, bins: 5 },
        { attribute: 'genre', value: 'Opera' },
      ]);
      const { queries } = JSON.parse((await download(job.job_result.download_url)).text);
      assert.deepEqual(
        queries.map(({ counts }: { counts: number[] }) => [counts.length, counts.reduce((sum, n) => sum + n, 0)]),
        [
          [20, USERS + 1],
          [5, USERS + 1],
          [20, USERS + 1],
        ],
      );
      assert.equal(queries[2].counts[0], USERS + 1);
      assert.match(job.job_result.message, /Query 3: No item has genre = Opera\./);
    });

    test('an upper bound includes everybody where no item has the value, a lower bound nobody', async () => {
      const opera = { attribute: 'genre', value: 'Opera' };
      const bounds = [{ upper_bound: 0.1 }, { lower_bound: 0.1 }];
      const job = await query(
        'user_list',
        bounds.map((bound) => ({ conditions: [{ ...opera, ...bound }] })),
      );
      const { queries } = JSON.parse((await download(job.job_result.download_url)).text);
      assert.deepEqual(
        queries.map(({ count, note }: { count: number; note: string }) => [count, note]),
        [
          [USERS + 1, 'No item has genre = Opera.'],
          [0, 'No item has genre = Opera.'],
        ],
      );
      assert.equal(queries[0].users.length, USERS + 1);
      assert.equal(queries[0].users[0].usage, 0);
      assert.match(job.job_result.message, /Queries 1 and 2: No item has genre = Opera\./);
    });

    test('groups of similar taste are the planted ones', async () => {
      const parameters = { min_user_num: 2 };
      const body = { project_id: project.project_id, model_id: modelId, cluster_type: 'user', parameters };
      const job = await succeed(service, '/submit-clustering-job', body);
      assert.equal(job.job_type, 'CLUSTERING');
      const result = JSON.parse((await download(job.job_result.download_url)).text);
      const found: number[] = [];
      const truth: number[] = [];
      for (const { group_id, user_ids } of result.groups) {
        for (const userId of user_ids) {
          found.push(group_id);
          truth.push(kindOf(userId));
        }
      }
      assert.equal(found.length, USERS);
      assert.ok(adjustedRandIndex(found, truth) >= 0.95);
      for (const { label, user_ids } of result.groups) assert.match(label, new RegExp(GENRES[kindOf(user_ids[0])]));
      assert.deepEqual(result.unassigned.user_ids, ['stranger']);
      assert.match((await download(`${job.job_result.download_url}&format=svg`)).text, /3 groups/);
    });

    test('a wrong request is refused with the place of the fault', async () => {
      const good = { project_id: project.project_id, model_id: modelId, query_type: 'user_list' };
      const pointerOf = async (body: object, path = '/submit-querying-job') => {
        const response = await service.call('POST', path, body);
        assert.equal(response.status, 400, JSON.stringify(response.body));
        return response.body.errors[0].pointer;
      };
      const condition = { attribute: 'genre', value: 'Drama' };
      const turned = { ...condition, lower_bound: 0.5, upper_bound: 0.1 };
      assert.equal(
        await pointerOf({ ...good, queries: [{ conditions: [condition, turned] }] }),
        '/queries/0/conditions/1/lower_bound',
      );
      assert.equal(await pointerOf({ ...good, queries: [{ conditions: [] }] }), '/queries/0/conditions');
      assert.equal(await pointerOf({ ...good, queries: Array(101).fill({ conditions: [condition] }) }), '/queries');
      const distribution = { ...good, query_type: 'user_distribution' };
      for (const bins of [-1, 0, 1001, 2.5, '5'])
        assert.equal(await pointerOf({ ...distribution, queries: [{ ...condition, bins }] }), '/queries/0/bins');
      const cluster = { project_id: project.project_id, model_id: modelId, cluster_type: 'user' };
      const path = '/submit-clustering-job';
      assert.equal(await pointerOf({ ...cluster, parameters: { min_user_num: 0 } }, path), '/parameters/min_user_num');
      assert.equal(await pointerOf({ ...cluster, cluster_type: 'item' }, path), '/cluster_type');
      const tooMany = await service.call('POST', path, { ...cluster, parameters: { num_clusters: 501 } });
      assert.deepEqual(tooMany.body.errors, [{ pointer: '/parameters/num_clusters', message: 'must be at most 500' }]);
      const asText = JSON.stringify({ ...good, queries: [{ conditions: [{ ...condition, lower_bound: 0.5 }] }] });
      for (const [text, code] of [
        ['1e999', 'INVALID_REQUEST'],
        ['"NaN"', 'INVALID_REQUEST'],
        ['NaN', 'INVALID_JSON'],
      ]) {
        const response = await service.call('POST', '/submit-querying-job', undefined, {
          raw: asText.replace('0.5', text),
        });
        assert.equal(response.status, 400);
        assert.equal(response.body.code, code, text);
      }
    });

    test('a model of another project or account does not exist', async () => {
      const store = await openStore(place);
      const opened = await openAccount(store.accounts, 'other');
      await store.close();
      const other = new ApiCaller(service.baseUrl, opened!.credentials);
      const body = { query_type: 'user_list', queries: [{ conditions: [{ attribute: 'a', value: 1 }] }] };
      const mine = { ...body, project_id: project.project_id, model_id: modelId };
      assert.equal((await other.call('POST', '/submit-querying-job', mine)).status, 404);
      const unknown = await service.call('POST', '/submit-querying-job', { ...mine, model_id: 'mdl_none' });
      assert.equal(unknown.status, 404);
      assert.equal(unknown.body.code, 'MODEL_NOT_FOUND');
      const second = await createTasteProject(service);
      const crossed = await service.call('POST', '/submit-clustering-job', {
        project_id: second.project_id,
        model_id: modelId,
        cluster_type: 'user',
      });
      assert.equal(crossed.body.code, 'MODEL_NOT_FOUND');
    });
  });
}
