// Ranks items for users before they ask, when the node has nothing better to do: after a deployment or a change of the
// catalog, for users who were active lately, as far as there is room. What is ranked ahead is kept as what was ranked for a
// call is, and given under the same conditions.
//
// Calls come first: work goes on in slices of a millisecond, with as much rest between them, so that jobs on the same machine
// have their share, and pauses while there are calls. Rounds for changes of the catalog are spaced so that they take at most
// a tenth of the time.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../observability/logger.ts';
import type { Store } from '../store/store.ts';
import { KEPT_ITEMS, type KeptRankings } from './kept-rankings.ts';
import type { LiveDeployment, LiveDeployments } from './live-deployments.ts';
import type { ModelCache } from './model-cache.ts';
import type { RecommendCall } from './recommend.ts';
import { type RankingModels, sourceOf, type UserRankings } from './user-rankings.ts';

/** Who was active so long before the newest events is ranked for. */
const ACTIVE_MS = 30 * 86_400_000;
/** So many events with a wrong clock do not make everybody else look inactive. */
const STRAY_EVENTS = 200;
/** In one round. */
const MAX_USERS = 100_000;
/** Of the room for kept rankings, what one round may fill: the rest is for users who ask. */
const ROOM_SHARE = 0.5;
const SLICE_MS = 1;
const PAUSE_MS = 50;
const LOOK_MS = 1000;
const SPACING = 10;

export interface RankAheadParts {
  store: Store;
  deployments: LiveDeployments;
  cache: ModelCache;
  kept: KeptRankings;
  rankings: UserRankings;
  calls: Pick<RecommendCall, 'calls'>;
  log: Logger;
}

/** The last round for a project. */
interface Round {
  readonly deployment: number;
  readonly epoch: number;
  /** when the next may begin, unless the deployment changed */
  readonly nextMs: number;
}

export class RankAhead {
  readonly #parts: RankAheadParts;
  readonly #stop = new AbortController();
  readonly #rounds = new Map<string, Round>();
  #work: Promise<void> = Promise.resolve();
  #sliceMs = 0;
  #calls = 0;
  /** users ranked for since the start */
  ranked = 0;

  constructor(parts: RankAheadParts) {
    this.#parts = parts;
  }

  /** Does nothing where rankings are not kept. */
  start(): void {
    if (this.#parts.store.events.local) this.#work = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        for (const live of this.#parts.deployments.all()) await this.#attend(live);
      } catch (error) {
        this.#parts.log.debug({ err: error }, 'ranking ahead was interrupted');
      }
      await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #attend(live: LiveDeployment): Promise<void> {
    const models = this.#modelsOf(live);
    if (models === null) return;
    const { project_id } = live.project;
    const last = this.#rounds.get(project_id);
    const epoch = this.#epochOf(models);
    const startMs = performance.now();
    if (last?.deployment === models.deployment && (last.epoch === epoch || startMs < last.nextMs)) return;
    await this.#rank(live, models, epoch);
    const endMs = performance.now();
    this.#rounds.set(project_id, { deployment: models.deployment, epoch, nextMs: endMs + SPACING * (endMs - startMs) });
  }

  async #rank(live: LiveDeployment, models: RankingModels, epoch: number): Promise<void> {
    const { store, rankings, kept } = this.#parts;
    const { event_dataset_id } = models.project;
    const newest = await store.events.list(event_dataset_id, { page_size: STRAY_EVENTS, page_token: null });
    const sinceTs = (newest.entries.at(-1)?.ts ?? 0) - ACTIVE_MS;
    let room = Math.min(MAX_USERS, kept.capacity * ROOM_SHARE);
    for await (const users of store.events.local!.activeUsers(event_dataset_id, sinceTs)) {
      await this.#giveWay();
      for (const user_id of users) {
        if (room-- <= 0 || !this.#isServed(live, models) || this.#epochOf(models) !== epoch) return;
        await this.#giveWay();
        await rankings.best(models, { user_id, limit: KEPT_ITEMS, filter: null });
        this.ranked++;
      }
    }
  }

  /** Rests after a slice, and longer while there are calls. */
  async #giveWay(): Promise<void> {
    if (performance.now() - this.#sliceMs < SLICE_MS) return;
    await sleep(SLICE_MS, undefined, { ref: false });
    const { calls } = this.#parts;
    while (calls.calls !== this.#calls && !this.#stop.signal.aborted) {
      this.#calls = calls.calls;
      await sleep(PAUSE_MS, undefined, { ref: false });
    }
    this.#sliceMs = performance.now();
  }

  #modelsOf({ project, deployment }: LiveDeployment): RankingModels | null {
    const { cache } = this.#parts;
    const generator = cache.peek(deployment.generator_model_id);
    const ranker = deployment.ranker_model_id === null ? null : cache.peek(deployment.ranker_model_id);
    return generator === undefined || ranker === undefined
      ? null
      : { project, deployment: deployment.version, generator, ranker };
  }

  /** Not switched, shut down, dropped from memory or stopped since. */
  #isServed(live: LiveDeployment, { generator, ranker }: RankingModels): boolean {
    const { deployments, cache } = this.#parts;
    return (
      !this.#stop.signal.aborted &&
      deployments.get(live.project.account_id, live.project.project_id) === live &&
      cache.peek(generator.modelId) === generator &&
      (ranker === null || cache.peek(ranker.modelId) === ranker)
    );
  }

  #epochOf(models: RankingModels): number {
    return this.#parts.kept.epochOf(models.project.project_id, sourceOf(models));
  }
}
