// What this API node serves: follows the deployments in the store and tells the store how far it is, so that a deployment job
// can wait for every node.
//
// A switch: the job announces a CANDIDATE → this node loads its models beside those that serve, and reports `prepared` → the
// job makes it ACTIVE → this node puts the new entry into its table, in one assignment. A call takes its entry from the table
// once and keeps it to the end: it is answered by exactly one deployment, and none fails for the switch.
//
// After a restart calls are taken at once: models are loaded one after the other while there is room, and a call whose models
// are not there yet loads them itself.
import { performance } from 'node:perf_hooks';
import { NodeHeart } from '../cluster/node-heart.ts';
import type { Deployment } from '../domain/model.ts';
import type { Project } from '../domain/project.ts';
import type { Logger } from '../observability/logger.ts';
import type { StoredDeployment } from '../store/deployment-store.ts';
import type { NodeProjectState } from '../store/node-store.ts';
import type { Store } from '../store/store.ts';
import type { ModelCache } from './model-cache.ts';
import { TokenBucket } from './token-bucket.ts';

const POLL_MS = 250;
/** How often a deployed model whose file could not be read is tried again. */
const RETRY_UNREADABLE_MS = 10_000;

/** A deployment as calls see it. */
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
}

export class LiveDeployments {
  readonly #parts: LiveDeploymentsParts;
  readonly #projects = new Map<string, ProjectState>();
  readonly #byAccount = new Map<string, Map<string, LiveDeployment>>();
  readonly #heart: NodeHeart;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #stopped = false;
  #unreported = true;
  #failing = false;
  #preloading: Promise<void> = Promise.resolve();
  #triedUnreadableMs = 0;

  constructor(parts: LiveDeploymentsParts) {
    this.#parts = parts;
    this.#heart = new NodeHeart(parts.store.nodes, parts.nodeId);
  }

  /** Makes the node known, then learns what to serve: call it before the first request is accepted. */
  async start(): Promise<void> {
    await this.#heart.beat({ projects: {} });
    await this.follow();
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await Promise.all([this.#work.catch(() => {}), this.#preloading]);
    await this.#heart.leave().catch(() => {});
  }

  /** The project's deployment, if the account has it and it is deployed. */
  get(accountId: string, projectId: string): LiveDeployment | undefined {
    return this.#byAccount.get(accountId)?.get(projectId);
  }

  /** All of an account's deployments. */
  of(accountId: string): LiveDeployment[] {
    return [...(this.#byAccount.get(accountId)?.values() ?? [])];
  }

  /** Everything this node serves. */
  all(): LiveDeployment[] {
    return [...this.#byAccount.values()].flatMap((projects) => [...projects.values()]);
  }

  /** Deployments that cannot serve because a model file is missing or damaged. */
  unreadable(): LiveDeployment[] {
    const { cache } = this.#parts;
    return this.all().filter(({ deployment }) => modelsOf(deployment).some((modelId) => cache.isUnreadable(modelId)));
  }

  /** Catches up with the store now. */
  follow(): Promise<void> {
    this.#work = this.#work.catch(() => {}).then(() => (this.#stopped ? undefined : this.#followOnce()));
    return this.#work;
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(async () => {
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
    }, POLL_MS);
  }

  async #followOnce(): Promise<void> {
    const rows = await this.#parts.store.deployments.current();
    const active = new Set(rows.filter((row) => row.state === 'ACTIVE').map((row) => row.project_id));
    for (const [projectId, state] of this.#projects) {
      if (state.live && !active.has(projectId)) this.#put(projectId, state, null);
    }
    for (const row of rows) {
      const state = this.#stateOf(row.project_id);
      if (row.state === 'CANDIDATE') this.#prepare(row, state);
      else if (state.live?.deployment.version !== row.version) await this.#switch(row, state);
    }
    this.#retryUnreadable();
    if (this.#unreported || this.#heart.isDue) await this.#beat();
  }

  /** So that a file that was put back is noticed, also when nobody calls. */
  #retryUnreadable(): void {
    if (performance.now() - this.#triedUnreadableMs < RETRY_UNREADABLE_MS) return;
    this.#triedUnreadableMs = performance.now();
    for (const { deployment } of this.unreadable()) {
      this.#preloading = this.#preloading.then(() => this.#preload(deployment));
    }
  }

  async #switch(row: StoredDeployment, state: ProjectState): Promise<void> {
    // A node that serves an older version and was not there for the candidate loads first: its calls must not wait for it.
    if (state.live !== null && state.prepared < row.version) return this.#prepare(row, state);
    const project = await this.#parts.store.projects.get(row.account_id, row.project_id);
    if (project === null) return;
    this.#put(row.project_id, state, {
      deployment: row,
      project,
      bucket: new TokenBucket(row.qps / this.#heart.liveNodes, performance.now()),
    });
    if (state.prepared < row.version) this.#preloading = this.#preloading.then(() => this.#preload(row));
  }

  /** Half of the room is left for what calls will ask for. */
  async #preload(row: Deployment): Promise<void> {
    const { cache, log } = this.#parts;
    for (const modelId of modelsOf(row)) {
      if (this.#stopped || cache.memoryBytes() > cache.budgetBytes / 2) return;
      await cache.load(row.account_id, row.project_id, modelId).catch((error) => {
        log.warn({ err: error, project_id: row.project_id }, 'cannot load a deployed model');
      });
    }
  }

  #prepare(row: StoredDeployment, state: ProjectState): void {
    if (state.prepared >= row.version || state.loading === row.version || state.failed?.version === row.version) return;
    state.loading = row.version;
    Promise.all(modelsOf(row).map((modelId) => this.#parts.cache.load(row.account_id, row.project_id, modelId)))
      .then(
        () => {
          state.prepared = Math.max(state.prepared, row.version);
        },
        (error: Error) => {
          state.failed = { version: row.version, message: error.message };
          this.#parts.log.warn({ err: error, project_id: row.project_id }, 'cannot load a deployment');
        },
      )
      .then(() => {
        state.loading = 0;
        this.#unreported = true;
        return this.follow();
      })
      .catch(() => {}); // The regular round tries again.
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
      await this.#heart.beat({ projects });
    } catch (error) {
      this.#unreported = true;
      throw error;
    }
    // A deployment's qps holds for all nodes together: each lets its share through.
    const nowMs = performance.now();
    for (const { deployment, bucket } of this.all()) bucket.setRate(deployment.qps / this.#heart.liveNodes, nowMs);
  }
}

function modelsOf({ generator_model_id, ranker_model_id }: Deployment): string[] {
  return [generator_model_id, ranker_model_id].filter((id) => id !== null);
}
