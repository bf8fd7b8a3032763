// Recommendation jobs over HTTP: the lists of many users as a file; on every database.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { refusedWith } from '../support/assert-problem.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, ended, succeed, type TasteProject, USERS } from '../support/taste-project.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

interface Line {
  user_id: string;
  objective: string;
  results: { item: { item_id: string; title?: string; genre?: string[] }; score: number }[];
}

const rowsOf = async (response: Response) => parquetReadObjects({ file: await response.arrayBuffer(), compressors });

for (const dialect of DIALECTS) {
  describe(`recommendation jobs on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: TasteProject;
    let modelId: string;

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService({
        KINDRED_ROLES: 'api,worker',
        ...place.env,
      });
      project = await createTasteProject(service);
      const { project_id, user_dataset_id, algorithm_id } = project;
      const users = [
        { user_id: 'newcomer', attributes: { most: 5 } },
        { user_id: 'u1', attributes: { most: 30 } },
      ];
      await service.ok('POST', '/upsert-dataset-users', { user_dataset_id, users });
      modelId = (await succeed(service, '/submit-training-job', { project_id, algorithm_id })).job_result.model_id;
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const submit = (body: object) =>
      succeed(service, '/submit-recommendation-job', { project_id: project.project_id, ...body });
    const download = async (url: string) => {
      const response = await fetch(url);
      assert.equal(response.status, 200, await response.clone().text());
      return response;
    };
    const linesOf = async (job: { job_result: { download_url: string } }): Promise<Line[]> => {
      const text = await (await download(job.job_result.download_url)).text();
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    };
    const idsOf = (list: Pick<Line, 'results'>) => list.results.map(({ item }) => item.item_id);

    test('without a deployment a job needs a model', async () => {
      const body = { project_id: project.project_id, users: { all: true } };
      refusedWith(await service.call('POST', '/submit-recommendation-job', body), 409, 'NO_MODEL_DEPLOYED');
      const job = await submit({ users: { user_ids: ['u1', 'u2', 'u1'] }, model_id: modelId, limit: 3 });
      assert.deepEqual(
        (await linesOf(job)).map(({ user_id, results }) => [user_id, results.length]),
        [
          ['u1', 3],
          ['u2', 3],
        ],
      );
    });

    test('every user gets the list that the call returns, for every objective and with filters', async () => {
      await succeed(service, '/submit-deployment-job', {
        project_id: project.project_id,
        generator_model_id: modelId,
      });
      const requests: Record<string, unknown>[] = [
        { limit: 7, attributes: ['title', 'genre'] },
        ...['discover', 'again', 'any', 'continue'].map((objective) => ({ objective, limit: 5 })),
        { filter_query: 'price < $most AND genre != $no', filter_params: { most: 40, no: 'Drama' } },
        { filter_query: 'price < user.most' },
        { objective: 'any', exclude_event_types: ['buy'], limit: 4 },
        { boosts: [{ filter_query: 'price > $most', factor: 50 }], filter_params: { most: 40 }, limit: 4 },
        { boosts: [{ filter_query: 'price < user.most', factor: 50 }], diversity: { max_per: { genre: 2 } } },
        { pins: [{ position: 2, item_id: 'i3' }], exclude_item_ids: ['i4', 'i5'], diversity: 0.5, limit: 6 },
        { filter_query: 'price < context.most', context: { most: 20 }, exclude_seen: false, touch_days: 1 },
      ];
      for (const request of requests) {
        const job = await submit({ users: { all: true }, ...request });
        const lines = await linesOf(job);
        assert.equal(lines.length, USERS + 1);
        assert.equal(job.job_result.total_users, USERS + 1);
        assert.equal(new Set(lines.map(({ user_id }) => user_id)).size, USERS + 1);
        const sample = lines.filter(({ user_id }) => ['u1', 'u7', 'u20', 'u59', 'newcomer'].includes(user_id));
        assert.equal(sample.length, 5);
        for (const line of sample) {
          const call = { project_id: project.project_id, user_id: line.user_id, limit: 20, ...request };
          const response = await service.ok('POST', '/recommend-items-to-user', call);
          assert.deepEqual(idsOf(line), idsOf(response), `${line.user_id} ${JSON.stringify(request)}`);
          assert.equal(line.objective, response.objective);
          if (request.attributes) assert.deepEqual(line.results[0].item, response.results[0].item);
        }
      }
    });

    test('a table has one row per user and item', async () => {
      const body = { users: { user_ids: ['u3', 'u4'] }, limit: 2, attributes: ['title', 'genre', 'rank'] };
      const lines = await linesOf(await submit(body));
      const response = await download((await submit({ ...body, format: 'csv' })).job_result.download_url);
      assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
      assert.match(response.headers.get('content-disposition') ?? '', /^attachment; .*\.csv"$/);
      const rows = (await response.text()).trimEnd().split('\r\n');
      assert.equal(rows[0], 'user_id,rank,item_id,score,title,genre,item.rank');
      const [first] = lines[0].results;
      const genre = `"[""${first.item.genre![0]}""]"`;
      assert.equal(rows[1], `u3,1,${first.item.item_id},${first.score},${first.item.title},${genre},`);
      assert.equal(rows.length, 5);
    });

    test('a Parquet file has the rows of the table, with types', async () => {
      const body = { users: { user_ids: ['u3', 'u4'] }, limit: 2, attributes: ['title', 'genre', 'price', 'rank'] };
      const lines = await linesOf(await submit(body));
      const response = await download((await submit({ ...body, format: 'parquet' })).job_result.download_url);
      assert.equal(response.headers.get('content-type'), 'application/vnd.apache.parquet');
      assert.match(response.headers.get('content-disposition') ?? '', /^attachment; .*\.parquet"$/);
      const expected = lines.flatMap(({ user_id, results }) =>
        results.map(({ item, score }, n) => ({
          user_id,
          rank: n + 1,
          item_id: item.item_id,
          score,
          title: item.title,
          genre: JSON.stringify(item.genre),
          price: (item as { price?: number }).price,
          'item.rank': null,
        })),
      );
      assert.deepEqual(await rowsOf(response), expected);
    });

    test('the users of a finished list of users', async () => {
      const { project_id } = project;
      const conditions = [{ attribute: 'genre', value: 'Drama', lower_bound: 0.01 }];
      const found = await succeed(service, '/submit-querying-job', {
        project_id,
        model_id: modelId,
        query_type: 'user_list',
        queries: [{ conditions }, { conditions }],
      });
      const listed = (await (await download(found.job_result.download_url)).json()) as {
        queries: { users: { user_id: string }[] }[];
      };
      const lines = await linesOf(await submit({ users: { job_id: found.job_id }, limit: 1 }));
      assert.ok(lines.length > 0);
      assert.deepEqual(
        lines.map(({ user_id }) => user_id),
        listed.queries[0].users.map(({ user_id }) => user_id),
      );
      const other = await submit({ users: { all: true }, limit: 1 });
      const body = { project_id, users: { job_id: other.job_id } };
      const refused = await service.call('POST', '/submit-recommendation-job', body);
      refusedWith(refused, 400, 'INVALID_REQUEST');
      assert.equal(refused.body.errors[0].pointer, '/users/job_id');
      const unknown = { project_id, users: { job_id: 'job_none' } };
      refusedWith(await service.call('POST', '/submit-recommendation-job', unknown), 404, 'JOB_NOT_FOUND');
    });

    test('the lists of a placement are those of its call', async () => {
      const { project_id } = project;
      const rules = [
        { name: 'cheap', only_if: 'user.most = 5', filter_query: 'price < user.most', pins: [] },
        { name: 'pin', pins: [{ position: 2, item_id: 'i59' }] },
        { name: 'over', to_ts: 1, filter_query: 'price < 0' },
      ];
      const defaults = {
        limit: 6,
        attributes: ['title'],
        diversity: { max_per: { genre: 3 } },
        boosts: [{ filter_query: 'price < $most', factor: 5 }],
        filter_params: { most: 20 },
      };
      await service.ok('POST', '/create-placement', {
        project_id,
        name: 'home',
        kind: 'for_you',
        defaults,
        rules,
        fallback: ['newest'],
      });
      await service.ok('POST', '/create-placement', {
        project_id,
        name: 'fresh',
        kind: 'newest',
        defaults: { limit: 3 },
      });
      for (const [placement, request] of [
        ['home', {}],
        ['home', { limit: 3, filter_query: 'price > 2', objective: 'any' }],
        ['fresh', {}],
      ] as const) {
        const job = await submit({ users: { user_ids: ['u1', 'u7', 'newcomer', 'nobody'] }, placement, ...request });
        assert.equal(job.job_data.placement, placement);
        const lines = await linesOf(job);
        assert.equal(lines.length, 4);
        for (const line of lines) {
          const call = { project_id, placement, user_id: line.user_id, ...request };
          const response = await service.ok('POST', '/call-placement', call);
          assert.ok(line.results.length > 0, `${placement} ${line.user_id}`);
          assert.deepEqual(idsOf(line), idsOf(response), `${placement} ${line.user_id}`);
          assert.deepEqual(line.results[0].item, response.results[0].item);
        }
      }
      const call = (body: object) =>
        service.call('POST', '/submit-recommendation-job', { project_id, users: { all: true }, ...body });
      refusedWith(await call({ placement: 'none' }), 404, 'PLACEMENT_NOT_FOUND');
      refusedWith(await call({ placement: 'Not A Name' }), 400, 'INVALID_REQUEST');
      await service.ok('POST', '/create-placement', { project_id, name: 'alike', kind: 'similar' });
      const refused = await call({ placement: 'alike' });
      refusedWith(refused, 400, 'INVALID_REQUEST');
      assert.equal(refused.body.errors[0].pointer, '/placement');
    });

    test('a job gives each user the variant that a call gives, and rests what was shown too often', async () => {
      const { project_id } = project;
      const fatigue = { after: 2, days: 7 };
      const defaults = { limit: 5, objective: 'any' };
      await service.ok('POST', '/create-placement', { project_id, name: 'tried', kind: 'for_you', defaults, fatigue });
      const variants = [
        { name: 'today', share: 50, overrides: {} },
        { name: 'few', share: 50, overrides: { limit: 2, filter_query: 'price > 20' } },
      ];
      await service.ok('POST', '/create-experiment', {
        project_id,
        placement: 'tried',
        name: 'few',
        metric: 'click',
        min_days: 0,
        variants,
      });
      // Enough of them that chance gives each variant some.
      const user_ids = Array.from({ length: 40 }, (_, n) => `u${n}`);
      const call = (user_id: string) =>
        service.ok('POST', '/call-placement', { project_id, placement: 'tried', user_id });
      const compare = async () => {
        const lines = await linesOf(await submit({ users: { user_ids }, placement: 'tried' }));
        const calls = await Promise.all(lines.map(({ user_id }) => call(user_id)));
        for (const [n, line] of lines.entries()) assert.deepEqual(idsOf(line), idsOf(calls[n]), line.user_id);
        return { lines, calls };
      };
      const first = await compare();
      assert.deepEqual([...new Set(first.calls.map(({ variant }) => variant))].sort(), ['few', 'today']);
      for (const [n, { variant }] of first.calls.entries()) {
        assert.equal(first.lines[n].results.length, variant === 'few' ? 2 : 5);
      }
      const tired = first.calls.findIndex(({ variant }) => variant === 'today');
      const { user_id } = first.lines[tired];
      const [item_id] = idsOf(first.lines[tired]);
      for (let time = 0; time < 2; time++) {
        const { recommendation_id } = await call(user_id);
        const impressions = [{ recommendation_id, item_ids: [item_id], user_id }];
        await service.ok('POST', '/record-impressions', { impressions });
      }
      const second = await compare();
      assert.ok(idsOf(first.lines[tired]).includes(item_id) && !idsOf(second.lines[tired]).includes(item_id));
    });

    test('a wrong request is refused when it is submitted', async () => {
      const good = { project_id: project.project_id, users: { all: true } };
      const call = (change: object) => service.call('POST', '/submit-recommendation-job', { ...good, ...change });
      for (const change of [
        { users: {} },
        { users: { all: false } },
        { users: { all: true, user_ids: ['u1'] } },
        { users: { user_ids: [] } },
        { users: { user_ids: Array.from({ length: 1001 }, (_, n) => `u${n}`) } },
        { limit: 501 },
        { limit: 0 },
        { format: 'xml' },
        { objective: 'none' },
      ]) {
        refusedWith(await call(change), 400, 'INVALID_REQUEST');
      }
      refusedWith(await call({ filter_query: 'price <' }), 400, 'INVALID_FILTER');
      refusedWith(await call({ filter_query: 'price < $most' }), 400, 'INVALID_FILTER');
      refusedWith(await call({ boosts: [{ filter_query: 'price <', factor: 2 }] }), 400, 'INVALID_FILTER');
      refusedWith(await call({ boosts: [{ filter_query: 'price < $most', factor: 2 }] }), 400, 'INVALID_FILTER');
      const pins = ['i1', 'i2'].map((item_id) => ({ position: 1, item_id }));
      refusedWith(await call({ pins }), 400, 'INVALID_REQUEST');
      refusedWith(await call({ model_id: 'mdl_none' }), 404, 'MODEL_NOT_FOUND');
    });

    test('a deleted user is in no result and no request, in any format', async () => {
      const { project_id, user_dataset_id, event_dataset_id } = project;
      const users = { user_ids: ['u50', 'u51'] };
      const jobs = [];
      for (const format of ['jsonl', 'csv', 'parquet'])
        jobs.push(await submit({ users, format, attributes: ['title'], limit: 2 }));
      await service.ok('DELETE', '/delete-dataset-users', { user_dataset_id, user_ids: ['u50'] });
      await service.ok('DELETE', '/delete-dataset-user-events', { event_dataset_id, user_id: 'u50' });
      for (const { job_id, job_result } of jobs) {
        const response = await download(job_result.download_url);
        const text = job_result.format === 'parquet' ? JSON.stringify(await rowsOf(response)) : await response.text();
        assert.doesNotMatch(text, /u50/);
        assert.match(text, /\[deleted\]/);
        assert.match(text, /u51/);
        const job = await service.ok('GET', '/get-job', { project_id, job_id });
        assert.deepEqual(job.job_data.users, { user_ids: ['u51'] });
      }
      const lines = await linesOf(await submit({ users: { all: true }, limit: 1 }));
      assert.ok(lines.every(({ user_id }) => user_id !== 'u50' && !user_id.startsWith('\u0001')));
    });

    test('a job can be canceled', async () => {
      const { project_id } = project;
      const { job_id } = await service.ok('POST', '/submit-recommendation-job', { project_id, users: { all: true } });
      await service.call('POST', '/cancel-job', { project_id, job_id });
      const job = await ended(service, project_id, job_id);
      assert.ok(['CANCELLED', 'SUCCEED'].includes(job.job_status));
      assert.equal(job.job_type, 'RECOMMENDATION');
    });
  });
}
