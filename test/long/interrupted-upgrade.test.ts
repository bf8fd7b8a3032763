// The upgrade of every kept release (test/fixtures/releases) is interrupted: the process is killed at many of its statements, the disk
// is full, or another node upgrades the same database at the same time. The next start brings it to the end, and it has
// every row and table of an upgrade that nothing interrupted.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { inspect, promisify } from 'node:util';
import pg from 'pg';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { SQLITE_FILE } from '../../src/store/open-store.ts';
import { clockSkewEnv } from '../support/clock-skew.ts';
import { clientOf } from '../support/fill-release.ts';
import { assertReadsTheSame } from '../support/kept-answers.ts';
import { keptReleases, readKeptRelease, unpackKeptRelease } from '../support/kept-release.ts';
import { dumpSql } from '../support/postgres-sql.ts';
import { startServiceProcess } from '../support/service.ts';
import { dumpSqlite } from '../support/sqlite-dump.ts';
import { DIALECTS, type Dialect, type TestPlace } from '../support/test-database.ts';

const HOUR_MS = 3_600_000;
const KILLS = 6;
const PROGRAM = join(import.meta.dirname, '../support/migrate-until.ts');

/** Returns which of its statements is the commit. */
async function migrate({ dataDir, databaseUrl }: TestPlace, nowMs: number, step: number | 'full' = 0): Promise<number> {
  const args = [PROGRAM, dataDir, databaseUrl ?? '', String(nowMs), String(step)];
  return Number((await promisify(execFile)(process.execPath, args)).stdout);
}

/** Tables, indexes and all rows. */
async function dump({ dataDir, databaseUrl }: TestPlace): Promise<unknown> {
  if (databaseUrl !== null) return dumpSql(databaseUrl);
  return dumpSqlite(join(dataDir, SQLITE_FILE));
}

/** Migrations that have been done. */
const done = (place: TestPlace): Promise<number> => countRows(place, 'schema_migration');

async function countRows({ dataDir, databaseUrl }: TestPlace, table: string): Promise<number> {
  const sql = `SELECT COUNT(*) AS count FROM ${table}`;
  if (databaseUrl !== null) {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const { rows } = await client.query(sql);
    await client.end();
    return Number(rows[0].count);
  }
  const db = new DatabaseSync(join(dataDir, SQLITE_FILE));
  const { count } = db.prepare(sql).get() as { count: number };
  db.close();
  return count;
}

interface Upgraded {
  nowMs: number;
  /** Migrations of the release. */
  old: number;
  commit: number;
  whole: unknown;
}

const upgrades = new Map<string, Promise<Upgraded>>();

/** Without interruption. */
function upgraded(release: string, dialect: Dialect): Promise<Upgraded> {
  const key = `${release} ${dialect}`;
  if (!upgrades.has(key)) upgrades.set(key, upgrade(release, dialect));
  return upgrades.get(key)!;
}

async function upgrade(release: string, dialect: Dialect): Promise<Upgraded> {
  const place = await unpackKeptRelease(release, dialect);
  const old = await done(place);
  assert.ok(old < MIGRATIONS.length, 'the release has all migrations: this would test nothing');
  const statistics = readKeptRelease(release, dialect).answers.find(({ path }) => path === '/get-event-statistics')!;
  // When its last events were new, so that the upgrade counts them.
  const nowMs = (statistics.answer as { last_ts: number }).last_ts + HOUR_MS;
  const commit = await migrate(place, nowMs);
  assert.ok((await countRows(place, 'event_tally')) > 0, 'the upgrade counts no event');
  const whole = await dump(place);
  await place.remove();
  return { nowMs, old, commit, whole };
}

for (const release of keptReleases()) {
  for (const dialect of DIALECTS) {
    test(`${dialect}: the upgrade from ${release} goes to its end after kill -9 at any statement`, async (t) => {
      const { nowMs, old, commit, whole } = await upgraded(release, dialect);
      const place = await unpackKeptRelease(release, dialect);
      t.after(() => place.remove());
      const steps = Array.from({ length: KILLS }, (_, n) => Math.ceil(((n + 1) / KILLS) * commit));
      // SQLite has to take the log over into the file then.
      if (dialect === 'sqlite') steps.push(commit + 1);
      for (const step of steps) {
        await assert.rejects(migrate(place, nowMs, step), { signal: 'SIGKILL' });
        const count = await done(place);
        assert.ok(count === old || count === MIGRATIONS.length, `${count} migrations after a kill at ${step}`);
      }
      await migrate(place, nowMs);
      assert.deepEqual(await dump(place), whole);
    });
  }

  test(`sqlite: the upgrade from ${release} that finds the disk full changes nothing, and the next one succeeds`, async (t) => {
    const { nowMs, old, whole } = await upgraded(release, 'sqlite');
    const place = await unpackKeptRelease(release, 'sqlite');
    t.after(() => place.remove());
    const before = await dump(place);
    await assert.rejects(migrate(place, nowMs, 'full'), /kindred\.sqlite: The disk is full/);
    assert.equal(await done(place), old);
    assert.deepEqual(await dump(place), before);
    await migrate(place, nowMs);
    assert.deepEqual(await dump(place), whole);
  });

  if (!DIALECTS.includes('postgres')) continue;

  test(`postgres: two processes upgrade a database of ${release} at the same time, and nothing is done twice`, async (t) => {
    const { nowMs, whole } = await upgraded(release, 'postgres');
    const place = await unpackKeptRelease(release, 'postgres');
    t.after(() => place.remove());
    await Promise.all([migrate(place, nowMs), migrate(place, nowMs)]);
    assert.equal(await dump(place), whole);
  });

  test(`postgres: two nodes that start on a database of ${release} at the same time both serve it`, async (t) => {
    const kept = readKeptRelease(release, 'postgres');
    const place = await unpackKeptRelease(release, 'postgres');
    const start = () =>
      startServiceProcess({
        KINDRED_DATA_DIR: place.dataDir,
        KINDRED_DATABASE_URL: place.databaseUrl!,
        KINDRED_LOG_LEVEL: 'warn',
        ...clockSkewEnv(kept.stopped_ts + HOUR_MS - Date.now()),
      });
    const started = await Promise.allSettled([start(), start()]);
    const nodes = started.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    t.after(async () => {
      for (const node of nodes) await node.stop();
      await place.remove();
    });
    assert.equal(nodes.length, 2, inspect(started));
    for (const { baseUrl } of nodes) {
      assert.equal((await fetch(`${baseUrl}/readyz`)).status, 200);
      const clients = {
        default: clientOf(baseUrl, kept.accounts.default),
        second: clientOf(baseUrl, kept.accounts.second),
      };
      for (const response of kept.answers) await assertReadsTheSame(clients, response);
    }
    assert.equal(await done(place), MIGRATIONS.length);
  });
}
