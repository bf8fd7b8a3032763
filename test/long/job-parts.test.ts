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
      ...{ event_id: `more-${n}`, user_id: `m${n % USERS}`, item_id: `i${(n * 7) % 60}`, ts: 1_700_000_000_000 + n },
      event_type: 'buy',
    }));
    const { event_dataset_id } = project;
    for (let from = 0; from < events.length; from += 1000) {
      const block = events.slice(from, from + 1000);
      await api.caller.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: block });
    }
    ({ modelId } = await plantModel(cluster.stores, project, tasteModel()));
    store = await openStore(cluster.stores);
  });
  after(async () => {
    await store.close();
    await cluster.stop();
  });

  const submit = async (): Promise<string> =>
    (
      await api.caller.ok('POST', '/submit-recommendation-job', {
        ...{ project_id: project.project_id, model_id: modelId, users: { all: true }, limit: 10 },
      })
    ).job_id;
  const partsOf = (jobId: string) =>
    store.database.all('SELECT job_status, worker_id, attempt FROM job WHERE parent_job_id = ? ORDER BY part_no', [
      jobId,
    ]);
  const linesOf = async (jobId: string): Promise<string> => {
    const { job_result } = await ended(api.caller, project.project_id, jobId);
    return (await fetch(job_result.download_url)).text();
  };

  test('a worker killed in the middle loses its part alone, and no user is missing or double', async () => {
    const whole = await cluster.worker({ env: { KINDRED_JOB_PART_USERS: '1000000' } });
    const expected = await linesOf(await submit());
    assert.equal(new Set(expected.trimEnd().split('\n')).size, expected.trimEnd().split('\n').length);
    assert.ok(expected.split('\n').length > USERS);
    await whole.kill();

    const env = { KINDRED_JOB_PART_USERS: String(PART_USERS) };
    const [first] = await Promise.all([cluster.worker({ env }), cluster.worker({ env })]);
    const jobId = await submit();
    const workers = new Set<string>();
    const fractions: number[] = [];
    let isKilled = false;
    for (;;) {
      const { job_status, progress } = await api.caller.ok(
        'GET',
        `/get-job?project_id=${project.project_id}&job_id=${jobId}`,
      );
      if (progress.phase === 'parts') fractions.push(progress.fraction);
      const parts = await partsOf(jobId);
      for (const { worker_id } of parts) if (worker_id !== null) workers.add(String(worker_id));
      const done = parts.filter((part) => part.job_status === 'SUCCEED').length;
      const holds = parts.some(({ worker_id }) => String(worker_id).includes(`-${first.child.pid}-`));
      if (!isKilled && done > 0 && holds) {
        await first.kill();
        isKilled = true;
      }
      if (job_status !== 'RUNNING' && job_status !== 'PENDING') break;
      await delay(10);
    }
    assert.ok(isKilled, 'the worker was killed while it had a part');
    assert.equal(workers.size, 2, 'both workers had parts');
    assert.deepEqual(
      fractions,
      fractions.toSorted((a, b) => a - b),
    );
    assert.equal(await linesOf(jobId), expected);
    assert.deepEqual(await partsOf(jobId), []);
  });
});
