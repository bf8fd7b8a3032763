// Import jobs over HTTP: files in S3 become records of a project, on every database; a killed worker stores nothing twice.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { openStore } from '../../src/store/open-store.ts';
import { refusedWith } from '../support/assert-problem.ts';
import { createEmptyProject, type EmptyProject } from '../support/empty-project.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { ended, succeed } from '../support/taste-project.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

process.env.AWS_ACCESS_KEY_ID ??= 'test';
process.env.AWS_SECRET_ACCESS_KEY ??= 'test';

const ENTRY = new URL('../../src/main.ts', import.meta.url).pathname;
const EVENTS = 30_000;
const TS = 1_762_000_000_000;

/** One event for each number, without an id. */
const orders = (count: number): string =>
  `buyer,item_id,when\n${Array.from({ length: count }, (_, n) => `u${n % 500},i${n % 70},${TS + n}\n`).join('')}`;

for (const dialect of DIALECTS) {
  describe(`import jobs on ${dialect}`, () => {
    let place: TestPlace;
    let service: ServiceProcess;
    let project: EmptyProject;
    let s3: S3Server;
    let env: Record<string, string>;

    before(async () => {
      place = await newTestPlace(dialect);
      s3 = await startS3Server('lake');
      env = {
        KINDRED_ROLES: 'api,worker',
        KINDRED_IMPORT_SOURCES: s3.url('in'),
        KINDRED_JOB_LEASE_SECONDS: '10',
        ...place.env,
      };
      service = await startServiceProcess(env);
      project = await createEmptyProject(service);
    });
    after(async () => {
      await service?.terminate();
      await s3?.close();
      await place?.remove();
    });

    const importFrom = (source: string, more: object = {}) =>
      succeed(service, '/submit-import-job', { project_id: project.project_id, source, ...more });
    const failureOf = async (source: string, more: object = {}) => {
      const { project_id } = project;
      const { job_id } = await service.ok('POST', '/submit-import-job', { project_id, source, ...more });
      const { job_status, failure_reason } = await ended(service, project_id, job_id);
      assert.equal(job_status, 'FAILED');
      return failure_reason as { code: string; message: string };
    };
    const recordsIn = async (kind: 'user' | 'item' | 'event'): Promise<number> =>
      (await service.ok('GET', `/get-${kind}-dataset`, { [`${kind}_dataset_id`]: project[`${kind}_dataset_id`] }))
        .num_records;

    /** The process that runs the job. */
    const workerOf = async (jobId: string): Promise<number> => {
      const store = await openStore(place);
      const [row] = await store.database.all('SELECT worker_id FROM job WHERE job_id = ?', [jobId]);
      await store.close();
      return Number(/-(\d+)-[0-9a-f]+$/.exec(String(row.worker_id))![1]);
    };

    test('a Parquet file becomes items with their types', async () => {
      const rows = Array.from({ length: 2500 }, (_, n) => n);
      const file = parquetWriteBuffer({
        columnData: [
          { name: 'item_id', data: rows.map((n) => `film-${n}`), type: 'STRING' },
          { name: 'price', data: rows.map((n) => n / 4), type: 'DOUBLE' },
        ],
        rowGroupSize: 1000,
      });
      s3.objects.set('in/day=2026-11-16/Part 0.parquet', Buffer.from(file));
      const job = await importFrom('s3://lake/in/day=2026-11-16/Part 0.parquet');
      const { kind, rows: read, stored, skipped, dataset_id, message } = job.job_result;
      assert.deepEqual({ kind, read, stored, skipped }, { kind: 'items', read: 2500, stored: 2500, skipped: 0 });
      assert.equal(dataset_id, project.item_dataset_id);
      assert.equal(message, '2,500 rows imported.');
      const item = { item_dataset_id: project.item_dataset_id, item_id: 'film-9' };
      assert.deepEqual((await service.ok('GET', '/get-dataset-record', item)).attributes, { price: 2.25 });
    });

    test('rows that cannot be stored are named with the reason, the others are stored', async () => {
      const text = 'user_id;age\nu1;34\n;20\nu2;51\n';
      s3.objects.set('in/people.csv.gz', gzipSync(text));
      const { job_result } = await importFrom('s3://lake/in/people.csv.gz', { kind: 'users' });
      assert.deepEqual([job_result.stored, job_result.skipped], [2, 1]);
      assert.deepEqual(job_result.skipped_rows, [{ row: 2, code: 'UNREADABLE_ROW', message: 'user_id is empty' }]);
      assert.equal(await recordsIn('user'), 2);
    });

    test('a worker killed in the middle stores nothing twice', async () => {
      s3.objects.set('in/orders.csv', Buffer.from(orders(EVENTS)));
      const { project_id } = project;
      const map = { user_id: 'buyer', ts: 'when' };
      const request = { project_id, source: 's3://lake/in/orders.csv', map, event_type: 'purchase' };
      const { job_id } = await service.ok('POST', '/submit-import-job', request);
      while ((await recordsIn('event')) === 0) await delay(20);
      process.kill(await workerOf(job_id), 'SIGKILL');
      await service.kill();
      service = await startServiceProcess(env);
      const job = await ended(service, project_id, job_id);
      assert.equal(job.job_status, 'SUCCEED', JSON.stringify(job.failure_reason));
      assert.equal(job.job_result.stored, EVENTS);
      assert.equal(await recordsIn('event'), EVENTS);
      const { records } = await service.ok('GET', '/list-dataset-records', {
        event_dataset_id: project.event_dataset_id,
        page_size: 1,
      });
      assert.equal(records[0].event_type, 'purchase');
    });

    test('a canceled job stops', async () => {
      const { project_id } = project;
      s3.interrupt(1, 'stall');
      const request = { project_id, source: 's3://lake/in/orders.csv', map: { user_id: 'buyer', ts: 'when' } };
      const { job_id } = await service.ok('POST', '/submit-import-job', request);
      const job = async () => service.ok('GET', '/get-job', { project_id, job_id });
      while ((await job()).progress.phase !== 'download') await delay(20);
      await service.ok('POST', '/cancel-job', { project_id, job_id });
      assert.equal((await ended(service, project_id, job_id)).job_status, 'CANCELLED');
      // The lane is free again.
      await importFrom('s3://lake/in/people.csv.gz', { kind: 'users' });
    });

    test('only files below an allowed place are read', async () => {
      const { project_id } = project;
      for (const source of [
        's3://lake/orders.csv',
        's3://other/in/orders.csv',
        's3://lake/in/../orders.csv',
        's3://lake/in/',
        's3://lake/in/a//b.csv',
        's3://lake/in-other/orders.csv',
      ]) {
        refusedWith(
          await service.call('POST', '/submit-import-job', { project_id, source }),
          403,
          'SOURCE_NOT_ALLOWED',
        );
      }
      for (const wrong of [
        { source: 'file:///etc/passwd' },
        { source: 'http://127.0.0.1/x.csv' },
        { source: 's3://lake/in/a.csv', kind: 'orders' },
        { source: 's3://lake/in/a.csv', encoding: 'klingon' },
        { source: 's3://lake/in/a.csv', lists: { genres: 7 } },
        {},
      ]) {
        refusedWith(await service.call('POST', '/submit-import-job', { project_id, ...wrong }), 400, 'INVALID_REQUEST');
      }
      const unknown = { project_id, source: 's3://lake/in/a.csv', map: { nothing: 'x' } };
      refusedWith(await service.call('POST', '/submit-import-job', unknown), 400, 'UNKNOWN_FIELD');
      const other = { project_id: 'prj_01k9zq4m2v8h3c7f5x1d0b6n9e', source: 's3://lake/in/a.csv' };
      refusedWith(await service.call('POST', '/submit-import-job', other), 404, 'PROJECT_NOT_FOUND');
    });

    test('a file that cannot be imported fails with the reason', async () => {
      assert.equal((await failureOf('s3://lake/in/missing.csv')).code, 'SOURCE_NOT_FOUND');
      s3.objects.set('in/unclear.csv', Buffer.from('a,b\n1,2\n'));
      const unclear = await failureOf('s3://lake/in/unclear.csv', { kind: 'events' });
      assert.equal(unclear.code, 'UNCLEAR_COLUMNS');
      assert.match(unclear.message, /No column for user_id, item_id, ts: the columns are a, b/);
      s3.objects.set('in/broken.parquet', Buffer.from('PAR1 and then nothing'));
      const broken = await failureOf('s3://lake/in/broken.parquet');
      assert.equal(broken.code, 'UNREADABLE_FILE');
      assert.match(broken.message, /^s3:\/\/lake\/in\/broken\.parquet/);
      s3.objects.set('in/cut.csv.gz', gzipSync(orders(5000)).subarray(0, 2000));
      assert.equal((await failureOf('s3://lake/in/cut.csv.gz', { kind: 'events' })).code, 'UNREADABLE_FILE');
      s3.objects.set('in/wrong.csv', Buffer.from('user_id,item_id,ts\nu,i,soon\n'));
      const wrong = await failureOf('s3://lake/in/wrong.csv', { ts_unit: 'date' });
      assert.equal(wrong.code, 'NOTHING_IMPORTED');
      assert.match(wrong.message, /Row 1: ts is not a date: soon/);
    });

    test('the command line has the service read a file', async () => {
      s3.objects.set('in/more.csv', Buffer.from('user_id,age\nc1,3\nc2,4\n'));
      const words = ['import', 's3://lake/in/more.csv', '--by-service', '--project', project.project_id, '--json'];
      const { code, stdout, stderr } = await kindred(service, words);
      assert.equal(code, 0, stderr);
      assert.equal(JSON.parse(stdout).files[0].stored, 2);
      const refused = await kindred(service, ['import', 'people.csv', '--by-service']);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /s3:\/\//);
    });
  });
}

function kindred(service: ServiceProcess, words: string[]) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, KINDRED_DATA_DIR: service.dataDir };
    execFile(process.execPath, [ENTRY, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    );
  });
}
