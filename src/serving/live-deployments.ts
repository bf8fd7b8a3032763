// Keeps what this API node serves up to date: follows the deployments in the store and reports its progress to the store, so that
// a deployment job can wait for every node.
//
// A switch: the job announces a CANDIDATE → this node loads its models next to those that serve, and reports `prepared` → the
// job makes it ACTIVE → this node puts the new entry into its table, in one assignment. A call takes its entry from the table
// once and keeps it to the end: exactly one deployment serves it, and none fails for the switch.
//
// Every change raises the store's epoch; this node reports the epoch it has followed. What a caller must be able to rely on
// (a shutdown, a deleted model, another default project) is acknowledged when every live node has followed it. A node that was
// paused for so long that others count it as gone follows before it serves its next call.
//
// After a restart calls are taken at once: models are loaded one after the other while there is room (`hasLoaded` tells when they are
// there), and a call whose models are not there yet loads them itself.

import { type Runtime, systemRuntime, type Timer } from '../base/runtime.ts';
import { NodeHeart } from '../cluster/node-heart.ts';
import { NODE_LEASE_MS, waitForNodes } from '../cluster/node-watch.ts';
import { SharedLook } from '../cluster/shared-look.ts';
import type { Deployment } from '../domain/model.ts';
import type { Project } from '../domain/project.ts';
import { isUnavailable } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { CurrentDeployment, StoredDeployment } from '../store/deployment-store.ts';
import type { NodeMark, NodeProjectState } from '../store/node-store.ts';
import { asService } from '../store/on-behalf-of.ts';
import type { Store } from '../store/store.ts';
import type { ModelCache, ModelName } from './model-cache.ts';
import { TokenBucket } from './token-bucket.ts';

const POLL_MS = 250;
/** How often a deployed model whose file could not be read is loaded again. */
const RETRY_UNREADABLE_MS = 10_000;
/** How long to wait for a node that has started to load its models. */
const LOAD_PATIENCE_MS = 60_000;
/**
 * Longer than a node's lease: by then each node has followed, or its last look is so old that it looks again before it
 * serves (`isFresh`).
 */
const FOLLOW_PATIENCE_MS = NODE_LEASE_MS + 3000;

/** A deployment as calls use it. */
export interface LiveDeployment {
  readonly deployment: Deployment;
  readonly project: Project;
  readonly bucket: TokenBucket;
}

interface ProjectState {
  live: LiveDeployment | null;
  /** newest version whose models are loaded */
  prepared: number;
  failed?: { version: number; message: string };
  /** version that is being loaded */
  loading: number;
}

export interface LiveDeploymentsParts {
  nodeId: string;
  store: Store;
  cache: ModelCache;
  log: Logger;
  runtime?: Runtime;
}

export class LiveDeployments {
  readonly #parts: LiveDeploymentsParts;
  readonly #projects = new Map<string, ProjectState>();
  readonly #byAccount = new Map<string, Map<string, LiveDeployment>>();
  /** default project by account, for accounts with a deployment */
  #defaults: ReadonlyMap<string, string | null> = new Map();
  readonly #runtime: Runtime;
  readonly #heart: NodeHeart;
  #timer: Timer | undefined;
  #stopped = false;
  #epoch = -1;
  /** when the last look began, on the monotonic clock and on the wall clock */
  #followed = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: 0 };
  readonly #look = new SharedLook<void>(() => asService(() => this.#followOnce()));
  #unreported = true;
  #failing = false;
  #preloading: Promise<void> = Promise.resolve();
  #triedUnreadableMs = 0;
  #startedMs = Number.POSITIVE_INFINITY;
  #hasLoaded = false;

  constructor(parts: LiveDeploymentsParts) {
    this.#parts = parts;
    this.#runtime = parts.runtime ?? systemRuntime;
    this.#heart = new NodeHeart(parts.store.nodes, parts.nodeId, this.#runtime);
  }

  /** Registers the node, then finds out what to serve. Call it before the first request is accepted. */
  async start(): Promise<void> {
    await this.#heart.beat({ epoch: this.#epoch, projects: {} });
    await this.follow();
    this.#startedMs = this.#runtime.monotonicMs();
    this.#preloading.then(() => {
      this.#hasLoaded = true;
    });
    this.#schedule();
  }

  /** Whether the models that were deployed at the start are in memory, as far as they fit; true after a minute in any case. */
  get hasLoaded(): boolean {
    return this.#hasLoaded || this.#runtime.monotonicMs() - this.#startedMs > LOAD_PATIENCE_MS;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await Promise.all([this.refresh(), this.#preloading]);
    await this.#heart.leave().catch(() => {});
  }

  /** The project's deployment, if the account has it and it is deployed. */
  get(accountId: string, projectId: string): LiveDeployment | undefined {
    return this.#byAccount.get(accountId)?.get(projectId);
  }

  /** All deployments of the account, its default project first. */
  ofAccount(accountId: string): LiveDeployment[] {
    const projects = this.#byAccount.get(accountId);
    if (!projects) return [];
    const first = projects.get(this.defaultProjectOf(accountId) ?? '');
    return first ? [first, ...[...projects.values()].filter((live) => live !== first)] : [...projects.values()];
  }

  /** The account's project for calls that name none; undefined while the account has no deployment. */
  defaultProjectOf(accountId: string): string | null | undefined {
    return this.#defaults.get(accountId);
  }

  /** All deployments that this node serves. */
  all(): LiveDeployment[] {
    return [...this.#byAccount.values()].flatMap((projects) => [...projects.values()]);
  }

  /** Deployments that cannot serve because a model file is missing or damaged. */
  unreadable(): LiveDeployment[] {
    const { cache } = this.#parts;
    return this.all().filter(({ deployment }) => modelsOf(deployment).some((modelId) => cache.isUnreadable(modelId)));
  }

  /** Reads the current state of the store, once for all callers that wait. */
  async follow(): Promise<void> {
    await this.#look.take();
  }

  /** Follows the store on this node and waits for all other live nodes. */
  async followedEverywhere(epoch: number): Promise<void> {
    await this.follow();
    // A node of version 0.1.0 reports no epoch, but it follows before each heartbeat.
    const firstBeats = new Map<string, number>();
    const hasBeatenTwice = ({ nodeId, heartbeat }: NodeMark): boolean => {
      if (!firstBeats.has(nodeId)) firstBeats.set(nodeId, heartbeat);
      return heartbeat >= firstBeats.get(nodeId)! + 2;
    };
    await waitForNodes({
      nodes: this.#parts.store.nodes,
      reached: (node) => (node.epoch === undefined ? hasBeatenTwice(node) : node.epoch >= epoch),
      patienceMs: FOLLOW_PATIENCE_MS,
      runtime: this.#runtime,
    });
  }

  /** The epoch this node has followed. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * False if this node was away for so long that others may consider it gone: refresh before you serve. While a machine is
   * suspended its monotonic clock may stop, so a jump of the wall clock counts too.
   */
  get isFresh(): boolean {
    const sinceMs = this.#runtime.monotonicMs() - this.#followed.monotonicMs;
    const byWallMs = this.#runtime.nowMs() - this.#followed.wallMs;
    return Math.max(sinceMs, Math.abs(byWallMs)) <= NODE_LEASE_MS;
  }

  /** Like `follow`, but if the store is unavailable, keeps what is known. */
  async refresh(): Promise<void> {
    await this.follow().catch(() => {});
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = this.#runtime.after(POLL_MS, async () => {
      try {
        await this.follow();
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) {
          this.#parts.log.warn({ err: error }, 'cannot follow deployments; what is deployed keeps serving');
        }
        this.#failing = true;
      }
      this.#schedule();
    });
  }

  async #followOnce(): Promise<void> {
    if (this.#stopped) return;
    const { deployments } = this.#parts.store;
    const started = { monotonicMs: this.#runtime.monotonicMs(), wallMs: this.#runtime.nowMs() };
    const epoch = await deployments.epoch();
    const isChanged = epoch !== this.#epoch;
    if (isChanged || this.#unreported || this.#heart.isDue) {
      await this.#apply(await deployments.current());
      if (isChanged) await this.#parts.cache.forgetDeleted();
      this.#epoch = epoch;
      await this.#beat();
    }
    this.#followed = started;
  }

  async #apply(rows: readonly CurrentDeployment[]): Promise<void> {
    const known = new Set(rows.map((row) => row.project_id));
    const active = new Set(rows.filter((row) => row.state === 'ACTIVE').map((row) => row.project_id));
    for (const [projectId, state] of this.#projects) {
      if (state.live && !active.has(projectId)) this.#put(projectId, state, null);
      if (!known.has(projectId)) this.#projects.delete(projectId);
    }
    this.#defaults = new Map(rows.map((row) => [row.account_id, row.default_project_id]));
    for (const row of rows) {
      const state = this.#stateOf(row.project_id);
      if (row.state === 'CANDIDATE') this.#prepare(row, state);
      else if (state.live?.deployment.version !== row.version) await this.#switch(row, state);
    }
    this.#retryUnreadable();
  }

  /** Tries again on a timer, so that a restored file is noticed even if nobody calls. */
  #retryUnreadable(): void {
    if (this.#runtime.monotonicMs() - this.#triedUnreadableMs < RETRY_UNREADABLE_MS) return;
    this.#triedUnreadableMs = this.#runtime.monotonicMs();
    for (const { deployment } of this.unreadable()) {
      this.#preloading = this.#preloading.then(() => this.#preload(deployment));
    }
  }

  async #switch(row: StoredDeployment, state: ProjectState): Promise<void> {
    // Models that are missing because the node was away are loaded when they are called. What served before cannot continue
    // meanwhile: it may have been shut down.
    const project = await this.#parts.store.projects.get(row.account_id, row.project_id);
    if (project === null) return;
    this.#put(row.project_id, state, {
      deployment: row,
      project,
      bucket: new TokenBucket(row.qps / this.#heart.liveNodes, this.#runtime.monotonicMs()),
    });
    if (state.prepared < row.version) this.#preloading = this.#preloading.then(() => this.#preload(row));
  }

  /** Leaves half of the memory for models that calls will need. */
  async #preload(row: Deployment): Promise<void> {
    const { cache, log } = this.#parts;
    for (const modelId of modelsOf(row)) {
      if (this.#stopped || cache.memoryBytes() > cache.budgetBytes / 2) return;
      await cache.load(nameOf(row, modelId)).catch((error) => {
        log.warn({ err: error, project_id: row.project_id }, 'cannot load a deployed model');
      });
    }
  }

  #prepare(row: StoredDeployment, state: ProjectState): void {
    if (state.prepared >= row.version || state.loading === row.version || state.failed?.version === row.version) return;
    state.loading = row.version;
    Promise.all(modelsOf(row).map((modelId) => this.#parts.cache.load(nameOf(row, modelId))))
      .then(
        () => {
          state.prepared = Math.max(state.prepared, row.version);
        },
        (error: Error) => {
          this.#parts.log.warn({ err: error, project_id: row.project_id }, 'cannot load a deployment');
          if (isUnavailable(error)) throw error;
          state.failed = { version: row.version, message: error.message };
        },
      )
      .finally(() => {
        state.loading = 0;
        this.#unreported = true;
      })
      .then(() => this.follow())
      .catch(() => {}); // The next regular round tries again, even if the database or the storage was unreachable.
  }

  #put(projectId: string, state: ProjectState, live: LiveDeployment | null): void {
    const accountId = (live ?? state.live)?.deployment.account_id ?? '';
    const projects = this.#byAccount.get(accountId) ?? new Map<string, LiveDeployment>();
    if (live) projects.set(projectId, live);
    else projects.delete(projectId);
    if (projects.size > 0) this.#byAccount.set(accountId, projects);
    else this.#byAccount.delete(accountId);
    state.live = live;
    this.#unreported = true;
    this.#parts.log.info({ project_id: projectId, version: live?.deployment.version ?? null }, 'deployment switched');
  }

  #stateOf(projectId: string): ProjectState {
    let state = this.#projects.get(projectId);
    if (!state) {
      state = { live: null, prepared: 0, loading: 0 };
      this.#projects.set(projectId, state);
    }
    return state;
  }

  async #beat(): Promise<void> {
    this.#unreported = false;
    const projects: Record<string, NodeProjectState> = {};
    for (const [projectId, { live, prepared, failed }] of this.#projects) {
      const serving = live?.deployment.version ?? 0;
      projects[projectId] = { serving, prepared: Math.max(serving, prepared), ...(failed && { failed }) };
    }
    try {
      await this.#heart.beat({ epoch: this.#epoch, projects });
    } catch (error) {
      this.#unreported = true;
      throw error;
    }
    // A deployment's qps applies to all nodes together: each node admits its share.
    const nowMs = this.#runtime.monotonicMs();
    for (const { deployment, bucket } of this.all()) bucket.setRate(deployment.qps / this.#heart.liveNodes, nowMs);
  }
}

function modelsOf({ generator_model_id, ranker_model_id }: Deployment): string[] {
  return [generator_model_id, ranker_model_id].filter((id) => id !== null);
}

function nameOf({ account_id, project_id }: Deployment, modelId: string): ModelName {
  return { accountId: account_id, projectId: project_id, modelId };
}
