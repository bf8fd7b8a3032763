// Data of earlier releases, to upgrade from: test/fixtures/releases/<version>/<dialect>.tar.gz and, next to it,
// <dialect>.json with credentials, ids and what the release returned; and its program, as npm ships it without console and types
// (program.tar.gz). scripts/keep-release.ts makes them, once per release.
//
// The program runs on the packages of this checkout, not on those that the release was installed with: tests download nothing.
// packages.json has the versions that the release had, so that a difference is told where the program is unpacked.
//
// An archive holds the data folder of a stopped service (`data/`) and, for PostgreSQL, the database as SQL (`database.sql`).
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedPackages } from '../../scripts/make-sbom.ts';
import type { OperationPath } from '../../src/client/index.ts';
import { loadSql } from './postgres-sql.ts';
import { type Dialect, newTestPlace, type TestPlace } from './test-database.ts';

export const RELEASES_DIR = join(import.meta.dirname, '../fixtures/releases');
export const DATA_ENTRY = 'data';
export const SQL_ENTRY = 'database.sql';

export interface KeptCredentials {
  api_key: string;
  client_secret: string;
}

/** `revoked` is a disabled key of the account `default`. */
export type KeptAccounts = Record<'default' | 'second' | 'revoked', KeptCredentials>;

export type KeptIds = Record<
  | 'user_dataset_id'
  | 'item_dataset_id'
  | 'event_dataset_id'
  | 'second_item_dataset_id'
  | 'project_id'
  | 'project_without_target'
  | 'algorithm_id'
  | 'other_algorithm_id'
  | 'model_id'
  | 'other_model_id'
  | 'querying_job_id'
  | 'clustering_job_id',
  string
>;

/** A call and what the release returned, with BASE_URL_MARK for its address. */
export interface KeptAnswer {
  account: 'default' | 'second';
  path: OperationPath;
  request: Record<string, unknown>;
  answer: unknown;
}

export const BASE_URL_MARK = '{base_url}';

export interface KeptRelease {
  release: string;
  /** When the service stopped. Its result links end a day later. */
  stopped_ts: number;
  accounts: KeptAccounts;
  ids: KeptIds;
  answers: KeptAnswer[];
}

export function keptReleases(): string[] {
  return readdirSync(RELEASES_DIR).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

export const archiveOf = (release: string, dialect: Dialect): string =>
  join(RELEASES_DIR, release, `${dialect}.tar.gz`);
export const descriptionOf = (release: string, dialect: Dialect): string =>
  join(RELEASES_DIR, release, `${dialect}.json`);

const packagesOf = (release: string): string => join(RELEASES_DIR, release, 'packages.json');
export const programOf = (release: string): string => join(RELEASES_DIR, release, 'program.tar.gz');

/** Packages of this checkout with their versions. */
function installedPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8'));
  return shippedPackages(lock).map(({ name, version }) => `${name}@${version}`);
}

/** Keeps the packages of this checkout as those of the release. */
export function keepPackages(release: string): void {
  writeFileSync(packagesOf(release), `${JSON.stringify(installedPackages(), null, 1)}\n`);
}

/** Packages of the release that are not here in the same version. */
export function missingPackages(release: string, here = installedPackages()): string[] {
  const before: string[] = JSON.parse(readFileSync(packagesOf(release), 'utf8'));
  return before.filter((one) => !here.includes(one));
}

/** Unpacks the release's program into the folder, with the packages of this checkout, and returns its entry. */
export function unpackKeptProgram(release: string, folder: string): string {
  const target = join(folder, `kindred-${release}`);
  mkdirSync(target);
  execFileSync('tar', ['-xzf', programOf(release), '--no-same-owner', '-C', target]);
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(target, 'node_modules'));
  const missing = missingPackages(release);
  if (missing.length > 0) process.stderr.write(`kindred ${release} runs here without its ${missing.join(', ')}.\n`);
  return join(target, 'src/main.js');
}

export function readKeptRelease(release: string, dialect: Dialect): KeptRelease {
  return JSON.parse(readFileSync(descriptionOf(release, dialect), 'utf8'));
}

/** A copy of what the release left: its data folder and its database. */
export async function unpackKeptRelease(release: string, dialect: Dialect): Promise<TestPlace> {
  const place = await newTestPlace(dialect);
  execFileSync('tar', ['-xzf', archiveOf(release, dialect), '--no-same-owner', '-C', place.dataDir]);
  if (place.databaseUrl) await loadSql(place.databaseUrl, readFileSync(join(place.dataDir, SQL_ENTRY), 'utf8'));
  rmSync(join(place.dataDir, SQL_ENTRY), { force: true });
  const data = join(place.dataDir, DATA_ENTRY);
  for (const name of readdirSync(data)) renameSync(join(data, name), join(place.dataDir, name));
  rmSync(data, { recursive: true });
  return place;
}
