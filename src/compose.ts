// Wires config → store → jobs → serving → http: the only file that knows every part. Parts are created in this order and
// stopped in reverse.
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CREDENTIALS_FILE, currentCredentials, ensureFirstAccount, tellAddress } from './accounts.ts';
import { AutomationScheduler } from './automation/automation-scheduler.ts';
import { ExperimentWatch } from './automation/experiment-watch.ts';
import { webhookServiceSecret } from './automation/webhooks/service-secret.ts';
import { WebhookCourier } from './automation/webhooks/webhook-courier.ts';
import { systemRuntime } from './base/runtime.ts';
import type { Config } from './config/config.ts';
import { allRoutes } from './http/all-routes.ts';
import { AttributeSamples } from './http/attribute-samples.ts';
import { AuditTrail } from './http/audit/audit-trail.ts';
import { AccessTokens } from './http/auth/access-tokens.ts';
import { Authenticator } from './http/auth/authenticator.ts';
import { BasicKeys } from './http/auth/basic-keys.ts';
import { BrowserKeys } from './http/auth/browser-keys.ts';
import { openPeople } from './http/auth/people.ts';
import { scopesByRole } from './http/auth/role-calls.ts';
import { isLoopbackHost, SignInCode } from './http/auth/sign-in-code.ts';
import { Lifecycle } from './http/lifecycle.ts';
import { once } from './http/once.ts';
import { addConsole, CONSOLE_PATH } from './http/routes/console.ts';
import { closeServer, createServer } from './http/server.ts';
import { addJobMetrics } from './jobs/job-metrics.ts';
import { type SuperviseOptions, superviseWorker } from './jobs/supervise-worker.ts';
import { scratchRoot } from './jobs/sweep-scratch.ts';
import { addStreamMetrics } from './kafka/stream-metrics.ts';
import { addDiskFigures } from './observability/disk-figures.ts';
import type { Logger } from './observability/logger.ts';
import { createMetrics } from './observability/metrics.ts';
import { ServingTimes } from './observability/serving-times.ts';
import { startTracing } from './observability/tracing.ts';
import { responseSecret } from './outcomes/recommendation-id.ts';
import { drawPoster } from './sample/film-poster.ts';
import { SHOP_FILE } from './sample/film-shop.ts';
import { type Service, type ServiceOptions, urlOf } from './service.ts';
import { loadRecommender } from './serving/load-recommender.ts';
import { addModelAges } from './serving/model-age.ts';
import { startServing } from './serving/start-serving.ts';
import { traceServing } from './serving/trace-steps.ts';
import { checkStart, portProblem } from './start-checks.ts';
import { openBlobStore } from './store/blob/open-blob-store.ts';
import { openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import { traceStore } from './store/trace-steps.ts';
import { VERSION } from './version.ts';

/** Starts the API, with a worker process if configured. */
export async function startApi(config: Config, options: ServiceOptions): Promise<Service> {
  const releaseFolder = await checkStart(config, (options.runtime ?? systemRuntime).nowMs());
  try {
    const service = await startCheckedApi(config, options);
    return { ...service, stop: () => service.stop().finally(releaseFolder) };
  } catch (error) {
    releaseFolder();
    throw error;
  }
}

async function startCheckedApi(config: Config, options: ServiceOptions): Promise<Service> {
  const { log, checkResponses, runtime = systemRuntime } = options;
  const traces = { share: config.traceShare, serviceName: 'kindred', version: VERSION };
  const tracing = await startTracing(traces, log, runtime);
  const store = await openStore(config, runtime);
  if (tracing !== null) {
    traceStore(store);
    traceServing();
  }
  const blobs = openBlobStore(config, runtime);
  // Workers do this too, but not for the cache of a machine that only runs the API.
  blobs.removeLeftovers().catch((error) => log.warn({ err: error }, 'could not remove partly written files'));
  const lifecycle = new Lifecycle();
  const metrics = createMetrics();
  metrics.gauge('kindred_write_queue_records', 'Records waiting to be written.', () => store.load().queuedRecords);
  metrics.gauge('kindred_write_queue_batches', 'Batches waiting to be written.', () => store.load().queuedBatches);

  // Known only once the server listens, because the port may be any free one.
  let baseUrl = config.baseUrl ?? urlOf(config.host, config.port);
  const isFirstStart = await ensureFirstAccount(store.accounts, config.dataDir, baseUrl, runtime);
  const credentials = await currentCredentials(store.accounts, config.dataDir, runtime.nowMs());
  const signIn = credentials && isLoopbackHost(config.host) ? new SignInCode(credentials, runtime.nowMs()) : null;

  const tokens = await AccessTokens.open(store.accounts, runtime);
  const authenticator = new Authenticator(store.accounts, tokens, log, runtime);
  await authenticator.start();
  const audit = new AuditTrail(store.audit, log, runtime);
  audit.start();
  const samples = new AttributeSamples(store, runtime);

  addJobMetrics(metrics, store.jobs, runtime);
  addStreamMetrics(metrics, store.streams);
  addModelAges(metrics, store.deployments, runtime);
  addDiskFigures(metrics, config.dataDir);
  const serving = await startServing({
    store,
    blobs,
    loadRecommender,
    servedFolder: join(config.dataDir, 'served'),
    modelMemoryBytes: config.modelMemoryMb === null ? null : config.modelMemoryMb * 1024 * 1024,
    metrics,
    log,
    runtime,
  });

  const webhookParts = {
    webhooks: store.webhooks,
    secret: await webhookServiceSecret(store.accounts),
    allowsPrivate: config.privateWebhooks,
  };
  const courier = new WebhookCourier({ ...webhookParts, log, runtime });
  const scheduler = new AutomationScheduler({ store, blobs, log, runtime });
  const watch = new ExperimentWatch({ store, log, runtime });

  const times = new ServingTimes(runtime.nowMs());
  const people = await openPeople(config.oidc, {
    accounts: store.accounts,
    sessions: store.sessions,
    baseUrl: () => baseUrl,
    isAccountDisabled: (accountId) => authenticator.isDisabled(accountId, ''),
    scopesByRole: once(() => scopesByRole(routes)),
    runtime,
  });
  const routes = allRoutes({
    store,
    blobs,
    serving,
    tokens,
    authenticator,
    audit,
    signIn,
    people,
    samples,
    times,
    lifecycle,
    metrics,
    webhooks: webhookParts,
    listSecret: await responseSecret(store.accounts),
    places: config,
    scratchDir: scratchRoot(config.dataDir),
    browserScript: fileURLToPath(new URL('../build/browser/kindred.js', import.meta.url)),
    demo: {
      directory: fileURLToPath(new URL('../build/demo', import.meta.url)),
      shopFile: join(config.dataDir, SHOP_FILE),
      drawPoster,
    },
    version: VERSION,
    baseUrl: () => baseUrl,
    log,
    runtime,
  });

  const browsers = new BrowserKeys({
    accounts: store.accounts,
    isDisabled: (accountId, keyId) => authenticator.isDisabled(accountId, keyId),
    runtime,
  });
  const server = createServer({
    routes,
    authenticate: authenticator.authenticate,
    browsers,
    basics: new BasicKeys(store.accounts, browsers, runtime),
    sessions: people?.sessions,
    times,
    audit,
    lifecycle,
    metrics,
    log,
    checkResponses,
    connectionLimits: { perAddress: config.connectionsPerAddress },
    trustedProxies: config.trustedProxies,
    runtime,
  });
  addConsole(server, fileURLToPath(new URL('../build/console', import.meta.url)));
  await server.listen({ host: config.host, port: config.port }).catch((error) => {
    throw portProblem(error, config);
  });
  if (!config.baseUrl) baseUrl = urlOf(config.host, (server.server.address() as AddressInfo).port);
  if (credentials) await tellAddress(config.dataDir, credentials, baseUrl);
  const worker = config.roles.has('worker') ? superviseWorker({ ...workerProcess(config, store, log), runtime }) : null;
  const kafka =
    config.kafka && (await import('./kafka/start-kafka.ts')).startKafka({ config: config.kafka, store, log, runtime });
  courier.start();
  scheduler.start();
  watch.start();
  lifecycle.ready();
  log.info({ base_url: baseUrl }, 'serving');

  return {
    baseUrl,
    greeting: [
      `Kindred serves at ${baseUrl}  (console ${baseUrl}${CONSOLE_PATH}, API ${baseUrl}/docs)`,
      ...(isFirstStart
        ? [`First start: key and secret of the account "default" are in ${config.dataDir}/${CREDENTIALS_FILE}`]
        : []),
      ...(signIn
        ? [
            `Sign in to the console with this one-time link within 30 minutes: ${baseUrl}${CONSOLE_PATH}#signin=${signIn.code}`,
          ]
        : []),
    ],
    replaced: store.replaced,
    async stop() {
      lifecycle.stopping();
      await Promise.all([
        closeServer(server, runtime),
        worker?.stop(),
        kafka?.stop(),
        courier.stop(),
        scheduler.stop(),
        watch.stop(),
      ]);
      await serving.stop();
      authenticator.stop();
      await audit.stop();
      await store.close();
      await tracing?.stop();
    },
  };
}

/** Starts this program again with the worker role, on the same store. */
function workerProcess(config: Config, store: Store, log: Logger): SuperviseOptions {
  const main = new URL(`./main${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
  return {
    command: { file: fileURLToPath(main), args: ['serve'] },
    // Uses only its own settings: a demo in a container must not use those of the service.
    env: {
      ...withoutSettings(process.env),
      ...config.environment,
      KINDRED_DATA_DIR: config.dataDir,
      KINDRED_ROLES: 'worker',
    },
    queue: store.queue,
    log,
  };
}

function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('KINDRED_')));
}
