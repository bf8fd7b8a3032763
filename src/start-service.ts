// Starts what the configuration names: the API with a worker process next to it, or a worker or a reader of Kafka alone. The API is loaded only where
// it runs, because a worker starts in half the time without it.
import type { Config } from './config/config.ts';
import { WORKER_CONNECTIONS } from './jobs/connections.ts';
import type { JobConfig } from './jobs/job-handler.ts';
import { startWorker } from './jobs/start-worker.ts';
import { jobTiming } from './jobs/timing.ts';
import { requireCurrentKernels } from './kernels/kernel-build.ts';
import { startTracing, WORKER_NAME } from './observability/tracing.ts';
import { type Service, type ServiceOptions, urlOf } from './service.ts';
import { blobsUrlOf, hadoopSettingsOf, openBlobStore } from './store/blob/open-blob-store.ts';
import { openStore } from './store/open-store.ts';
import { closeToOthers } from './store/private-files.ts';
import { traceStore } from './store/trace-steps.ts';
import { VERSION } from './version.ts';

/** Starts the API, with a worker process if configured, or what runs without it. */
export async function startService(config: Config, options: ServiceOptions): Promise<Service> {
  // Checked at the start instead of at the first model.
  requireCurrentKernels();
  const { closed, open } = await closeToOthers(config.dataDir);
  if (closed.length > 0) options.log.info({ paths: closed.length }, 'removed access of other users to the data folder');
  if (open.length > 0) {
    options.log.warn({ paths: open }, 'other users of this machine can read these paths. Run chmod go-rwx on them');
  }
  if (!config.roles.has('api')) return startWithoutApi(config, options);
  const { startApi } = await import('./compose.ts');
  return startApi(config, options);
}

async function startWithoutApi(config: Config, { log, runtime }: ServiceOptions): Promise<Service> {
  // Jobs are few: all of them are traced.
  const share = config.traceShare > 0 ? 1 : 0;
  const tracing = await startTracing({ share, serviceName: WORKER_NAME, version: VERSION }, log, runtime);
  // Reading Kafka writes as much as an API node does.
  const connections = config.kafka ? undefined : WORKER_CONNECTIONS;
  const store = await openStore({ ...config, connections }, runtime);
  if (tracing !== null) traceStore(store);
  const timing = jobTiming(config.jobLeaseSec * 1000);
  const worker = config.roles.has('worker')
    ? startWorker({ store, blobs: openBlobStore(config, runtime), config: jobConfig(config), timing, log, runtime })
    : null;
  const kafka =
    config.kafka && (await import('./kafka/start-kafka.ts')).startKafka({ config: config.kafka, store, log, runtime });
  return {
    baseUrl: config.baseUrl ?? urlOf(config.host, config.port),
    // A worker started by the API prints no greeting.
    greeting: process.send
      ? []
      : [worker && 'Kindred runs jobs.', kafka && 'Kindred reads from Kafka.'].filter((line) => line !== null),
    replaced: store.replaced,
    async stop() {
      await Promise.all([worker?.stop(), kafka?.stop()]);
      await store.close();
      await tracing?.stop();
    },
  };
}

function jobConfig(config: Config): JobConfig {
  const { dataDir, databaseUrl, artifactsUrl, artifactCacheMb, spark } = config;
  const { exportDestinations, importSources, jobPartUsers, maxResultGb, trainingMemoryMb } = config;
  const blobsUrl = blobsUrlOf({ dataDir, artifactsUrl });
  return {
    dataDir,
    databaseUrl,
    artifactsUrl,
    artifactCacheMb,
    exportDestinations,
    importSources,
    jobPartUsers,
    maxResultGb,
    trainingMemoryMb,
    spark: spark && { ...spark, blobsUrl, hadoop: hadoopSettingsOf({ dataDir, artifactsUrl }) },
  };
}
