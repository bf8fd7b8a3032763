// The check of data over HTTP and on the command line, with a worker; on every database.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createEmptyProject, type EmptyProject } from '../support/empty-project.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { ApiCaller, newAccount, startTestService, type TestService } from '../support/service.ts';
import { succeed } from '../support/taste-project.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

const ENTRY = join(import.meta.dirname, '../../src/main.ts');
const SECONDS = 1_762_000_000;

for (const dialect of DIALECTS) {
  describe(`data health on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: EmptyProject;
    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService({
        KINDRED_ROLES: 'api,worker',
        KINDRED_PRIVATE_WEBHOOKS: 'true',
        ...place.env,
      });
      project = await createEmptyProject(service);
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const read = () => service.ok('GET', '/get-data-health', { project_id: project.project_id });
    const check = () => succeed(service, '/submit-data-health-job', { project_id: project.project_id });

    test('a report is kept until the next check, and new warnings are told once', async () => {
      const { project_id, event_dataset_id } = project;
      assert.deepEqual(await read(), { project_id, report: null, running_job_id: null });
      const receiver = await startScriptedServer(() => ({}));
      try {
        await service.ok('POST', '/create-webhook', { url: `${receiver.baseUrl}/x`, events: ['data.warning'] });
        const event = (n: number, ts: number) => ({
          event_id: `e${n}`,
          user_id: `u${n % 2}`,
          item_id: `i${n}`,
          event_type: 'purchase',
          ts,
        });
        const events = [event(0, SECONDS), event(1, SECONDS * 1000), event(2, (SECONDS + 1) * 1000)];
        await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
        const job = await check();
        assert.deepEqual(job.job_result, { events: 3, warnings: 1, notes: 0, message: '1 warning, 0 notes.' });
        const { report } = await read();
        assert.deepEqual([report.events, report.users], [3, 2]);
        assert.deepEqual(
          report.findings.map(({ code, count }: { code: string; count: number }) => [code, count]),
          [['TIMES_IN_SECONDS', 1]],
        );
        // The same warning again is no news.
        await check();
        // An upsert of such an event tells its own warning.
        const told = () =>
          receiver.asked.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.code === 'TIMES_IN_SECONDS');
        for (let tries = 0; told().length === 0 && tries < 1200; tries++) await delay(50);
        await delay(1500);
        assert.equal(told().length, 1);
        const { message, fix, ...data } = told()[0].data;
        assert.deepEqual(data, { project_id, event_dataset_id, code: 'TIMES_IN_SECONDS', count: 1 });
        assert.match(message, /^1 event is dated January 1970/);
        assert.match(fix, /1,000/);
        await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: [event(0, SECONDS * 1000)] });
        await check();
        assert.deepEqual((await read()).report.findings, []);
      } finally {
        await receiver.close();
      }
    });

    test('the command line checks, and shows the newest report', async () => {
      const { PATH, NODE_COMPILE_CACHE } = process.env;
      const env = { PATH, NODE_COMPILE_CACHE, KINDRED_DATA_DIR: service.dataDir };
      const kindred = (...words: string[]) => promisify(execFile)(process.execPath, [ENTRY, ...words], { env });
      const checked = await kindred('data-health');
      assert.match(checked.stdout, /3 events of 2 users with 3 items/);
      assert.match(checked.stdout, /Nothing is wrong\./);
      const last = JSON.parse((await kindred('data-health', '--last', '--json')).stdout);
      assert.deepEqual(last, (await read()).report);
    });

    test('another account sees neither the project nor its report', async () => {
      const stranger = new ApiCaller(service.baseUrl, await newAccount(place, 'stranger'));
      const asked = { project_id: project.project_id };
      for (const [method, path] of [
        ['GET', '/get-data-health'],
        ['POST', '/submit-data-health-job'],
      ]) {
        const { status, body } = await stranger.call(method, path, asked);
        assert.deepEqual([status, body.code], [404, 'PROJECT_NOT_FOUND'], path);
      }
    });
  });
}
