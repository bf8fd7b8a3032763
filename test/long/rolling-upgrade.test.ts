// Nodes of every kept release next to nodes of this version, on one PostgreSQL and one artifact folder: clients behind a load
// balancer write, delete, read and get recommendations all the time, and no call fails. At the end all counts are exact.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '../../src/store/open-store.ts';
import { Cluster, type ClusterProcess } from '../support/cluster.ts';
import { keptReleases, unpackKeptProgram } from '../support/kept-release.ts';
import type { ApiCaller } from '../support/service.ts';
import { assertCountedBytes } from '../support/stored-bytes.ts';
import { createTasteProject, ended, succeed, type TasteProject, tasteEvents } from '../support/taste-project.ts';

const CLIENTS = 3;
const USERS_OF_CLIENT = 5;
const OWN_ITEMS = 7;
/** The machine also has to train. */
const PAUSE_MS = 50;

/** Nobody is killed here: a pause of the machine must not look like a lost worker. */
const PATIENT = { env: { KINDRED_JOB_LEASE_SECONDS: '20' } };

type ApiNode = ClusterProcess & { caller: ApiCaller };
type Call = [method: string, path: string, body: object];

/** Clients behind a load balancer: each call goes to the next node, with a token that any node may have issued. */
class Clients {
  readonly #project: TasteProject;
  readonly failures: string[] = [];
  /** event_id → user_id of what was acknowledged and not deleted */
  readonly events = new Map<string, string>();
  calls = 0;
  #nodes: readonly ApiCaller[];
  #stopped = false;
  readonly #loops: Promise<void>[];

  constructor(project: TasteProject, nodes: readonly ApiCaller[]) {
    this.#project = project;
    this.#nodes = nodes;
    this.#loops = Array.from({ length: CLIENTS }, (_, client) => this.#work(client));
  }

  /** What the load balancer knows from now on; resolves when no call is on its way to another node. */
  async use(...nodes: readonly ApiCaller[]): Promise<void> {
    this.#nodes = nodes;
    const before = this.calls;
    while (this.calls < before + CLIENTS * 20) await delay(20);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#loops);
  }

  async #work(client: number): Promise<void> {
    const { event_dataset_id, item_dataset_id, user_dataset_id, project_id } = this.#project;
    for (let round = 0; !this.#stopped; round++) {
      const event_id = `roll-${client}-${round}`;
      const user_id = `roll-${client}-${round % USERS_OF_CLIENT}`;
      const item_id = `own-${client}-${round % OWN_ITEMS}`;
      const event = { event_id, user_id, item_id: `i${round % 60}`, ts: Date.now(), event_type: 'buy' };
      const isStored = await this.#send('POST', '/upsert-dataset-events', { event_dataset_id, events: [event] });
      if (isStored) this.events.set(event_id, user_id);
      const calls: Call[] = [
        ['POST', '/recommend-items-to-user', { user_id: `u${round % 60}`, project_id }],
        ['POST', '/upsert-dataset-items', { item_dataset_id, items: [{ item_id, attributes: { price: round } }] }],
        ['POST', '/upsert-dataset-users', { user_dataset_id, users: [{ user_id, attributes: { round } }] }],
        ['GET', '/get-dataset-record', { event_dataset_id, event_id }],
        ['GET', '/list-dataset-records', { item_dataset_id, page_size: '100' }],
        ['DELETE', '/delete-dataset-items', { item_dataset_id, item_ids: [item_id] }],
        ['POST', '/recommend-items-to-user', { user_id, project_id }],
        ['GET', '/list-jobs', { project_id }],
        ['GET', '/get-event-dataset', { event_dataset_id }],
      ];
      for (const call of calls) await this.#send(...call);
      await delay(PAUSE_MS);
      if (round % 9 === 8) {
        // All events of the user go, and the user is written again with the next round: nodes must not mix up users.
        const isDeleted = await this.#send('DELETE', '/delete-dataset-user-events', { event_dataset_id, user_id });
        for (const [id, owner] of this.events) if (isDeleted && owner === user_id) this.events.delete(id);
      }
    }
  }

  async #send(method: string, path: string, body: object): Promise<boolean> {
    const nodes = this.#nodes;
    const node = nodes[this.calls++ % nodes.length];
    const issuer = nodes[this.calls % nodes.length];
    const headers = { authorization: `Bearer ${await issuer.token()}` };
    const response = await node
      .call(method, path, body, { headers })
      .catch((error) => ({ status: 0, body: String(error) }));
    const isDone = response.status === 200 && !(response.body.failed_ids?.length > 0);
    if (!isDone)
      this.failures.push(`${method} ${path} on ${node.baseUrl}: ${response.status} ${JSON.stringify(response.body)}`);
    return isDone;
  }
}

for (const release of keptReleases()) {
  describe(`a rolling upgrade from ${release}`, () => {
    let cluster: Cluster;
    let oldNode: ApiNode;
    let newNode: ApiNode;
    let oldWorker: ClusterProcess;
    let project: TasteProject;
    let clients: Clients;
    let modelId: string;

    before(async () => {
      cluster = await Cluster.start();
      const main = unpackKeptProgram(release, cluster.place.dataDir);
      oldNode = await cluster.api({ main, ...PATIENT });
      oldWorker = await cluster.worker({ main, ...PATIENT });
      project = await createTasteProject(oldNode.caller);
      const { project_id, algorithm_id } = project;
      const trained = await succeed(oldNode.caller, '/submit-training-job', { project_id, algorithm_id });
      await deploy(oldNode.caller, trained.job_result.model_id);
      clients = new Clients(project, [oldNode.caller]);
    });
    after(async () => {
      await clients?.stop();
      await cluster?.stop();
    });

    const deploy = (caller: ApiCaller, generator_model_id: string) =>
      succeed(caller, '/submit-deployment-job', { project_id: project.project_id, generator_model_id, qps: 10_000 });
    const assertNoFailure = (): void => assert.deepEqual(clients.failures, []);

    test('a node of this version migrates the database and serves, and no call of either fails', async () => {
      newNode = await cluster.api(PATIENT);
      await clients.use(oldNode.caller, newNode.caller);
      assertNoFailure();
    });

    test('a job that the old worker cannot run waits for a worker of this version', async () => {
      const { project_id, algorithm_id } = project;
      const { job_id } = await oldNode.caller.ok('POST', '/submit-training-job', { project_id, algorithm_id });
      await delay(2000);
      const waiting = await newNode.caller.ok('GET', '/get-job', { project_id, job_id });
      assert.deepEqual([waiting.job_status, waiting.retry_count], ['PENDING', 0]);
      assert.equal(await oldWorker.terminate(), 0);
      await cluster.worker(PATIENT);
      const trained = await ended(newNode.caller, project_id, job_id);
      assert.deepEqual([trained.job_status, trained.retry_count], ['SUCCEED', 0]);
      modelId = trained.job_result.model_id;
      assertNoFailure();
    });

    test('what every node must follow is acknowledged while the old node lives', async () => {
      const { project_id } = project;
      await newNode.caller.ok('POST', '/create-placement', { project_id, name: 'home', kind: 'for_you' });
      await newNode.caller.ok('PUT', '/update-placement', { project_id, name: 'home', defaults: { limit: 3 } });
      assertNoFailure();
    });

    test('the old node leaves, and a model of this version is deployed', async () => {
      await clients.use(newNode.caller);
      assert.equal(await oldNode.terminate(), 0);
      await deploy(newNode.caller, modelId);
      assertNoFailure();
    });

    test('then what the old node wrote is counted, and nothing that was acknowledged is lost', async () => {
      const store = await openStore(cluster.stores);
      try {
        const isCounted = async () =>
          (await store.database.all<{ name: string | null }>(`SELECT to_regclass('older_write')::text AS name`))[0]
            .name === null;
        while (!(await isCounted())) await delay(200);
        await clients.stop();
        assertNoFailure();
        assert.ok(clients.calls > 500, `${clients.calls} calls`);
        await assertCountedBytes(store, project.account_id);

        const { event_dataset_id } = project;
        for (const [event_id, user_id] of clients.events) {
          assert.equal((await store.events.get(event_dataset_id, event_id))?.user_id, user_id, event_id);
        }
        const { num_records } = await newNode.caller.ok('GET', '/get-event-dataset', { event_dataset_id });
        assert.equal(num_records, tasteEvents().length + clients.events.size);
        const top = await newNode.caller.ok('POST', '/list-top-items', {
          project_id: project.project_id,
          by: 'popular',
          limit: 60,
        });
        const counted = new Map(
          top.results.map((one: { item: { item_id: string }; score: number }) => [one.item.item_id, one.score]),
        );
        const expected = new Map<string, number>();
        for (const id of clients.events.keys()) {
          const item = `i${Number(id.split('-')[2]) % 60}`;
          expected.set(item, (expected.get(item) ?? 0) + 1);
        }
        assert.deepEqual(new Map([...counted].sort()), new Map([...expected].sort()));
      } finally {
        await store.close();
      }
    });
  });
}
