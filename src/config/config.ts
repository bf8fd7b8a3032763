// Configuration: read once from the environment, validated, frozen. The only file that reads KINDRED_* for the service.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { nearestName } from '../base/nearest-name.ts';
import { DEFAULT_RESULT_GIB } from '../domain/job.ts';
import type { OidcSettings } from '../domain/oidc-settings.ts';
import { KAFKA_VARIABLES, type KafkaConfig, loadKafkaConfig } from './kafka-config.ts';
import { loadOidcSettings, OIDC_VARIABLES } from './oidc-config.ts';
import { type Environment, isUrl, VariableReader } from './variable-reader.ts';

const ROLES = ['api', 'worker', 'kafka'] as const;
export type Role = (typeof ROLES)[number];
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Config {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** An absolute path. */
  readonly dataDir: string;
  /** postgres://… or null for the SQLite file in the data dir. */
  readonly databaseUrl: string | null;
  /** file:///… or s3://bucket/prefix, or null for a folder in the data dir. */
  readonly artifactsUrl: string | null;
  /** Disk space for copies of files from S3; null = the default of the store. */
  readonly artifactCacheMb: number | null;
  /** s3://bucket/prefix that jobs may write files to; empty: none. */
  readonly exportDestinations: readonly string[];
  /** s3://bucket/prefix that jobs may read files from; empty: none. */
  readonly importSources: readonly string[];
  /** Has no trailing slash. null means the address the service listens on. */
  readonly baseUrl: string | null;
  readonly roles: ReadonlySet<Role>;
  readonly logLevel: LogLevel;
  /** Memory limit for loaded models; null = a share of the system's. */
  readonly modelMemoryMb: number | null;
  /** How long a worker may send no heartbeat before another worker takes its job. */
  readonly jobLeaseSec: number;
  /** Users or records of a part of a job that several workers can share. */
  readonly jobPartUsers: number;
  /** Largest result of a job, in GiB. */
  readonly maxResultGb: number;
  /** Memory that a training may use; null means as much as its largest step can address. */
  readonly trainingMemoryMb: number | null;
  /** The Spark cluster that counts over all events of a training; null = the worker counts. */
  readonly spark: { readonly master: string; readonly submit: string } | null;
  /** Limit of open connections without an authenticated call, per address; 0 = no limit. */
  readonly connectionsPerAddress: number;
  /** Addresses and networks of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Whether webhooks may reach private addresses, and by plain HTTP. */
  readonly privateWebhooks: boolean;
  /** Share of calls that are traced; 0 turns tracing off. With tracing on, all jobs are traced. */
  readonly traceShare: number;
  /** Sign-in of people to the console; null: off. */
  readonly oidc: OidcSettings | null;
  /** Null without the role kafka. */
  readonly kafka: KafkaConfig | null;
  /** The variables that it was read from, for the worker process. */
  readonly environment: Environment;
}

const DEFAULTS = {
  port: 8080,
  jobLeaseSec: 20,
  jobPartUsers: 25_000,
  maxResultGb: DEFAULT_RESULT_GIB,
  connectionsPerAddress: 256,
};

/** Every variable, what it means and its default: also the text of `kindred serve --help`. */
export const VARIABLES = {
  KINDRED_HOST: 'address to listen on (127.0.0.1)',
  KINDRED_PORT: `port to listen on (${DEFAULTS.port}; 0 = any free port)`,
  KINDRED_DATA_DIR: 'data folder (./data)',
  KINDRED_DATABASE_URL: 'postgres://… for PostgreSQL (default: SQLite in the data folder)',
  KINDRED_ARTIFACTS_URL: 'file:///… or s3://bucket/prefix for model and result files (default: in the data folder)',
  KINDRED_ARTIFACT_CACHE_MB: 'disk space for copies of files from S3 in the data folder (10240)',
  KINDRED_EXPORT_DESTINATIONS:
    's3://bucket/prefix, separated by commas, that export and recommendation jobs may write to (none)',
  KINDRED_IMPORT_SOURCES: 's3://bucket/prefix, separated by commas, that import jobs may read from (none)',
  KINDRED_BASE_URL: 'public address, used in serving_uri and download_url (default: the address it listens on)',
  KINDRED_ROLES: 'api, worker, kafka or several, separated by commas (api,worker)',
  KINDRED_MODEL_MEMORY_MB: 'memory limit for loaded models (40% of the memory of the machine or container)',
  KINDRED_JOB_LEASE_SECONDS: `seconds without a heartbeat after which a job is retried by another worker (${DEFAULTS.jobLeaseSec})`,
  KINDRED_JOB_PART_USERS: `users per part when workers share a job about more users (${DEFAULTS.jobPartUsers})`,
  KINDRED_MAX_RESULT_GB: `largest result of a recommendation or export job, in GiB (${DEFAULTS.maxResultGb})`,
  KINDRED_TRAINING_MEMORY_MB:
    'memory of a training; what does not fit goes to files (no limit below 4 GiB, not counting events)',
  KINDRED_SPARK_MASTER:
    'spark://host:7077 (or yarn, k8s://…): trainings count on this Spark cluster (the worker counts)',
  KINDRED_SPARK_SUBMIT: 'command that submits to it, with options (spark-submit)',
  KINDRED_CONNECTIONS_PER_ADDRESS: `open connections without an authenticated call per address (${DEFAULTS.connectionsPerAddress}; 0 = no limit)`,
  KINDRED_TRUSTED_PROXIES: 'addresses or networks of trusted proxies, separated by commas, for X-Forwarded-For (none)',
  KINDRED_PRIVATE_WEBHOOKS: 'true lets webhooks reach private addresses and use http:// (false)',
  KINDRED_TRACES:
    'share of calls to trace with OpenTelemetry, from 0 to 1; sent to OTEL_EXPORTER_OTLP_ENDPOINT (0 = off)',
  ...OIDC_VARIABLES,
  KINDRED_LOG_LEVEL: `${LOG_LEVELS.join(', ')} (info)`,
  ...KAFKA_VARIABLES,
} as const;
type Name = keyof typeof VARIABLES;
const NAMES = Object.keys(VARIABLES) as Name[];

/** Read by the command line, not by the service. */
const CLIENT_VARIABLES = ['KINDRED_API_KEY', 'KINDRED_CLIENT_SECRET'];

export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

/** Reads and validates every variable. Throws one ConfigError that lists all problems. */
export function loadConfig(env: Environment = process.env): Config {
  const reader = new VariableReader<Name>(env);
  const databaseUrl = reader.text('KINDRED_DATABASE_URL');
  if (databaseUrl !== null && !isUrl(databaseUrl, ['postgres:', 'postgresql:'])) {
    // The value may contain a password, so the message does not repeat it.
    reader.problems.push('KINDRED_DATABASE_URL must be like postgres://user:password@host:5432/database.');
  }
  const roles = readRoles(reader, databaseUrl);
  const config: Config = {
    host: reader.text('KINDRED_HOST') ?? '127.0.0.1',
    port: reader.whole('KINDRED_PORT', DEFAULTS.port, { from: 0, to: 65_535 }),
    dataDir: resolve(reader.text('KINDRED_DATA_DIR') ?? './data'),
    databaseUrl,
    artifactsUrl: reader.url('KINDRED_ARTIFACTS_URL', ['file:', 's3:'], 'like file:///path or s3://bucket/prefix'),
    artifactCacheMb: megabytes(reader, 'KINDRED_ARTIFACT_CACHE_MB'),
    exportDestinations: places(reader, 'KINDRED_EXPORT_DESTINATIONS'),
    importSources: places(reader, 'KINDRED_IMPORT_SOURCES'),
    baseUrl:
      reader.url('KINDRED_BASE_URL', ['http:', 'https:'], 'like https://recommend.example.com')?.replace(/\/+$/, '') ??
      null,
    roles,
    logLevel: reader.oneOf('KINDRED_LOG_LEVEL', LOG_LEVELS, 'info'),
    modelMemoryMb: megabytes(reader, 'KINDRED_MODEL_MEMORY_MB'),
    jobLeaseSec: reader.whole('KINDRED_JOB_LEASE_SECONDS', DEFAULTS.jobLeaseSec, {
      from: 2,
      to: 9999,
      unit: 'seconds',
    }),
    jobPartUsers: reader.whole('KINDRED_JOB_PART_USERS', DEFAULTS.jobPartUsers, { from: 1, to: 999_999_999 }),
    maxResultGb: reader.whole('KINDRED_MAX_RESULT_GB', DEFAULTS.maxResultGb, { from: 1, to: 99_999 }),
    trainingMemoryMb: megabytes(reader, 'KINDRED_TRAINING_MEMORY_MB', 3000),
    spark: readSpark(reader),
    connectionsPerAddress: reader.whole('KINDRED_CONNECTIONS_PER_ADDRESS', DEFAULTS.connectionsPerAddress, {
      from: 0,
      to: 999_999,
    }),
    trustedProxies: reader.list(
      'KINDRED_TRUSTED_PROXIES',
      isNetwork,
      'addresses or networks such as 10.0.0.7,192.168.0.0/16',
    ),
    privateWebhooks: reader.isTrue('KINDRED_PRIVATE_WEBHOOKS'),
    traceShare: readTraceShare(reader),
    oidc: loadOidcSettings(reader),
    kafka: roles.has('kafka') ? loadKafkaConfig(reader) : null,
    environment: Object.freeze(Object.fromEntries(NAMES.map((name) => [name, env[name]]))),
  };
  if (reader.problems.length > 0) throw new ConfigError(reader.problems);
  return Object.freeze(config);
}

type Reader = VariableReader<Name>;

function readRoles(reader: Reader, databaseUrl: string | null): Set<Role> {
  const roles = (reader.text('KINDRED_ROLES') ?? 'api,worker').split(',').map((role) => role.trim());
  if (roles.some((role) => !ROLES.includes(role as Role))) {
    reader.refuse('KINDRED_ROLES', roles.join(','), 'api, worker, kafka or several of them');
  }
  if (roles.includes('kafka') && !roles.includes('api') && databaseUrl === null) {
    reader.problems.push(
      'KINDRED_ROLES: with SQLite the role kafka runs together with api (api,worker,kafka); alone it needs KINDRED_DATABASE_URL.',
    );
  }
  return new Set(roles as Role[]);
}

const megabytes = (reader: Reader, name: Name, from = 1): number | null =>
  reader.whole(name, null, { from, to: 999_999_999, unit: 'megabytes' });

const places = (reader: Reader, name: Name): string[] =>
  reader.list(name, (place) => isUrl(place, ['s3:']), 'like s3://bucket/prefix,s3://other-bucket');

function readSpark(reader: Reader): Config['spark'] {
  const master = reader.text('KINDRED_SPARK_MASTER');
  if (master === null) return null;
  if (!/^(spark:\/\/\S+|k8s:\/\/\S+|yarn|local(\[[\d*]+\])?)$/.test(master)) {
    reader.refuse('KINDRED_SPARK_MASTER', master, 'like spark://host:7077, k8s://https://host:6443, yarn or local[*]');
  }
  return { master, submit: reader.text('KINDRED_SPARK_SUBMIT') ?? 'spark-submit' };
}

function readTraceShare(reader: Reader): number {
  const text = reader.text('KINDRED_TRACES') ?? '0';
  if (!/^(0|1|0?\.\d{1,6}|1\.0+)$/.test(text)) reader.refuse('KINDRED_TRACES', text, 'a number from 0 to 1');
  return Number(text);
}

/** Warnings for unknown KINDRED_* variables with the nearest known one, because a typo would go unnoticed. */
export function unknownVariables(env: Environment = process.env): string[] {
  const known = [...Object.keys(VARIABLES), ...CLIENT_VARIABLES];
  return Object.keys(env)
    .filter((name) => name.startsWith('KINDRED_') && !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      return `${name} is not a variable of Kindred${nearest ? `; did you mean ${nearest}?` : '.'}`;
    });
}

/** `10.0.0.7` or `10.0.0.0/8`, also of IPv6. */
function isNetwork(text: string): boolean {
  const [address, prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}
