// Configuration: read once from the environment, validated, frozen. The only file that reads KINDRED_* for the service.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { nearestName } from './base/nearest-name.ts';
import { memberProblem, type OidcSettings } from './domain/oidc-settings.ts';
import type { Role as PersonRole } from './domain/person.ts';
import { KAFKA_VARIABLES, type KafkaConfig, loadKafkaConfig } from './kafka-config.ts';

const ROLES = ['api', 'worker', 'kafka'] as const;
export type Role = (typeof ROLES)[number];
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Config {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Absolute. */
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
  /** Without a trailing slash; null = the address it listens on. */
  readonly baseUrl: string | null;
  readonly roles: ReadonlySet<Role>;
  readonly logLevel: LogLevel;
  /** Memory limit for loaded models; null = a share of the system's. */
  readonly modelMemoryMb: number | null;
  /** How long a worker may be silent before another worker takes its job. */
  readonly jobLeaseSec: number;
  /** Users or records of a part of a job that several workers can share. */
  readonly jobPartUsers: number;
  /** What a training may use; null = what its largest step can address. */
  readonly trainingMemoryMb: number | null;
  /** The Spark cluster that counts over all events of a training; null = the worker counts. */
  readonly spark: { readonly master: string; readonly submit: string } | null;
  /** Limit of open connections without an authenticated call, per address; 0 = no limit. */
  readonly connectionsPerAddress: number;
  /** Addresses and networks of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Whether webhooks may reach private addresses, and by plain HTTP. */
  readonly privateWebhooks: boolean;
  /** Share of calls that are traced; jobs are all traced. 0: off. */
  readonly traceShare: number;
  /** Sign-in of people to the console; null: off. */
  readonly oidc: OidcSettings | null;
  /** Null without the role kafka. */
  readonly kafka: KafkaConfig | null;
}

/** Every variable, what it means and its default: also the text of `kindred serve --help`. */
export const VARIABLES = {
  KINDRED_HOST: 'address to listen on (127.0.0.1)',
  KINDRED_PORT: 'port to listen on (8080; 0 = any free port)',
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
  KINDRED_JOB_LEASE_SECONDS: 'seconds without a heartbeat after which a job is retried by another worker (20)',
  KINDRED_JOB_PART_USERS: 'users per part when workers share a job about more users (25000)',
  KINDRED_TRAINING_MEMORY_MB:
    'memory of a training; what does not fit goes to files (no limit below 4 GiB, not counting events)',
  KINDRED_SPARK_MASTER:
    'spark://host:7077 (or yarn, k8s://…): trainings count on this Spark cluster (the worker counts)',
  KINDRED_SPARK_SUBMIT: 'command that submits to it, with options (spark-submit)',
  KINDRED_CONNECTIONS_PER_ADDRESS: 'open connections without an authenticated call per address (256; 0 = no limit)',
  KINDRED_TRUSTED_PROXIES: 'addresses or networks of trusted proxies, separated by commas, for X-Forwarded-For (none)',
  KINDRED_PRIVATE_WEBHOOKS: 'true lets webhooks reach private addresses and use http:// (false)',
  KINDRED_TRACES:
    'share of calls to trace with OpenTelemetry, from 0 to 1; sent to OTEL_EXPORTER_OTLP_ENDPOINT (0 = off)',
  KINDRED_OIDC_ISSUER: 'https://… of an OpenID provider, for people to sign in to the console (off)',
  KINDRED_OIDC_CLIENT_ID: 'id of this client at the provider',
  KINDRED_OIDC_CLIENT_SECRET: 'its secret (none: a public client)',
  KINDRED_OIDC_CLIENT_SECRET_FILE: 'a file with the secret, instead',
  KINDRED_OIDC_ADMINS: 'who is admin: e-mail addresses, @domains or claim:VALUE, separated by commas (nobody)',
  KINDRED_OIDC_EDITORS: 'who is editor, in the same way (nobody)',
  KINDRED_OIDC_VIEWERS: 'who is viewer, in the same way (nobody)',
  KINDRED_OIDC_OTHERS: 'none or viewer: the role of everyone else who signs in (none)',
  KINDRED_OIDC_CLAIM: 'the claim that claim:VALUE compares with (groups)',
  KINDRED_OIDC_SCOPES: 'what is requested from the provider (openid email profile)',
  KINDRED_OIDC_ACCOUNT: 'name of the account that people act for (default)',
  KINDRED_OIDC_SESSION_HOURS: 'hours after which people sign in again (12)',
  KINDRED_LOG_LEVEL: `${LOG_LEVELS.join(', ')} (info)`,
  ...KAFKA_VARIABLES,
} as const;

/** Read by the command line, not by the service. */
const CLIENT_VARIABLES = ['KINDRED_API_KEY', 'KINDRED_CLIENT_SECRET'];

export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads and validates every variable. Throws one ConfigError that lists all problems. An empty variable counts as unset. */
export function loadConfig(env: Environment = process.env): Config {
  const problems: string[] = [];
  const read = (name: keyof typeof VARIABLES): string | null => env[name]?.trim() || null;
  const refuse = (name: string, value: string, wanted: string): void => {
    problems.push(`${name} is "${value}" but must be ${wanted}.`);
  };

  const port = read('KINDRED_PORT') ?? '8080';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) refuse('KINDRED_PORT', port, 'a whole number from 0 to 65535');

  const databaseUrl = read('KINDRED_DATABASE_URL');
  if (databaseUrl !== null && !isUrl(databaseUrl, ['postgres:', 'postgresql:'])) {
    // The value may contain a password, so the message does not repeat it.
    problems.push('KINDRED_DATABASE_URL must be like postgres://user:password@host:5432/database.');
  }

  const artifactsUrl = read('KINDRED_ARTIFACTS_URL');
  if (artifactsUrl !== null && !isUrl(artifactsUrl, ['file:', 's3:'])) {
    refuse('KINDRED_ARTIFACTS_URL', artifactsUrl, 'like file:///path or s3://bucket/prefix');
  }

  const megabytesOf = (
    name: 'KINDRED_ARTIFACT_CACHE_MB' | 'KINDRED_MODEL_MEMORY_MB' | 'KINDRED_TRAINING_MEMORY_MB',
    least = 1,
  ): number | null => {
    const text = read(name);
    if (text === null) return null;
    if (!/^[1-9]\d{0,8}$/.test(text) || Number(text) < least) {
      refuse(name, text, `a whole number of megabytes from ${least}`);
    }
    return Number(text);
  };
  const artifactCacheMb = megabytesOf('KINDRED_ARTIFACT_CACHE_MB');
  const modelMemoryMb = megabytesOf('KINDRED_MODEL_MEMORY_MB');
  const trainingMemoryMb = megabytesOf('KINDRED_TRAINING_MEMORY_MB', 3000);

  const placesOf = (name: 'KINDRED_EXPORT_DESTINATIONS' | 'KINDRED_IMPORT_SOURCES'): string[] => {
    const places = (read(name) ?? '').split(',').flatMap((text) => text.trim() || []);
    const notPlace = places.find((text) => !isUrl(text, ['s3:']));
    if (notPlace !== undefined) refuse(name, notPlace, 'like s3://bucket/prefix,s3://other-bucket');
    return places;
  };
  const exportDestinations = placesOf('KINDRED_EXPORT_DESTINATIONS');
  const importSources = placesOf('KINDRED_IMPORT_SOURCES');

  const baseUrl = read('KINDRED_BASE_URL');
  if (baseUrl !== null && !isUrl(baseUrl, ['http:', 'https:'])) {
    refuse('KINDRED_BASE_URL', baseUrl, 'like https://recommend.example.com');
  }

  const roles = (read('KINDRED_ROLES') ?? 'api,worker').split(',').map((role) => role.trim());
  if (roles.some((role) => !ROLES.includes(role as Role))) {
    refuse('KINDRED_ROLES', roles.join(','), 'api, worker, kafka or several of them');
  }
  if (roles.includes('kafka') && !roles.includes('api') && databaseUrl === null) {
    problems.push(
      'KINDRED_ROLES: with SQLite the role kafka runs together with api (api,worker,kafka); alone it needs KINDRED_DATABASE_URL.',
    );
  }

  const logLevel = read('KINDRED_LOG_LEVEL') ?? 'info';
  if (!LOG_LEVELS.some((level) => level === logLevel)) {
    refuse('KINDRED_LOG_LEVEL', logLevel, `one of ${LOG_LEVELS.join(', ')}`);
  }

  const jobLeaseSec = read('KINDRED_JOB_LEASE_SECONDS') ?? '20';
  if (!/^\d{1,4}$/.test(jobLeaseSec) || Number(jobLeaseSec) < 2) {
    refuse('KINDRED_JOB_LEASE_SECONDS', jobLeaseSec, 'a whole number of seconds from 2 to 9999');
  }

  const jobPartUsers = read('KINDRED_JOB_PART_USERS') ?? '25000';
  if (!/^[1-9]\d{0,8}$/.test(jobPartUsers)) {
    refuse('KINDRED_JOB_PART_USERS', jobPartUsers, 'a whole number from 1 to 999999999');
  }

  const sparkMaster = read('KINDRED_SPARK_MASTER');
  if (sparkMaster !== null && !/^(spark:\/\/\S+|k8s:\/\/\S+|yarn|local(\[[\d*]+\])?)$/.test(sparkMaster)) {
    refuse('KINDRED_SPARK_MASTER', sparkMaster, 'like spark://host:7077, k8s://https://host:6443, yarn or local[*]');
  }

  const connectionsPerAddress = read('KINDRED_CONNECTIONS_PER_ADDRESS') ?? '256';
  if (!/^\d{1,6}$/.test(connectionsPerAddress)) {
    refuse('KINDRED_CONNECTIONS_PER_ADDRESS', connectionsPerAddress, 'a whole number from 0 to 999999');
  }

  const trustedProxies = (read('KINDRED_TRUSTED_PROXIES') ?? '').split(',').flatMap((text) => text.trim() || []);
  const notAddress = trustedProxies.find((text) => !isNetwork(text));
  if (notAddress !== undefined) {
    refuse('KINDRED_TRUSTED_PROXIES', notAddress, 'addresses or networks such as 10.0.0.7,192.168.0.0/16');
  }

  const privateWebhooks = read('KINDRED_PRIVATE_WEBHOOKS') ?? 'false';
  if (privateWebhooks !== 'true' && privateWebhooks !== 'false') {
    refuse('KINDRED_PRIVATE_WEBHOOKS', privateWebhooks, 'true or false');
  }

  const traceShare = read('KINDRED_TRACES') ?? '0';
  if (!/^(0|1|0?\.\d{1,6}|1\.0+)$/.test(traceShare)) refuse('KINDRED_TRACES', traceShare, 'a number from 0 to 1');

  const oidc = readOidc(read, problems);
  const kafka = roles.includes('kafka')
    ? loadKafkaConfig({ read, refuse, missing: (problem) => problems.push(problem) })
    : null;

  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({
    host: read('KINDRED_HOST') ?? '127.0.0.1',
    port: Number(port),
    dataDir: resolve(read('KINDRED_DATA_DIR') ?? './data'),
    databaseUrl,
    artifactsUrl,
    artifactCacheMb,
    exportDestinations,
    importSources,
    baseUrl: baseUrl?.replace(/\/+$/, '') ?? null,
    roles: new Set(roles as Role[]),
    logLevel: logLevel as LogLevel,
    modelMemoryMb,
    jobLeaseSec: Number(jobLeaseSec),
    jobPartUsers: Number(jobPartUsers),
    trainingMemoryMb,
    spark:
      sparkMaster === null ? null : { master: sparkMaster, submit: read('KINDRED_SPARK_SUBMIT') ?? 'spark-submit' },
    connectionsPerAddress: Number(connectionsPerAddress),
    trustedProxies,
    privateWebhooks: privateWebhooks === 'true',
    traceShare: Number(traceShare),
    oidc,
    kafka,
  });
}

type Read = (name: keyof typeof VARIABLES) => string | null;

function readOidc(read: Read, problems: string[]): OidcSettings | null {
  const issuer = read('KINDRED_OIDC_ISSUER');
  const others = Object.keys(VARIABLES).filter((name) =>
    name.startsWith('KINDRED_OIDC_'),
  ) as (keyof typeof VARIABLES)[];
  if (issuer === null) {
    const given = others.find((name) => read(name) !== null);
    if (given !== undefined) problems.push(`${given} is set, but KINDRED_OIDC_ISSUER is not. Set it too.`);
    return null;
  }
  const isSafe = isUrl(issuer, ['https:']) || (isUrl(issuer, ['http:']) && isThisMachine(new URL(issuer).hostname));
  if (!isSafe) problems.push(`KINDRED_OIDC_ISSUER is "${issuer}" but must be like https://login.example.com.`);
  const clientId = read('KINDRED_OIDC_CLIENT_ID');
  if (clientId === null) problems.push('KINDRED_OIDC_CLIENT_ID is missing. Set the id of this client at the provider.');
  const members = (name: keyof typeof VARIABLES): string[] => {
    const entries = (read(name) ?? '').split(',').flatMap((text) => text.trim() || []);
    const wrong = entries.find((entry) => memberProblem(entry) !== null);
    if (wrong !== undefined) problems.push(`${name}: "${wrong}" ${memberProblem(wrong)}.`);
    return entries;
  };
  const othersRole = read('KINDRED_OIDC_OTHERS') ?? 'none';
  if (othersRole !== 'none' && othersRole !== 'viewer') {
    problems.push(`KINDRED_OIDC_OTHERS is "${othersRole}" but must be none or viewer.`);
  }
  const scopes = read('KINDRED_OIDC_SCOPES') ?? 'openid email profile';
  if (!scopes.split(/\s+/).includes('openid')) problems.push('KINDRED_OIDC_SCOPES must contain openid.');
  const sessionHours = read('KINDRED_OIDC_SESSION_HOURS') ?? '12';
  if (!/^[1-9]\d{0,2}$/.test(sessionHours)) {
    problems.push(`KINDRED_OIDC_SESSION_HOURS is "${sessionHours}" but must be a whole number from 1 to 999.`);
  }
  return Object.freeze({
    issuer,
    clientId: clientId ?? '',
    clientSecret: readSecret(read, problems),
    scopes,
    account: read('KINDRED_OIDC_ACCOUNT') ?? 'default',
    claim: read('KINDRED_OIDC_CLAIM') ?? 'groups',
    members: {
      admin: members('KINDRED_OIDC_ADMINS'),
      editor: members('KINDRED_OIDC_EDITORS'),
      viewer: members('KINDRED_OIDC_VIEWERS'),
    } satisfies Record<PersonRole, string[]>,
    othersRole: othersRole === 'viewer' ? 'viewer' : null,
    sessionHours: Number(sessionHours),
  });
}

function readSecret(read: Read, problems: string[]): string | null {
  const [secret, file] = [read('KINDRED_OIDC_CLIENT_SECRET'), read('KINDRED_OIDC_CLIENT_SECRET_FILE')];
  if (file === null) return secret;
  if (secret !== null) problems.push('Set KINDRED_OIDC_CLIENT_SECRET or KINDRED_OIDC_CLIENT_SECRET_FILE, not both.');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    problems.push(`KINDRED_OIDC_CLIENT_SECRET_FILE: cannot read ${file} (${(error as Error).message}).`);
    return null;
  }
}

const isThisMachine = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);

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

function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}
