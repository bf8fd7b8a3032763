// Export jobs over HTTP: datasets and vectors as files that can be imported again; on every database.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { refusedWith } from '../support/assert-problem.ts';
import { plantModel } from '../support/plant-model.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, ended, succeed, type TasteProject, tasteModel } from '../support/taste-project.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

process.env.AWS_ACCESS_KEY_ID ??= 'test';
process.env.AWS_SECRET_ACCESS_KEY ??= 'test';

const ENTRY = join(import.meta.dirname, '../../src/main.ts');
/** What a file must not lose: types, empty values, characters that end a line elsewhere. */
const ODD_ATTRIBUTES = {
  title: 'a\u2028b "c"\r\nd',
  list: ['1', 2, true, null],
  none: null,
  deep: { x: [{}] },
  n: -0.5e-7,
};

for (const dialect of DIALECTS) {
  describe(`export jobs on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: TasteProject;
    let modelId: string;
    let folder = '';
    let s3: S3Server;

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kindred-export-'));
      place = await newTestPlace(dialect);
      s3 = await startS3Server('lake');
      service = await startTestService({
        KINDRED_ROLES: 'api,worker',
        KINDRED_EXPORT_DESTINATIONS: s3.url('exports'),
        ...place.env,
      });
      project = await createTasteProject(service);
      const { user_dataset_id, item_dataset_id, event_dataset_id } = project;
      const users = [
        { user_id: 'newcomer', attributes: ODD_ATTRIBUTES },
        { user_id: 'ünïque "id"', attributes: {} },
      ];
      await service.ok('POST', '/upsert-dataset-users', { user_dataset_id, users });
      const items = [{ item_id: 'odd', attributes: ODD_ATTRIBUTES }];
      await service.ok('POST', '/upsert-dataset-items', { item_dataset_id, items });
      const event = { event_id: 'odd', user_id: 'newcomer', item_id: 'odd', ts: 1_700_000_000_123, event_type: 'buy' };
      const events = [{ ...event, event_value: -1.5, attributes: { device: 'phone' } }];
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
      modelId = (await plantModel(place, project, tasteModel())).modelId;
    });
    after(async () => {
      await service.stop();
      await s3.close();
      await place.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    const submit = (body: object) =>
      succeed(service, '/submit-export-job', { project_id: project.project_id, ...body });
    const linesOf = async (job: { job_result: { download_url: string } }) => {
      const response = await fetch(job.job_result.download_url);
      assert.equal(response.status, 200);
      return (await response.text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    };
    const rowsOf = async (job: { job_result: { download_url: string } }) =>
      parquetReadObjects({ file: await (await fetch(job.job_result.download_url)).arrayBuffer(), compressors });
    const kindred = (...words: string[]) =>
      new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
        const { PATH, NODE_COMPILE_CACHE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
        const keys = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
        const env = { PATH, NODE_COMPILE_CACHE, ...keys, KINDRED_DATA_DIR: service.dataDir };
        execFile(process.execPath, [ENTRY, ...words], { env, cwd: folder }, (error, stdout, stderr) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
        );
      });
    /** Everything a dataset has, in an order of its own. */
    const contentOf = async (dataset: Record<string, string>) => {
      const found: Record<string, unknown>[] = [];
      let page_token: string | undefined;
      do {
        const page: { records: Record<string, unknown>[]; next_page_token: string | null } = await service.ok(
          'GET',
          '/list-dataset-records',
          { ...dataset, page_size: 100, ...(page_token && { page_token }) },
        );
        found.push(...page.records);
        page_token = page.next_page_token ?? undefined;
      } while (page_token !== undefined);
      const idOf = (record: Record<string, unknown>) => String(record.event_id ?? record.user_id ?? record.item_id);
      return found.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    };

    for (const format of ['jsonl', 'parquet']) {
      test(`a project exported as ${format} and imported again is equal`, async () => {
        const files: string[] = [];
        for (const what of ['users', 'items', 'events']) {
          const out = join(folder, `${what}.${format}`);
          const saved = await kindred('export', what, '--project', project.project_id, '--out', out);
          assert.equal(saved.code, 0, saved.stderr);
          files.push(out);
        }
        const imported = await kindred('import', ...files, '--project', `again-${format}`, '--json');
        assert.equal(imported.code, 0, imported.stderr);
        const again = await service.ok('GET', '/get-project', { project_id: JSON.parse(imported.stdout).project_id });
        for (const kind of ['user', 'item', 'event'] as const) {
          const name = `${kind}_dataset_id` as const;
          const [before, after] = [
            await contentOf({ [name]: project[name] }),
            await contentOf({ [name]: again[name] }),
          ];
          assert.ok(before.length > 0);
          assert.deepEqual(after, before, kind);
        }
      });
    }

    test('the vectors of a model', async () => {
      const items = await rowsOf(await submit({ what: 'item_vectors', model_id: modelId, format: 'parquet' }));
      const model = tasteModel();
      const { dimensions, values } = model.vectors;
      assert.equal(items.length, model.warmItemCount);
      for (const [n, { item_id, vector }] of items.entries()) {
        assert.equal(item_id, model.itemIds.at(n));
        assert.deepEqual(vector, Array.from(values.subarray(n * dimensions, (n + 1) * dimensions)));
      }
      const users = await linesOf(await submit({ what: 'user_vectors', model_id: modelId }));
      assert.ok(users.some(({ user_id }) => user_id === 'u1'));
      for (const { vector } of users) {
        assert.equal(vector.length, dimensions);
        assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
      }
    });

    test('a file is written to S3 where the service allows it, and nowhere else', async () => {
      const { project_id } = project;
      const lines = await linesOf(await submit({ what: 'items' }));
      const job = await submit({ what: 'items', destination: 's3://lake/exports/2026/items.jsonl' });
      assert.equal(job.job_result.destination, 's3://lake/exports/2026/items.jsonl');
      assert.equal(job.job_result.download_url, undefined);
      const written = s3.objects.get('exports/2026/items.jsonl')!.toString().trimEnd().split('\n');
      assert.deepEqual(
        written.map((line) => JSON.parse(line)),
        lines,
      );
      const imported = await kindred('import', s3.url('exports/2026/items.jsonl'), '--json');
      assert.equal(imported.code, 0, imported.stderr);
      const [{ dataset_id }] = JSON.parse(imported.stdout).files;
      const { item_dataset_id } = project;
      assert.deepEqual(await contentOf({ item_dataset_id: dataset_id }), await contentOf({ item_dataset_id }));
      const lists = { users: { user_ids: ['u1', 'u2'] }, limit: 2, model_id: modelId, format: 'parquet' };
      const destination = 's3://lake/exports/lists.parquet';
      await succeed(service, '/submit-recommendation-job', { project_id, ...lists, destination });
      const { buffer, byteOffset, length } = Buffer.from(s3.objects.get('exports/lists.parquet')!);
      const file = buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer;
      assert.equal((await parquetReadObjects({ file, compressors })).length, 4);
      for (const wrong of [
        's3://lake/items.jsonl',
        's3://other/exports/a',
        's3://lake/exports/../a',
        's3://lake/exports/',
      ]) {
        const body = { project_id, what: 'items', destination: wrong };
        refusedWith(await service.call('POST', '/submit-export-job', body), 403, 'DESTINATION_NOT_ALLOWED');
      }
      const body = { project_id, what: 'items', destination: 'file:///etc/passwd' };
      refusedWith(await service.call('POST', '/submit-export-job', body), 400, 'INVALID_REQUEST');
      assert.deepEqual([...s3.objects.keys()].sort(), ['exports/2026/items.jsonl', 'exports/lists.parquet']);
    });

    test('a job that is canceled while it uploads leaves nothing at its destination', async () => {
      const { project_id } = project;
      const uploads = s3.holdUploads();
      const destination = 's3://lake/exports/cancelled.jsonl';
      const { job_id } = await service.ok('POST', '/submit-export-job', { project_id, what: 'items', destination });
      for (let tries = 0; uploads.waiting() === 0 && tries < 600; tries++) await delay(50);
      assert.equal(uploads.waiting(), 1);
      await service.ok('POST', '/cancel-job', { project_id, job_id });
      uploads.release();
      const job = await ended(service, project_id, job_id);
      assert.deepEqual([job.job_status, job.job_result], ['CANCELLED', null]);
      // The next job of the lane begins when this one has left.
      await submit({ what: 'items', destination: 's3://lake/exports/after.jsonl' });
      for (let tries = 0; s3.objects.has('exports/cancelled.jsonl') && tries < 100; tries++) await delay(50);
      assert.ok(!s3.objects.has('exports/cancelled.jsonl') && s3.objects.has('exports/after.jsonl'));
    });

    test('a deleted user is in no export, in any format', async () => {
      const { user_dataset_id, event_dataset_id } = project;
      const jobs = [];
      for (const what of ['users', 'events'])
        for (const format of ['jsonl', 'parquet']) jobs.push(await submit({ what, format }));
      await service.ok('DELETE', '/delete-dataset-users', { user_dataset_id, user_ids: ['newcomer'] });
      await service.ok('DELETE', '/delete-dataset-user-events', { event_dataset_id, user_id: 'newcomer' });
      for (const job of jobs) {
        const { format, total } = job.job_result;
        const left = format === 'parquet' ? await rowsOf(job) : await linesOf(job);
        assert.equal(left.length, total - 1);
        assert.doesNotMatch(JSON.stringify(left), /newcomer|phone|deep/);
      }
    });

    test('a wrong request is refused when it is submitted', async () => {
      const { project_id } = project;
      const call = (body: object) => service.call('POST', '/submit-export-job', { project_id, ...body });
      for (const body of [
        {},
        { what: 'models' },
        { what: 'items', format: 'csv' },
        { what: 'items', model_id: modelId },
      ])
        refusedWith(await call(body), 400, 'INVALID_REQUEST');
      refusedWith(await call({ what: 'item_vectors', model_id: 'mdl_none' }), 404, 'MODEL_NOT_FOUND');
      refusedWith(await call({ what: 'item_vectors' }), 409, 'NO_MODEL_DEPLOYED');
      refusedWith(await call({ project_id: 'prj_none', what: 'items' }), 404, 'PROJECT_NOT_FOUND');
    });

    test('reports of placements by day and by hour are the counts of the report', async () => {
      const { project_id } = project;
      const job_data = { project_id, generator_model_id: modelId };
      await succeed(service, '/submit-deployment-job', job_data);
      const list = await service.ok('POST', '/recommend-items-to-user', { project_id, user_id: 'newcomer' });
      const { recommendation_id } = list;
      const { item_id } = list.results[0].item;
      await service.ok('POST', '/record-impressions', { impressions: [{ recommendation_id, item_ids: [item_id] }] });
      const event = { event_id: 'r', user_id: 'newcomer', item_id, ts: Date.now(), event_type: 'buy' };
      const events = [{ ...event, event_value: 2.5, recommendation_id }];
      const { event_dataset_id } = project;
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
      let rows: Record<string, unknown>[] = [];
      // Served lists are counted within a second or two.
      for (let n = 0; n < 50 && rows.every(({ served }) => served === 0); n++) {
        rows = await rowsOf(await submit({ what: 'report_days', format: 'parquet' }));
      }
      const report = await service.ok('GET', '/get-placement-report', { project_id });
      const [{ direct, ts, served, shown, served_items }] = report.rows;
      assert.equal(rows.length, report.rows.length);
      assert.equal((rows[0].ts as Date).getTime(), ts);
      const { clicked, converted, target_events, value } = direct;
      const wanted = { served, served_items, shown, clicked, converted, target_events, value, placement: null };
      for (const [name, figure] of Object.entries(wanted)) assert.equal(rows[0][name], figure, name);
      assert.equal(shown, 1);
      // Two where an hour ended in between.
      const hours = await linesOf(await submit({ what: 'report_hours' }));
      assert.equal(
        hours.reduce((sum, hour) => sum + hour.clicked, 0),
        clicked,
      );
      assert.ok(hours.every(({ ts }) => ts % 3_600_000 === 0));
      const refused = { project_id, what: 'report_days', model_id: modelId };
      refusedWith(await service.call('POST', '/submit-export-job', refused), 400, 'INVALID_REQUEST');
    });

    test('a job can be canceled and leaves no result', async () => {
      const { project_id } = project;
      const { job_id } = await service.ok('POST', '/submit-export-job', { project_id, what: 'events' });
      await service.call('POST', '/cancel-job', { project_id, job_id });
      const job = await ended(service, project_id, job_id);
      assert.equal(job.job_type, 'EXPORT');
      if (job.job_status === 'CANCELLED') assert.equal(job.job_result, null);
    });
  });
}
