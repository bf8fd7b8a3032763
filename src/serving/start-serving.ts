// Puts the serving side of an API node together: models in memory, live deployments, the recommendation call, and their metrics.
import { randomUUID } from 'node:crypto';
import { hostname, totalmem } from 'node:os';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Store } from '../store/store.ts';
import { KeptRankings } from './kept-rankings.ts';
import { LiveDeployments } from './live-deployments.ts';
import { type LoadRecommender, ModelCache } from './model-cache.ts';
import { RankAhead } from './rank-ahead.ts';
import { RecommendCall } from './recommend.ts';
import { UserRankings } from './user-rankings.ts';

/** Share of the machine's memory that models may hold when nothing is configured. */
const DEFAULT_MEMORY_SHARE = 0.4;
/** Of the memory for models, what rankings that may be given again can take on top. */
const RANKING_SHARE = 0.05;

export interface ServingParts {
  store: Store;
  blobs: BlobStore;
  loadRecommender: LoadRecommender;
  /** null: a share of the machine's memory */
  modelMemoryBytes: number | null;
  /** rank for users before they ask */
  rankAhead: boolean;
  metrics: Metrics;
  log: Logger;
}

export interface Serving {
  readonly recommend: RecommendCall;
  readonly deployments: LiveDeployments;
  stop(): Promise<void>;
}

/** Resolves when this node knows what to serve: requests may be accepted from then on. */
export async function startServing(parts: ServingParts): Promise<Serving> {
  const { store, blobs, loadRecommender, metrics, log } = parts;
  const budgetBytes = parts.modelMemoryBytes ?? Math.floor(totalmem() * DEFAULT_MEMORY_SHARE);
  const cache = new ModelCache({ store, blobs, loadRecommender, budgetBytes });
  const kept = new KeptRankings(Math.floor(budgetBytes * RANKING_SHARE));
  const rankings = new UserRankings(store, kept);
  const nodeId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const deployments = new LiveDeployments({ nodeId, store, cache, log });

  metrics.gauge('kindred_deployments', 'Projects this node serves.', () => deployments.all().length);
  metrics.gauge('kindred_models_loaded', 'Models in memory.', () => cache.size);
  metrics.gauge('kindred_model_memory_bytes', 'Memory held by models and catalogs.', () => cache.memoryBytes());
  metrics.gauge('kindred_model_memory_budget_bytes', 'Memory models may hold.', () => cache.budgetBytes);
  metrics.gauge('kindred_model_loads', 'Models loaded since the start.', () => cache.loads);
  metrics.gauge('kindred_model_drops', 'Models dropped to stay within the budget.', () => cache.drops);

  const recommend = new RecommendCall({ store, deployments, cache, rankings });
  const ahead = new RankAhead({ store, deployments, cache, kept, rankings, calls: recommend, log });
  metrics.gauge('kindred_kept_rankings', 'Rankings that may be given again.', () => kept.size);
  metrics.gauge('kindred_kept_ranking_bytes', 'Memory they hold.', () => kept.bytes);
  metrics.gauge('kindred_users_ranked_ahead', 'Users ranked for before they asked.', () => ahead.ranked);

  await deployments.start();
  if (parts.rankAhead) ahead.start();
  return {
    recommend,
    deployments,
    async stop() {
      await ahead.stop();
      await deployments.stop();
    },
  };
}
