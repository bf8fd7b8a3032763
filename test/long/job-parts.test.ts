// Workers share a job: each does parts of it, one is killed in the middle, and the result is that of one worker, byte for byte.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '../../src/store/open-store.ts';
import { Cluster, type ClusterProcess } from '../support/cluster.ts';
import { plantModel } from '../support/plant-model.ts';
import type { ApiCaller } from '../support/service.ts';
import { createTasteProject, ended, type TasteProject, tasteModel } from '../support/taste-project.ts';

/** More parts than workers, so that the one that is killed has some left. */
const PART_USERS = 400;
const USERS = 4000;

describe('workers share a job', () => {
  let cluster: Cluster;
  let api: ClusterProcess & { caller: ApiCaller };
  let store: Awaited<ReturnType<typeof openStore>>;
  let project: TasteProject;
  let modelId: string;

  before(async () => {
    cluster = await Cluster.start();
    api = await cluster.api();
    project = await createTasteProject(api.caller);
    const events = Array.from({ length: USERS * 3 }, (_, n) => ({
      event_id: `more-${n}`,
      user_id: `m${n % USERS}`,
      item_id: `i${(n * 7) % 60}`,
      ts: 1_700_000_000_000 + n,
      event_type: 'buy',
    }));
    const { event_dataset_id } = project;
    for (let from = 0; from < events.length; from += 1000) {
      const block = events.slice(from, from + 1000);
      await api.caller.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: block });
    }
    const users = Array.from({ length: USERS }, (_, n) => ({ user_id: `m${n}`, attributes: { plan: `p${n % 7}` } }));
    for (let from = 0; from < USERS; from += 1000) {
      const body = { user_dataset_id: project.user_dataset_id, users: users.slice(from, from + 1000) };
      await api.caller.ok('POST', '/upsert-dataset-users', body);
    }
    ({ modelId } = await plantModel(cluster.stores, project, tasteModel()));
    store = await openStore(cluster.stores);
  });
  after(async () => {
    await store.close();
    await cluster.stop();
  });

  const JOBS: readonly [what: string, path: string, body: () => object][] = [
    [
      'lists',
      '/submit-recommendation-job',
      () => ({ project_id: project.project_id, model_id: modelId, users: { all: true }, limit: 10 }),
    ],
    ['an export of users', '/submit-export-job', () => ({ project_id: project.project_id, what: 'users' })],
  ];
  const partsOf = (jobId: string) =>
    store.database.all('SELECT job_status, worker_id, attempt FROM job WHERE parent_job_id = ? ORDER BY part_no', [
      jobId,
    ]);
  const linesOf = async (jobId: string): Promise<string> => {
    const { job_result } = await ended(api.caller, project.project_id, jobId);
    return (await fetch(job_result.download_url)).text();
  };

  for (const [what, path, bodyOf] of JOBS) {
    test(`${what}: a worker killed in the middle loses its part alone, and no user is missing or double`, async () => {
      const submit = async (): Promise<string> => (await api.caller.ok('POST', path, bodyOf())).job_id;
      const whole = await cluster.worker({ env: { KINDRED_JOB_PART_USERS: '1000000' } });
      const expected = await linesOf(await submit());
      assert.equal(new Set(expected.trimEnd().split('\n')).size, expected.trimEnd().split('\n').length);
      assert.ok(expected.trimEnd().split('\n').length >= USERS);
      await whole.kill();

      const env = { KINDRED_JOB_PART_USERS: String(PART_USERS) };
      const [first, second] = await Promise.all([cluster.worker({ env }), cluster.worker({ env })]);
      /** Follows a job to its end, and kills a worker that has a part as soon as both had some and one part is done. */
      const strike = async (jobId: string): Promise<boolean> => {
        const fractions: number[] = [];
        const seen = new Set<ClusterProcess>();
        let isKilled = false;
        let partCount = 1;
        for (;;) {
          const { job_status, progress } = await api.caller.ok(
            'GET',
            `/get-job?project_id=${project.project_id}&job_id=${jobId}`,
          );
          if (progress.phase === 'parts') fractions.push(progress.fraction);
          const parts = await partsOf(jobId);
          partCount = Math.max(partCount, parts.length);
          const holders = [first, second].filter(({ child }) =>
            parts.some(({ worker_id }) => String(worker_id).includes(`-${child.pid}-`)),
          );
          for (const holder of holders) seen.add(holder);
          const done = parts.filter((part) => part.job_status === 'SUCCEED').length;
          if (!isKilled && done > 0 && seen.size === 2 && holders.includes(first)) {
            await first.kill();
            isKilled = true;
          }
          if (job_status !== 'RUNNING' && job_status !== 'PENDING') break;
          await delay(10);
        }
        // What the killed worker had of its part is done again; nothing else is.
        const fallen = fractions.slice(1).reduce((sum, next, n) => sum + Math.max(0, fractions[n] - next), 0);
        assert.ok(fallen < (isKilled ? 1 / partCount : 1e-9), `${fallen}: ${fractions}`);
        return isKilled;
      };
      // A job may have ended before both were seen at it: then the next one is struck.
      let jobId = await submit();
      while (!(await strike(jobId))) {
        assert.equal(await linesOf(jobId), expected);
        jobId = await submit();
      }
      assert.equal(await linesOf(jobId), expected);
      assert.deepEqual(await partsOf(jobId), []);
      await second.kill();
    });
  }
});
