// Every route of the service, in the order of the documentation, and which scope each path needs. compose.ts gives them their parts.
import { DataWarnings } from '../automation/webhooks/data-warnings.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ServingTimes } from '../observability/serving-times.ts';
import { ResultEraser } from '../results/erase-users.ts';
import { linkSecret } from '../results/result-link.ts';
import type { Serving } from '../serving/start-serving.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Store } from '../store/store.ts';
import type { AttributeSamples } from './attribute-samples.ts';
import type { AuditTrail } from './audit/audit-trail.ts';
import type { AccessTokens } from './auth/access-tokens.ts';
import type { Authenticator } from './auth/authenticator.ts';
import { browserCallOf } from './auth/browser-calls.ts';
import type { People } from './auth/people.ts';
import type { SignInCode } from './auth/sign-in-code.ts';
import type { Lifecycle } from './lifecycle.ts';
import { type Route, scopeOf, shownPath } from './route.ts';
import { accountRoutes } from './routes/account.ts';
import { algorithmRoutes } from './routes/algorithms.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { auditRoutes } from './routes/audit.ts';
import { automationRoutes } from './routes/automation.ts';
import { browseRoutes } from './routes/browse.ts';
import { browserScriptRoutes } from './routes/browser-script.ts';
import { signInRoutes } from './routes/console.ts';
import { dataHealthRoutes } from './routes/data-health.ts';
import { datasetRoutes } from './routes/datasets.ts';
import { deleteRecordRoutes } from './routes/delete-records.ts';
import { demoRoutes } from './routes/demo.ts';
import { docsRoutes } from './routes/docs.ts';
import { experimentRoutes } from './routes/experiments.ts';
import { healthRoutes } from './routes/health.ts';
import { ingestRoutes } from './routes/ingest.ts';
import { jobRoutes } from './routes/jobs.ts';
import { mergeUserRoutes } from './routes/merge-users.ts';
import { modelRoutes } from './routes/models.ts';
import { outcomeRoutes } from './routes/outcomes.ts';
import { peopleRoutes } from './routes/people.ts';
import { placementCallRoutes } from './routes/placement-calls.ts';
import { placementRoutes } from './routes/placements.ts';
import { projectStatusRoutes } from './routes/project-status.ts';
import { projectRoutes } from './routes/projects.ts';
import { rankRoutes } from './routes/rank.ts';
import { recommendRoutes } from './routes/recommend.ts';
import { recordRoutes } from './routes/records.ts';
import { relatedRoutes } from './routes/related.ts';
import { resultRoutes } from './routes/results.ts';
import { peopleSignInRoutes } from './routes/sign-in.ts';
import { submitJobRoutes } from './routes/submit-jobs.ts';
import { tokenRoutes } from './routes/token.ts';
import { topItemRoutes } from './routes/top-items.ts';
import { trackRoutes } from './routes/track.ts';
import { webhookRoutes } from './routes/webhooks.ts';

export interface RouteParts {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly serving: Serving;
  readonly tokens: AccessTokens;
  readonly authenticator: Authenticator;
  readonly audit: AuditTrail;
  readonly signIn: SignInCode | null;
  readonly people: People | null;
  readonly samples: AttributeSamples;
  readonly times: ServingTimes;
  readonly lifecycle: Lifecycle;
  readonly metrics: Metrics;
  readonly webhooks: Parameters<typeof webhookRoutes>[0];
  /** the secret that signs ids of lists and page tokens */
  readonly listSecret: string;
  /** the places that jobs may read from and write to */
  readonly places: Parameters<typeof submitJobRoutes>[1];
  readonly scratchDir: string;
  readonly browserScript: string;
  readonly demo: Parameters<typeof demoRoutes>[0];
  readonly version: string;
  /** known once the server listens */
  readonly baseUrl: () => string;
  readonly log: Logger;
  readonly runtime: Runtime;
}

export function allRoutes(parts: RouteParts): Route[] {
  const { store, blobs, serving, tokens, authenticator, audit, people, samples, times, lifecycle, metrics } = parts;
  const { listSecret, baseUrl, log, runtime } = parts;
  const followedEverywhere = (epoch: number) => serving.deployments.followedEverywhere(epoch);
  const results = new ResultEraser({ store, blobs, scratchDir: parts.scratchDir, runtime });
  const scopes = new Map<string, string>();
  const browserScopes = new Map<string, string>();
  const routes: Route[] = [
    ...tokenRoutes({ accounts: store.accounts, tokens, knownScopes: () => scopes }),
    ...datasetRoutes({ datasets: store.datasets, samples }),
    ...recordRoutes({ store, metrics, listSecret, warnings: new DataWarnings(store.webhooks, log) }),
    ...trackRoutes({ store, metrics, listSecret }),
    ...ingestRoutes({ store, metrics, listSecret }),
    ...deleteRecordRoutes({ store, results }),
    ...mergeUserRoutes(store),
    ...browseRoutes({ store, samples }),
    ...projectRoutes({
      projects: store.projects,
      datasets: store.datasets,
      baseUrl,
      followedEverywhere,
      results,
    }),
    ...algorithmRoutes({ algorithms: store.algorithms, projects: store.projects }),
    ...submitJobRoutes(store, parts.places),
    ...jobRoutes({ store, baseUrl }),
    ...modelRoutes({ store, blobs, live: serving.deployments, baseUrl }),
    ...automationRoutes(store),
    ...recommendRoutes(serving),
    ...relatedRoutes(serving),
    ...rankRoutes(serving),
    ...placementCallRoutes(serving),
    ...placementRoutes({ ...store, followedEverywhere }),
    ...experimentRoutes({ ...store, followedEverywhere }),
    ...topItemRoutes({ store, top: serving.top }),
    ...outcomeRoutes({ store, listSecret }),
    ...dataHealthRoutes(store),
    ...projectStatusRoutes(store, times),
    ...resultRoutes({ blobs, secret: () => linkSecret(store.accounts) }),
    ...accountRoutes({ accounts: store.accounts, followedEverywhere }),
    ...apiKeyRoutes({
      accounts: store.accounts,
      projects: store.projects,
      keysChanged: () => authenticator.refresh(),
      knownScopes: () => scopes,
      browserScopes: () => browserScopes,
    }),
    ...auditRoutes(store.audit),
    ...webhookRoutes(parts.webhooks),
    ...browserScriptRoutes(parts.browserScript),
    ...signInRoutes(parts.signIn),
    ...peopleSignInRoutes({ people, accounts: store.accounts, audit, baseUrl, log }),
    ...peopleRoutes(people?.sessions ?? null),
    ...demoRoutes(parts.demo),
    ...docsRoutes({ routes: () => routes, version: parts.version, baseUrl }),
    ...healthRoutes({
      lifecycle,
      metrics,
      ping: () => store.ping(),
      hasLoaded: () => serving.deployments.hasLoaded,
      unreadableDeployments: () => serving.deployments.unreadable().length,
    }),
  ];
  for (const route of routes) {
    const scope = scopeOf(route);
    if (scope === null) continue;
    for (const name of [scope, shownPath(route)]) {
      scopes.set(name, scope);
      if (browserCallOf(route)) browserScopes.set(name, scope);
    }
  }
  return routes;
}
