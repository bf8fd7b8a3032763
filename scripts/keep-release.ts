// Keeps a release to upgrade from: `npx node scripts/keep-release.ts 0.2.0`, run once on the commit of the release.
//
// It keeps the program (`npm run prepack` must have built it). On SQLite and on PostgreSQL it starts this checkout's service, fills it over HTTP (test/support/fill-release.ts), records
// what it returns, stops it, and writes to test/fixtures/releases/<version>/ what the service left: see
// test/support/kept-release.ts. test/long/upgrade.test.ts then runs every later version on it, for as long as it is there.
// The credentials in it are of a service that no longer runs.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../src/version.ts';
import { clientOf, fillRelease } from '../test/support/fill-release.ts';
import { keptCalls, recordAnswers } from '../test/support/kept-answers.ts';
import {
  archiveOf,
  DATA_ENTRY,
  descriptionOf,
  type KeptRelease,
  keepPackages,
  programOf,
  RELEASES_DIR,
  SQL_ENTRY,
} from '../test/support/kept-release.ts';
import { dumpSql } from '../test/support/postgres-sql.ts';
import { startServiceProcess } from '../test/support/service.ts';
import { DIALECTS, type Dialect, newTestPlace, type TestPlace } from '../test/support/test-database.ts';

const PACKAGE = join(import.meta.dirname, '../build/package');
const COMMAND = join(import.meta.dirname, '../bin/kindred.js');

const [release] = process.argv.slice(2);
if (release !== VERSION) {
  fail(
    `usage: npx node scripts/keep-release.ts ${VERSION}   (the version in package.json, on the commit of that release)`,
  );
}
if (existsSync(join(RELEASES_DIR, release))) fail(`${release} is kept already; a kept release does not change.`);
if (!existsSync(join(PACKAGE, 'src/main.js'))) fail('The program is not built. Run "npm run prepack" first.');
for (const dialect of DIALECTS) await keep(release, dialect);
keepProgram(release);

function keepProgram(version: string): void {
  const without = ['--exclude=build/console', '--exclude=*.d.ts', '--exclude=sbom.cdx.json'];
  execFileSync('tar', ['-czf', programOf(version), ...without, '-C', PACKAGE, 'src', 'build', 'package.json']);
  keepPackages(version);
}

async function keep(version: string, dialect: Dialect): Promise<void> {
  const place = await newTestPlace(dialect);
  try {
    const kept = await makeRelease(version, place);
    const archive = archiveOf(version, dialect);
    mkdirSync(join(RELEASES_DIR, version), { recursive: true });
    await pack(place, archive);
    writeFileSync(descriptionOf(version, dialect), `${JSON.stringify(kept, null, 1)}\n`);
    process.stdout.write(`${archive}: ${(statSync(archive).size / 1000).toFixed(0)} kB\n`);
  } finally {
    await place.remove();
  }
}

async function makeRelease(version: string, place: TestPlace): Promise<KeptRelease> {
  const env = {
    KINDRED_DATA_DIR: place.dataDir,
    ...(place.databaseUrl && { KINDRED_DATABASE_URL: place.databaseUrl }),
  };
  const service = await startServiceProcess({ ...env, KINDRED_ROLES: 'api,worker', KINDRED_LOG_LEVEL: 'warn' });
  try {
    const { api_key, client_secret } = service.credentials;
    const created = execFileSync(process.execPath, [COMMAND, 'account', 'create', 'second', '--json'], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    const second = JSON.parse(created) as { api_key: string; client_secret: string };
    const { accounts, ids } = await fillRelease(service.baseUrl, {
      default: { api_key, client_secret },
      second: { api_key: second.api_key, client_secret: second.client_secret },
    });
    const clients = {
      default: clientOf(service.baseUrl, accounts.default),
      second: clientOf(service.baseUrl, accounts.second),
    };
    const answers = await recordAnswers(clients, keptCalls(ids));
    return { release: version, stopped_ts: Date.now(), accounts, ids, answers };
  } finally {
    const exitCode = await service.terminate();
    if (exitCode !== 0) fail(`The service ended with ${exitCode}: ${service.output()}`);
  }
}

async function pack({ dataDir, databaseUrl }: TestPlace, archive: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-keep-'));
  try {
    cpSync(dataDir, join(folder, DATA_ENTRY), { recursive: true });
    const entries = [DATA_ENTRY];
    if (databaseUrl) {
      writeFileSync(join(folder, SQL_ENTRY), await dumpSql(databaseUrl));
      entries.push(SQL_ENTRY);
    }
    execFileSync('tar', ['-czf', archive, '-C', folder, ...entries]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
