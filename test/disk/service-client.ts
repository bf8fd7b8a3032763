// A client of a service whose disk fails: it remembers what was acknowledged, and whether each call was served or refused as the
// API promises.
import { setTimeout as delay } from 'node:timers/promises';
import type { CallResponse, ServiceProcess } from '../support/service.ts';
import type { TasteProject } from '../support/taste-project.ts';

/** However slow the machine is. */
const HANGS_MS = 120_000;
const JOB_HANGS_MS = 300_000;

export class ServiceClient {
  readonly #service: ServiceProcess;
  readonly #project: TasteProject;
  #wrong: string[] = [];
  #made = 0;
  readonly seen = { calls: 0, refused: 0, jobs: 0, events: new Set<string>(), items: new Set<string>() };

  constructor(service: ServiceProcess, project: TasteProject) {
    this.#service = service;
    this.#project = project;
  }

  /** Writes, reads and asks. */
  async work(): Promise<void> {
    const { event_dataset_id, item_dataset_id, project_id } = this.#project;
    const n = this.#made++;
    const item_id = `written-${n}`;
    const ids = [0, 1, 2].map((part) => `written-${n}-${part}`);
    const events = ids.map((event_id) => ({
      event_id,
      user_id: `u${n % 60}`,
      item_id: `i${n % 60}`,
      ts: 1_800_000_000_000 + n,
      event_type: 'buy',
    }));
    const text = 'x'.repeat(3000);
    const results = await Promise.all([
      this.#call('POST', '/upsert-dataset-events', { event_dataset_id, events }),
      this.#call('POST', '/upsert-dataset-items', { item_dataset_id, items: [{ item_id, attributes: { text } }] }),
      this.#call('GET', '/list-dataset-records', { event_dataset_id, user_id: `u${n % 60}` }),
      this.#call('POST', '/recommend-items-to-user', { project_id, user_id: `u${(n * 7) % 60}` }),
    ]);
    if (results[0]) for (const id of ids) this.seen.events.add(id);
    if (results[1]) this.seen.items.add(item_id);
  }

  /** Waits until the job has ended, if it was submitted; either way is good if it is told. */
  async train(): Promise<void> {
    const { project_id, algorithm_id } = this.#project;
    const job_id = (await this.#call('POST', '/submit-training-job', { project_id, algorithm_id }))?.body.job_id;
    if (job_id === undefined) return;
    for (const endMs = performance.now() + JOB_HANGS_MS; performance.now() < endMs; await delay(50)) {
      const job = (await this.#call('GET', '/get-job', { project_id, job_id }))?.body;
      if (job === undefined || job.job_status === 'PENDING' || job.job_status === 'RUNNING') continue;
      this.seen.jobs++;
      const isTold = job.job_status === 'SUCCEED' || Boolean(job.failure_reason.message);
      if (!isTold) this.#wrong.push(`job ${job_id} failed without a reason`);
      return;
    }
    this.#wrong.push(`job ${job_id} does not end`);
  }

  /** The fault is over: calls are served. */
  async checkAfter(): Promise<string[]> {
    const { item_dataset_id } = this.#project;
    const refused = this.seen.refused;
    const wrong: string[] = [];
    await this.work();
    const item_id = [...this.seen.items].at(-1);
    if (item_id && !(await this.#call('GET', '/get-dataset-record', { item_dataset_id, item_id })))
      wrong.push(`item ${item_id} cannot be read`);
    if (this.seen.refused > refused) wrong.push(`${this.seen.refused - refused} calls were refused after the fault`);
    return wrong;
  }

  takeWrong(): string[] {
    const wrong = this.#wrong;
    this.#wrong = [];
    return wrong;
  }

  /** null: refused, as the API promises for a store that fails. */
  async #call(method: string, path: string, body: object): Promise<CallResponse | null> {
    this.seen.calls++;
    const hangs = delay(HANGS_MS, null, { ref: false });
    const response = await Promise.race([this.#service.call(method, path, body).catch(String), hangs]);
    if (response !== null && typeof response !== 'string' && response.status === 200) return response;
    this.seen.refused++;
    if (response === null) this.#wrong.push(`${path} hangs`);
    else if (typeof response === 'string') this.#wrong.push(`${path} lost its connection: ${response}`);
    else if (response.status !== 503 || response.body.code !== 'STORE_UNAVAILABLE' || !response.body.detail)
      this.#wrong.push(`${path} got ${response.status} ${JSON.stringify(response.body)}`);
    return null;
  }
}
