// Puts the serving side of an API node together: models in memory, live deployments, the recommendation call, and their metrics.
import { hostname } from 'node:os';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { systemMemoryBytes, uniqueName } from '../base/system.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import { RecommendationIds, responseSecret } from '../outcomes/recommendation-id.ts';
import { ServedLists } from '../outcomes/served-lists.ts';
import { PageTokens } from '../placements/page-token.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Store } from '../store/store.ts';
import { CallFilters } from './call-filters.ts';
import { CallRooms } from './call-room.ts';
import { CountedLists } from './counted-lists.ts';
import { DeployedModels } from './deployed-models.ts';
import { FilterSets } from './filter-sets.ts';
import { ListResponses } from './list-responses.ts';
import { LiveDeployments } from './live-deployments.ts';
import { LivePlacements } from './live-placements.ts';
import { type LoadRecommender, ModelCache } from './model-cache.ts';
import { PlacementCall } from './placement-call.ts';
import { RankCall } from './rank.ts';
import { RankingCache } from './ranking-cache.ts';
import { RecentTypes } from './recent-types.ts';
import { RecommendCall } from './recommend.ts';
import { RelatedCall } from './related.ts';
import { TopCall } from './top-call.ts';
import { TopLists } from './top-lists.ts';
import { UserChanges } from './user-changes.ts';
import { UserRankings } from './user-rankings.ts';

/** Share of the system's memory that models may hold when nothing is configured. */
const DEFAULT_MEMORY_SHARE = 0.4;
/** Of a catalog: 200,000 deleted items take about 25 MB, so no catalog is replaced for fewer. */
const LEAST_DELETED = 100_000;
/** Memory that cached rankings may take in addition, as a share of the memory for models. */
const RANKING_SHARE = 0.05;

export interface ServingParts {
  store: Store;
  blobs: BlobStore;
  loadRecommender: LoadRecommender;
  /** folder for the counts of served lists until they are in the store */
  servedFolder: string;
  /** null means a share of the system's memory */
  modelMemoryBytes: number | null;
  metrics: Metrics;
  log: Logger;
  runtime?: Runtime;
}

export interface Serving {
  readonly deployed: DeployedModels;
  readonly recommend: RecommendCall;
  readonly related: RelatedCall;
  readonly rank: RankCall;
  readonly placementCall: PlacementCall;
  readonly top: TopCall;
  readonly deployments: LiveDeployments;
  stop(): Promise<void>;
}

/** Resolves when this node knows what to serve. From then on requests may be accepted. */
export async function startServing(parts: ServingParts): Promise<Serving> {
  const { store, blobs, loadRecommender, metrics, log, runtime = systemRuntime } = parts;
  const now = () => runtime.nowMs();
  const budgetBytes = parts.modelMemoryBytes ?? Math.floor(systemMemoryBytes() * DEFAULT_MEMORY_SHARE);
  const cache = new ModelCache({
    store,
    blobs,
    loadRecommender,
    budgetBytes,
    leastDeleted: LEAST_DELETED,
    onError: (err) => log.warn({ err }, 'could not free the memory of deleted items'),
  });
  const kept = new RankingCache(Math.floor(budgetBytes * RANKING_SHARE));
  const filters = new FilterSets();
  const topLists = new TopLists(new CountedLists({ store, now }));
  const rankings = new UserRankings({
    store,
    cache: kept,
    changes: new UserChanges(store.events),
    filters,
    runtime,
    topLists,
  });
  const nodeId = `${hostname()}-${process.pid}-${uniqueName(4)}`;
  const deployments = new LiveDeployments({ nodeId, store, cache, log, runtime });

  metrics.gauge('kindred_deployments', 'Projects this node serves.', () => deployments.all().length);
  metrics.gauge(
    'kindred_deployments_unreadable',
    'Projects this node cannot serve: a model file is missing or damaged.',
    () => deployments.unreadable().length,
  );
  metrics.gauge('kindred_models_loaded', 'Models in memory.', () => cache.size);
  metrics.gauge('kindred_model_memory_bytes', 'Memory used by models and catalogs.', () => cache.memoryBytes());
  metrics.gauge('kindred_model_memory_budget_bytes', 'Memory limit of models.', () => cache.budgetBytes);
  metrics.gauge('kindred_model_loads', 'Models loaded since the start.', () => cache.loads);
  metrics.gauge('kindred_model_drops', 'Models dropped to stay within the budget.', () => cache.drops);

  const deployed = new DeployedModels({ store, deployments, cache, runtime });
  const callFilters = new CallFilters(store, now);
  const secret = await responseSecret(store.accounts);
  const served = new ServedLists({
    ids: new RecommendationIds(secret, runtime),
    store,
    folder: parts.servedFolder,
    runtime,
    warn: (err, message) => log.warn({ err }, message),
  });
  const rooms = new CallRooms();
  const pageTokens = new PageTokens(secret);
  const top = new TopCall({
    store,
    rooms,
    topLists,
    types: new RecentTypes(store.events, now),
    cache,
    filters: callFilters,
    sets: filters,
    served,
    pageTokens,
    runtime,
  });
  const lists = new ListResponses({
    deployed,
    filters: callFilters,
    rankings,
    served,
    pageTokens,
  });
  metrics.gauge('kindred_answer_bytes', 'Memory used by responses that are being made.', () => rooms.heldBytes);
  const callParts = { deployed, lists, rooms };
  const recommend = new RecommendCall(callParts);
  const related = new RelatedCall(callParts);
  const rank = new RankCall(callParts);
  const placements = new LivePlacements(store, () => deployments.epoch);
  const placementCall = new PlacementCall({
    ...callParts,
    filters: callFilters,
    placements,
    top,
    projects: store.projects,
    outcomes: store.outcomes,
    runtime,
  });
  metrics.gauge('kindred_cached_rankings', 'Cached rankings.', () => kept.size);
  metrics.gauge('kindred_cached_ranking_bytes', 'Memory used by cached rankings.', () => kept.bytes);

  metrics.gauge('kindred_filters_waiting', 'Filters being evaluated or waiting.', () => filters.waiting);

  await deployments.start();
  served.start();
  return {
    deployed,
    recommend,
    related,
    rank,
    placementCall,
    top,
    deployments,
    async stop() {
      const stopped = cache.stop();
      // First: what was served must be in the store, even if the process ends before the rest has stopped.
      await served.stop();
      await deployments.stop();
      await stopped;
    },
  };
}
