// What a bad network does to a cluster: API nodes and a worker that reach PostgreSQL and a real S3 server through lines that are
// slow, cut, or open without a word. A call on such a node ends in bounded time, with a response or a clear error; other nodes do
// not notice; nothing acknowledged is lost; and when the line is back, the node serves again by itself. Needs Go.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Cluster, type ClusterProcess } from '../support/cluster.ts';
import type { ApiCaller, CallResponse } from '../support/service.ts';
import { createTasteProject, ended, succeed, type TasteProject } from '../support/taste-project.ts';
import { type Lines, PoisonedNetwork } from './poisoned-network.ts';
import type { Toxic } from './toxiproxy.ts';

type ApiNode = ClusterProcess & { caller: ApiCaller };

/** No call takes longer, whatever happens to its connections: 5 s of silence, 5 s for a new connection, and a busy machine. */
const CALL_LIMIT_MS = 30_000;
/** After which a node whose line is back must serve. */
const RECOVERY_MS = 30_000;

const latency = (ms: number, stream: Toxic['stream'] = 'down'): Toxic => ({
  type: 'latency',
  stream,
  attributes: { latency: ms, jitter: Math.floor(ms / 2) },
});
const bandwidth = (kilobytes: number): Toxic => ({ type: 'bandwidth', attributes: { rate: kilobytes } });

describe('a bad network', () => {
  let cluster: Cluster;
  let network: PoisonedNetwork;
  let lines: Lines;
  let workerLines: Lines;
  /** on poisoned lines */
  let node: ApiNode;
  let healthy: ApiNode;
  let project: TasteProject;
  let written = 0;
  const acknowledged: string[] = [];

  before(async () => {
    cluster = await Cluster.start();
    network = await PoisonedNetwork.start(cluster.place.databaseUrl!);
    lines = await network.lines('node');
    workerLines = await network.lines('worker');
    healthy = await cluster.api({ env: (await network.lines('healthy')).env });
    node = await cluster.api({ env: lines.env });
    await cluster.worker({ env: workerLines.env });
    project = await createTasteProject(healthy.caller);
    await deploy(await train());
  });
  after(async () => {
    await cluster?.stop();
    await network?.stop();
  });

  const train = async (): Promise<string> => {
    const { project_id, algorithm_id } = project;
    return (await succeed(healthy.caller, '/submit-training-job', { project_id, algorithm_id })).job_result.model_id;
  };
  const deploy = (generator_model_id: string) =>
    succeed(healthy.caller, '/submit-deployment-job', {
      project_id: project.project_id,
      generator_model_id,
      qps: 10_000,
    });

  /** Fails when the call does not end in time. */
  const inTime = async (call: Promise<CallResponse>): Promise<CallResponse> => {
    const limit = new AbortController();
    const late = delay(CALL_LIMIT_MS, null, { signal: limit.signal }).catch(() => null);
    const response = await Promise.race([call, late]);
    limit.abort();
    assert.ok(response !== null, `a call did not end in ${CALL_LIMIT_MS} ms`);
    return response;
  };
  const write = async ({ caller }: ApiNode): Promise<CallResponse> => {
    const event_id = `net-${written++}`;
    const { event_dataset_id } = project;
    const event = { event_id, user_id: `net-${written % 9}`, item_id: 'i3', ts: Date.now(), event_type: 'buy' };
    const response = await inTime(caller.call('POST', '/upsert-dataset-events', { event_dataset_id, events: [event] }));
    if (response.status === 200) acknowledged.push(event_id);
    return response;
  };
  const read = ({ caller }: ApiNode) =>
    inTime(caller.call('GET', '/get-event-dataset', { event_dataset_id: project.event_dataset_id }));
  const recommend = ({ caller }: ApiNode) =>
    inTime(
      caller.call('POST', '/recommend-items-to-user', { user_id: `u${written % 60}`, project_id: project.project_id }),
    );
  const CALLS = [write, read, recommend];

  const assertServes = async (on: ApiNode): Promise<void> => {
    for (const call of CALLS) {
      const { status, body } = await call(on);
      assert.equal(status, 200, JSON.stringify(body));
    }
  };
  /** Each kind of call, several at once; every one ends, and those that fail say why and what to do. */
  const assertEnds = async (on: ApiNode): Promise<number> => {
    const responses = await Promise.all([...CALLS, ...CALLS, ...CALLS].map((call) => call(on)));
    for (const { status, body } of responses) {
      if (status === 200) continue;
      assert.ok([503, 504].includes(status), `${status} ${JSON.stringify(body)}`);
      assert.match(body.detail, /database|[Tt]ry again|moment/, JSON.stringify(body));
    }
    return responses.filter(({ status }) => status !== 200).length;
  };
  const assertRecovers = async (on: ApiNode): Promise<void> => {
    const deadline = performance.now() + RECOVERY_MS;
    for (const call of CALLS) {
      let response = await call(on);
      while (response.status !== 200 && performance.now() < deadline) {
        await delay(200);
        response = await call(on);
      }
      assert.equal(response.status, 200, JSON.stringify(response.body));
    }
  };

  test('a slow line to the database fails no call', async () => {
    await lines.database.during([latency(150), latency(150, 'up')], () => assertServes(node));
    await lines.database.during([bandwidth(20)], () => assertServes(node));
    const slices = { type: 'slicer', attributes: { average_size: 64, size_variation: 32, delay: 100 } } as const;
    await lines.database.during([slices], () => assertServes(node));
  });

  test('with a line that is cut calls get an error at once, and are served when it is back', async () => {
    for (let round = 0; round < 3; round++) {
      await lines.database.cut();
      await assertEnds(node);
      assert.equal((await write(node)).status, 503);
      await assertServes(healthy);
      await lines.database.restore();
      await assertRecovers(node);
    }
  });

  test('connections that are reset in the middle of a response are replaced', async () => {
    await lines.database.during([{ type: 'limit_data', attributes: { bytes: 300 } }], () => assertEnds(node));
    await assertRecovers(node);
    await lines.database.during([{ type: 'reset_peer', attributes: { timeout: 50 } }], () => assertEnds(node));
    await assertRecovers(node);
    await lines.database.during([{ type: 'slow_close', attributes: { delay: 2000 } }], () => assertServes(node));
  });

  test('on connections that have fallen silent no call hangs, and other nodes do not notice', async () => {
    await lines.database.halfOpen(async () => {
      const [failed] = await Promise.all([assertEnds(node), assertServes(healthy)]);
      assert.ok(failed > 0);
    });
    await assertRecovers(node);
    await assertServes(healthy);
  });

  test('nor does one of many that wait for their turn', async () => {
    // 225 calls: an address may have 256 connections without a call that was authenticated.
    await lines.database.halfOpen(() => Promise.all(Array.from({ length: 25 }, () => assertEnds(node))));
    await assertRecovers(node);
  });

  test('a job ends whatever happens to the lines of its worker', async () => {
    const { project_id, algorithm_id } = project;
    const submit = () => healthy.caller.ok('POST', '/submit-training-job', { project_id, algorithm_id });
    const slow = await workerLines.artifacts.during([latency(200), bandwidth(50)], async () =>
      ended(healthy.caller, project_id, (await submit()).job_id),
    );
    assert.equal(slow.job_status, 'SUCCEED', JSON.stringify(slow.failure_reason));
    const { job_id } = await submit();
    await delay(1000);
    await workerLines.database.halfOpen(() => delay(6000));
    await workerLines.artifacts.cut();
    await delay(2000);
    await workerLines.artifacts.restore();
    const job = await ended(healthy.caller, project_id, job_id);
    assert.equal(job.job_status, 'SUCCEED', JSON.stringify(job.failure_reason));
    await deploy(job.job_result.model_id);
    const { models } = await healthy.caller.ok('GET', '/list-models', { project_id });
    assert.equal(models.length, 3, 'each job has published one model');
  });

  test('a node without a line to its artifacts serves the model it has', async () => {
    await lines.artifacts.cut();
    await assertServes(node);
    await lines.artifacts.restore();
    await lines.artifacts.halfOpen(() => assertServes(node));
  });

  test('nothing that was acknowledged is lost', async () => {
    const { event_dataset_id } = project;
    for (const event_id of acknowledged) {
      const { status } = await healthy.caller.call('GET', '/get-dataset-record', { event_dataset_id, event_id });
      assert.equal(status, 200, event_id);
    }
    assert.ok(acknowledged.length > 10, `${acknowledged.length} events`);
  });
});
