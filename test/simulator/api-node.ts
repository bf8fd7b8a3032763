// An API node of the simulation: the real parts that coordinate (deployments, models in memory, cached lists, automation), over a
// store it reaches through the simulated network. Each call does what its route does.
import { AutomationScheduler } from '../../src/automation/automation-scheduler.ts';
import { WebhookCourier } from '../../src/automation/webhooks/webhook-courier.ts';
import { type JobType, newJob } from '../../src/domain/job.ts';
import { AppError } from '../../src/errors.ts';
import { type ChosenDefinition, chooseVariant } from '../../src/serving/choose-variant.ts';
import { DeployedModels } from '../../src/serving/deployed-models.ts';
import type { FilterSets } from '../../src/serving/filter-sets.ts';
import type { ListQuestion } from '../../src/serving/list-question.ts';
import { LiveDeployments } from '../../src/serving/live-deployments.ts';
import { LivePlacements } from '../../src/serving/live-placements.ts';
import { ModelCache } from '../../src/serving/model-cache.ts';
import { type Ranking, RankingCache } from '../../src/serving/ranking-cache.ts';
import type { RankingModels } from '../../src/serving/ranking-models.ts';
import { UserChanges } from '../../src/serving/user-changes.ts';
import { rankingOf, UserRankings } from '../../src/serving/user-rankings.ts';
import { BlobNotFound, type BlobStore } from '../../src/store/blob-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Machine } from './machine.ts';
import { ACCOUNT, PLACEMENT, PROJECT } from './names.ts';
import type { Network } from './network.ts';
import { NodeRoutes } from './node-routes.ts';
import type { Receiver } from './receiver.ts';
import type { SharedStore } from './shared-store.ts';
import { SILENT } from './silent-log.ts';
import { recommenderOf } from './simulated-models.ts';

const BUDGET_BYTES = 2 ** 30;

export interface Response {
  /** in the order of the list */
  readonly items: readonly string[];
  readonly modelId: string;
  readonly version: number;
  /** of a list of the placement: what the node knows of it */
  readonly placement: (Pick<ChosenDefinition, 'experiment'> & { readonly version: number }) | null;
}

export interface NodeOptions {
  readonly longestLoadMs: number;
  readonly modelBudgetBytes: number;
  /** null: nothing is automated */
  readonly automationPollMs: number | null;
  /** who gets deliveries; null: nobody wants any */
  readonly receiver: Receiver | null;
}

export const USUAL_NODE: NodeOptions = {
  longestLoadMs: 300,
  modelBudgetBytes: 2 ** 30,
  automationPollMs: null,
  receiver: null,
};

export function sharedBlobs(shared: SharedStore, machine: Machine, network: Network): BlobStore {
  return {
    localFile: (key) =>
      network.call(machine, 'read a file', () => {
        if (!shared.files.has(key)) throw new BlobNotFound(key);
        return key;
      }),
    putFile: (key) => network.call(machine, 'write a file', () => void shared.files.add(key)),
    delete: (key) => network.call(machine, 'delete a file', () => shared.deleteFile(key)),
    async *list(prefix) {
      const keys = await network.call(machine, 'list files', () => [...shared.files]);
      for (const key of keys) if (key.startsWith(prefix)) yield { key, bytes: 1, modifiedMs: 0 };
    },
  } as Partial<BlobStore> as BlobStore;
}

export class ApiNode {
  readonly machine: Machine;
  readonly store: Store;
  readonly deployments: LiveDeployments;
  readonly cache: ModelCache;
  readonly routes: NodeRoutes;
  isStarted = false;
  #isStopped = false;
  readonly #calls = new Set<Promise<void>>();
  readonly #blobs: BlobStore;
  readonly #deployed: DeployedModels;
  readonly #placements: LivePlacements;
  readonly #rankings: UserRankings;
  readonly #scheduler: AutomationScheduler | null;
  readonly #courier: WebhookCourier | null;

  constructor(machine: Machine, shared: SharedStore, network: Network, options: NodeOptions = USUAL_NODE) {
    const { runtime } = machine;
    this.machine = machine;
    this.store = shared.seenFrom(machine, network);
    this.#blobs = sharedBlobs(shared, machine, network);
    const { store } = this;
    const cache = new ModelCache({
      store,
      blobs: this.#blobs,
      budgetBytes: options.modelBudgetBytes,
      loadRecommender: async (file, catalog) => {
        await runtime.sleep(machine.world.random.next() * options.longestLoadMs);
        return recommenderOf(file, catalog);
      },
    });
    this.cache = cache;
    this.deployments = new LiveDeployments({ nodeId: machine.name, store, cache, log: SILENT, runtime });
    this.#deployed = new DeployedModels({ store, deployments: this.deployments, cache, runtime });
    this.routes = new NodeRoutes(store, runtime, (epoch) => this.deployments.followedEverywhere(epoch));
    this.#placements = new LivePlacements(store, () => this.deployments.epoch);
    this.#rankings = new UserRankings({
      store,
      runtime,
      cache: new RankingCache(BUDGET_BYTES),
      changes: new UserChanges(store.events),
      filters: {} as FilterSets,
      topLists: { of: () => new Map() },
    });
    const pollMs = options.automationPollMs;
    const { receiver } = options;
    const courier = { webhooks: store.webhooks, log: SILENT, runtime, secret: 'secret', allowsPrivate: true };
    this.#courier =
      receiver === null ? null : new WebhookCourier({ ...courier, post: (request) => receiver.post(machine, request) });
    this.#scheduler =
      pollMs === null ? null : new AutomationScheduler({ store, blobs: this.#blobs, log: SILENT, runtime, pollMs });
  }

  /** As the service starts: it serves no call before. A start that fails ends the process. */
  async start(): Promise<void> {
    await this.deployments.start();
    if (this.#isStopped) return;
    this.#scheduler?.start();
    this.#courier?.start();
    this.isStarted = true;
  }

  /** As the service stops: it takes no more calls, ends those it has, and then others do not wait for it. */
  async stop(): Promise<void> {
    this.isStarted = false;
    this.#isStopped = true;
    await Promise.all([...this.#calls, this.#scheduler?.stop(), this.#courier?.stop()]);
    await this.deployments.stop();
  }

  recommend(userId: string): Promise<Response> {
    return this.#watched(this.#recommend(userId));
  }

  /** The same as a list of the placement. */
  show(userId: string): Promise<Response> {
    return this.#watched(this.#show(userId));
  }

  #watched(call: Promise<Response>): Promise<Response> {
    const end = () => void this.#calls.delete(ended);
    const ended: Promise<void> = call.then(end, end);
    this.#calls.add(ended);
    return call;
  }

  async #recommend(userId: string): Promise<Response> {
    const live = await this.#deployed.deploymentFor(ACCOUNT, PROJECT, null);
    const models = await this.#deployed.modelsFor(live, undefined);
    return responseOf(models, await this.#rankings.best(models, questionOf(userId)), null);
  }

  async #show(userId: string): Promise<Response> {
    const live = await this.#deployed.deploymentFor(ACCOUNT, PROJECT, null);
    const name = { accountId: ACCOUNT, projectId: PROJECT, name: PLACEMENT };
    const { definition, experiment, version } = chooseVariant(await this.#placements.get(name), userId);
    const placement = { experiment, version: version! };
    const { model_id } = definition.defaults;
    try {
      const models = await this.#deployed.modelsFor(live, model_id);
      return responseOf(models, await this.#rank(models, userId, model_id), placement);
    } catch (error) {
      if (model_id === undefined || !(error instanceof AppError && error.code === 'MODEL_NOT_FOUND')) throw error;
      const models = await this.#deployed.modelsFor(live, undefined);
      return responseOf(models, await this.#rank(models, userId, undefined), placement);
    }
  }

  /** Lists of a model that is named are not kept. */
  async #rank(models: RankingModels, userId: string, modelId: string | undefined): Promise<Pick<Ranking, 'items'>> {
    if (modelId === undefined) return this.#rankings.best(models, questionOf(userId));
    return rankingOf(await this.#rankings.make(models, questionOf(userId)));
  }

  async shutDown(): Promise<void> {
    const { deployments } = this.store;
    const ended = await deployments.shutDown(ACCOUNT, PROJECT, this.machine.runtime.nowMs());
    await this.deployments.followedEverywhere(ended?.epoch ?? (await deployments.epoch()));
  }

  async deleteModel(modelId: string): Promise<'deleted' | 'deployed' | 'missing'> {
    const deleted = await this.store.models.delete(ACCOUNT, PROJECT, modelId);
    if (deleted === null) return 'missing';
    if (deleted === 'deployed') return 'deployed';
    await this.#blobs.delete(deleted.model.artifact_key).catch(() => {});
    await this.deployments.followedEverywhere(deleted.epoch);
    return 'deleted';
  }

  async submit(jobType: JobType, jobData: Record<string, unknown>): Promise<string> {
    const { runtime } = this.machine;
    const given = { account_id: ACCOUNT, project_id: PROJECT, job_type: jobType, name: 'job', job_data: jobData };
    const job = newJob(given, runtime);
    await this.store.jobs.submit(job);
    return job.job_id;
  }
}

function responseOf(
  { deployment: version, generator }: RankingModels,
  { items }: Pick<Ranking, 'items'>,
  placement: Response['placement'],
): Response {
  const { modelId, catalog } = generator;
  return { items: Array.from(items, (item) => catalog.itemId(item)), modelId, version, placement };
}

function questionOf(userId: string): ListQuestion {
  return {
    kinds: [{ kind: 'user', objective: 'discover', isStrict: true }],
    user_id: userId,
    limit: 20,
    filter: null,
    boosts: [],
    pins: [],
    diversity: null,
    exclude_item_ids: [],
    exclude_event_types: [],
    exclude_seen: true,
    touch_days: 3650,
    shown: [],
    explain: false,
  } as ListQuestion;
}
