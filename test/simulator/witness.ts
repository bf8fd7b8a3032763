// Watches a run and says what must never be: the invariants of ARCHITECTURE.md, checked after every step that changed the store
// (job-watch.ts, deployment-watch.ts), and for every response against what callers had been told before they called.
import { AppError } from '../../src/errors.ts';
import type { ApiNode, Response } from './api-node.ts';
import { type Counts, NO_COUNTS } from './counts.ts';
import { DeliveryWatch } from './delivery-watch.ts';
import { DeploymentWatch } from './deployment-watch.ts';
import { ExperimentWatch } from './experiment-watch.ts';
import { JobWatch } from './job-watch.ts';
import { ACCOUNT, PROJECT } from './names.ts';
import type { Receiver } from './receiver.ts';
import { RollBackWatch } from './roll-back-watch.ts';
import type { SharedStore } from './shared-store.ts';
import { isListOf } from './simulated-models.ts';
import type { World } from './world.ts';

/** A node whose heartbeat was stored less than this long ago is no dead one. */
const LIVE_NODE_MS = 5000;

interface ToldShutdown {
  readonly startedMs: number;
  toldMs: number;
}

export class Witness {
  readonly broken: string[] = [];
  readonly shutdowns: ToldShutdown[] = [];
  /** model → when its deletion was acknowledged */
  readonly deletedModels = new Map<string, number>();
  readonly leavingNodes = new Set<string>();
  readonly counts: Counts = { ...NO_COUNTS };
  readonly #jobs: JobWatch;
  readonly rollBacks: RollBackWatch;
  readonly #deployments: DeploymentWatch;
  readonly experiments: ExperimentWatch;
  readonly #deliveries: DeliveryWatch | null;
  readonly #world: World;
  readonly #shared: SharedStore;

  constructor(world: World, shared: SharedStore, receiver: Receiver | null) {
    this.#world = world;
    this.#shared = shared;
    const parts = { world, shared, counts: this.counts, broken: (what: string) => this.break(what) };
    this.#jobs = new JobWatch(parts);
    this.#deployments = new DeploymentWatch(parts, this.#jobs);
    this.rollBacks = new RollBackWatch(parts);
    this.experiments = new ExperimentWatch(parts);
    this.#deliveries = receiver && new DeliveryWatch(parts, this.#jobs, receiver);
  }

  get jobs(): JobWatch['jobs'] {
    return this.#jobs.jobs;
  }

  get openJobs(): number {
    return this.#jobs.open;
  }

  break(what: string): void {
    if (this.broken.includes(what)) return;
    this.broken.push(what);
    this.#world.note(`BROKEN ${what}`);
  }

  afterStep(): void {
    const { changes } = this.#shared;
    if (changes.isEmpty) return;
    this.#jobs.look();
    this.#deployments.look();
    this.rollBacks.look();
    this.experiments.look();
    this.#deliveries?.look();
    this.#checkFiles();
    for (const node of changes.removedNodes) {
      const beatMs = changes.beatMs.get(node) ?? Number.NEGATIVE_INFINITY;
      if (!this.leavingNodes.has(node) && this.#world.nowMs - beatMs < LIVE_NODE_MS) {
        this.break(`${node} was removed from the list of nodes though it lives`);
      }
    }
    changes.clear();
  }

  /** No model without its file, and no file deleted that somebody needs. */
  #checkFiles(): void {
    const { changes, files } = this.#shared;
    const find = (sql: string, param: string) => this.#shared.rows(sql, param);
    for (const modelId of changes.models) {
      for (const { artifact_key } of find('SELECT artifact_key FROM model WHERE model_id = ?', modelId)) {
        if (!files.has(String(artifact_key))) this.break(`model ${modelId} has no file`);
      }
    }
    for (const file of changes.deletedFiles) {
      const models = find('SELECT model_id FROM model WHERE artifact_key = ?', file);
      if (models.length > 0) this.break(`the file of model ${models[0].model_id} was deleted`);
      const why = this.#jobs.whyPieceIsNeeded(file);
      if (why !== null) this.break(`a file was deleted: ${why}`);
      const job = this.#jobs.publishedBy(file);
      if (job !== undefined) this.break(`the result of job ${job} was deleted though it succeeded`);
    }
  }

  /** Calls for a list, and compares what it gets with what callers had been told before. */
  async watchList(node: ApiNode, userId: string, call: () => Promise<Response>): Promise<void> {
    const fromMs = this.#world.nowMs;
    this.counts.calls++;
    try {
      const response = await call();
      const { version, items, placement } = response;
      this.#world.note(`answer ${userId} v${version} ${items} ${placement?.experiment?.variant ?? ''}`);
      this.#responded(node, userId, fromMs, response);
    } catch (error) {
      this.#failed(node, fromMs, error);
      throw error;
    }
  }

  #responded(node: ApiNode, userId: string, fromMs: number, response: Response): void {
    this.counts.responses++;
    const who = `${node.machine.name} served ${userId}`;
    const { timeline } = this.#shared.records;
    for (const item of timeline.items) {
      const isIn = response.items.includes(item);
      const mayBeIn = timeline.wasSince(fromMs, item, true) && timeline.wasSince(fromMs, `${userId} ${item}`, false);
      const mayBeOut = timeline.wasSince(fromMs, item, false) || timeline.wasSince(fromMs, `${userId} ${item}`, true);
      if (isIn && !mayBeIn) this.break(`${who} with ${item}, which was deleted or bought before the call`);
      if (!isIn && !mayBeOut) this.break(`${who} without ${item}, which should be there`);
    }
    const { submittedMs, modelId } = this.#deployments.get(response.version);
    const { placement } = response;
    if (placement !== null) {
      this.counts.shown++;
      this.experiments.shown(who, userId, { ...response, placement }, modelId);
    } else if (response.modelId !== modelId) {
      this.break(`${who} with model ${response.modelId} as version ${response.version}, whose model is ${modelId}`);
    }
    if (!isListOf(response.modelId, response.items)) {
      this.break(`${who} with a list that is not of model ${response.modelId}: ${response.items}`);
    }
    // A node that cannot reach the store serves on with what it knows, and others do not wait for it.
    if (node.machine.disturbedMs >= fromMs) return void this.counts.excused++;
    if ((this.deletedModels.get(response.modelId) ?? Infinity) <= fromMs) {
      this.break(`${who} with the deleted model ${response.modelId}`);
    }
    if (this.shutdowns.some(({ startedMs, toldMs }) => toldMs <= fromMs && submittedMs < startedMs)) {
      this.break(`${who} with version ${response.version} after its shutdown was acknowledged`);
    }
    if (placement !== null) this.experiments.shownUndisturbed(who, fromMs, { ...response, placement });
    for (const { version, sinceMs } of this.#deployments.complete) {
      if (sinceMs <= fromMs && response.version < version) {
        this.break(`${who} with version ${response.version} after version ${version} was deployed`);
      }
    }
  }

  #failed(node: ApiNode, fromMs: number, error: unknown): void {
    const isNone = error instanceof AppError && error.code === 'NO_MODEL_DEPLOYED';
    if (isNone) this.counts.none++;
    if (node.machine.disturbedMs >= fromMs) return void this.counts.excused++;
    if (!isNone) this.break(`a call failed on ${node.machine.name}: ${error}`);
    else if (this.#deployments.servesSince(fromMs)) {
      this.break(`${node.machine.name} had no deployment though one was complete`);
    }
  }

  /** When all is quiet and nothing fails any more. */
  checkJobsEnded(): void {
    for (const [id, { end, type }] of this.jobs) {
      if (end === null) this.break(`${type} job ${id} of ${PROJECT} has not ended`);
    }
  }

  /** Deleted models in the memory of nodes. */
  heldModels(nodes: readonly ApiNode[]): string[] {
    return [...this.deletedModels.keys()].flatMap((modelId) =>
      nodes
        .filter(({ cache }) => cache.get({ accountId: ACCOUNT, projectId: PROJECT, modelId }))
        .map(({ machine }) => `${machine.name} holds the deleted model ${modelId}`),
    );
  }
}
