// What a single request may cost everybody: while the most expensive requests arrive, the thread that serves all accounts is never busy
// for long at a stretch.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type CostlyRequest, compressed, costlyShapes, costlyValidRequests } from '../support/cost-shapes.ts';
import { plantModel } from '../support/plant-model.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { longestStretch } from '../support/short-stretch.ts';
import { createTasteProject, succeed, tasteModel } from '../support/taste-project.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

const CALLERS = 16;
const MONITOR = pathToFileURL(join(import.meta.dirname, '../support/loop-monitor.ts')).href;

for (const dialect of DIALECTS) {
  describe(`requests on ${dialect}`, () => {
    let place: TestPlace;
    let service: ServiceProcess;
    let requests: CostlyRequest[];
    let file: string;
    before(async () => {
      place = await newTestPlace(dialect);
      file = join(place.dataDir, 'longest-stretch');
      service = await startServiceProcess({
        KINDRED_DATA_DIR: place.dataDir,
        KINDRED_DATABASE_URL: place.databaseUrl ?? '',
        KINDRED_ROLES: 'api,worker',
        KINDRED_LOG_LEVEL: 'warn',
        NODE_OPTIONS: `--import=${MONITOR}`,
        LOOP_MONITOR_FILE: file,
      });
      const project = await createTasteProject(service);
      const { modelId } = await plantModel(place, project, tasteModel());
      const deployment = { project_id: project.project_id, generator_model_id: modelId, qps: 1000 };
      await succeed(service, '/submit-deployment-job', deployment);
      // What never reaches the store is the same on every database.
      requests = [...costlyValidRequests(project), ...(dialect === 'sqlite' ? costlyShapes(project) : [])];
    });
    after(async () => {
      await service.terminate();
      await place.remove();
    });

    async function send({ method, path, body }: CostlyRequest): Promise<number> {
      if (method === 'GET') return (await service.call('GET', `${path}?${body}`)).status;
      const headers = { 'content-encoding': 'zstd' };
      return (await service.call(method, path, undefined, { raw: compressed(body), headers })).status;
    }

    async function responded(request: CostlyRequest): Promise<void> {
      const status = await send(request);
      const isFine = status < 500 || status === 503;
      assert.ok(isFine, `${request.path} ${request.name} returned ${status}`);
    }

    /** The longest stretch while `work` is done, as a share of the longest allowed. */
    const longestOf = (work: () => Promise<unknown>, limit?: number): Promise<number> =>
      longestStretch(async () => {
        await startOver();
        await work();
        // The monitor has looked once more when a later request is served, however busy the machine is.
        await sleep(10);
        await service.ok('GET', '/healthz');
        return Number(readFileSync(file, 'utf8'));
      }, limit);

    async function startOver(): Promise<void> {
      writeFileSync(file, '');
      service.child.kill('SIGUSR2');
      while (readFileSync(file, 'utf8') === '') await sleep(1);
    }

    test('no request, whatever its shape, keeps the serving thread busy for long', async () => {
      // Once, so that code is compiled.
      for (const request of requests.filter(({ method }) => method === 'GET')) await responded(request);
      const long: string[] = [];
      for (const request of requests) {
        const share = await longestOf(() => responded(request));
        if (share > 1)
          long.push(`${share.toFixed(1)} times the limit: ${request.method} ${request.path} ${request.name}`);
      }
      assert.deepEqual(long, []);
    });

    test('many of them at once, several in one turn, keep it busy for at most twice as long', async () => {
      const small = requests.filter(({ body }) => body.length < 1024 * 1024);
      const share = await longestOf(async () => {
        let next = 0;
        const caller = async (): Promise<void> => {
          while (next < small.length) await responded(small[next++]);
        };
        await Promise.all(Array.from({ length: CALLERS }, caller));
      }, 2);
      assert.ok(share <= 2, `${share.toFixed(1)} times the limit`);
    });
  });
}
