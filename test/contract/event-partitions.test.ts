// Events in several partitions of PostgreSQL, one of them on another server; the contract of the store over them is in
// test/long/store-two-servers.test.ts, moving them under load in test/long/move-shards.test.ts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { type Runtime, systemRuntime } from '../../src/base/runtime.ts';
import type { Dataset } from '../../src/domain/dataset.ts';
import { openEventShards } from '../../src/store/event-shards.ts';
import { windowBefore } from '../../src/store/event-window.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { migratePostgres } from '../../src/store/postgres/migrate.ts';
import { hasGuards } from '../../src/store/postgres/older-processes.ts';
import { openPostgres } from '../../src/store/postgres/open-postgres.ts';
import { numbered } from '../../src/store/postgres/placeholders.ts';
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts';
import { HISTORY_SQL } from '../../src/store/postgres/postgres-event-store.ts';
import { settleAfterOlder } from '../../src/store/postgres/settle-datasets.ts';
import { shardOf } from '../../src/store/shard-of.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually } from '../support/eventually.ts';
import { freshPostgres } from '../support/postgres.ts';
import { moveShardsTo, type Servers, twoServers } from '../support/spread-events.ts';
import { countOf, makeAccount, makeDataset, makeEvent, scanAll } from '../support/store-fixtures.ts';
import { assertCountedBytes } from '../support/stored-bytes.ts';

const SHARDS = 10;
const TWO_32 = 2 ** 32;
const USERS = Array.from({ length: 30 }, (_, n) => `user-${n}`);

interface PlanNode {
  'Relation Name'?: string;
  'Actual Loops': number;
  Plans?: PlanNode[];
}

/** Tables of events that a plan really read. */
function eventTables(node: PlanNode): string[] {
  const own = node['Relation Name'];
  const here = own !== undefined && /^event/.test(own) && node['Actual Loops'] > 0 ? [own] : [];
  return [...here, ...(node.Plans ?? []).flatMap(eventTables)];
}

describe('partitions of events', () => {
  let servers: Servers;
  let store: Store;
  let dataset: Dataset;
  let client: pg.Client;

  before(async () => {
    servers = await twoServers();
    store = await openPostgres(servers.url);
    dataset = await makeDataset(store, await makeAccount(store), 'event', SHARDS);
    const events = USERS.flatMap((user_id) =>
      [1, 2, 3].map((ts) => makeEvent({ event_id: `${user_id}-${ts}`, user_id, item_id: `item-${ts}`, ts })),
    );
    await store.events.upsert(dataset, events);
    // Shards 0 to 2 and 3 to 5 are here, 6 and up elsewhere.
    await moveShardsTo(servers.url, { from: 3, to: null }, null);
    await moveShardsTo(servers.url, { from: 6, to: null }, servers.otherUrl);
    client = new pg.Client({ connectionString: servers.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await store.close();
    await servers.drop();
  });

  const partitions = async () => {
    const shards = openEventShards(servers.url);
    return shards.list().finally(() => shards.close());
  };

  test('shards are where they were moved to, and no event is missing', async () => {
    const listed = await partitions();
    assert.deepEqual(
      listed.map(({ from_shard, to_shard, server }) => [from_shard, to_shard, server !== null]),
      [
        [0, 2, false],
        [3, 5, false],
        [6, null, true],
      ],
    );
    assert.equal((await scanAll(store, dataset)).length, USERS.length * 3);
    assert.equal(await countOf(store, dataset), USERS.length * 3);
    for (const user of USERS) {
      const history = await store.events.history(dataset.dataset_id, user, 10);
      assert.deepEqual(
        history.map(({ item_id }) => item_id),
        ['item-3', 'item-2', 'item-1'],
      );
    }
  });

  test('the history of a user is read from one partition', async () => {
    const listed = await partitions();
    const { rows } = await client.query<{ no: number }>(
      'SELECT dataset_no AS no FROM dataset_count WHERE dataset_id = $1',
      [dataset.dataset_id],
    );
    // Once for all users, as the service prepares it.
    await client.query(`SET plan_cache_mode = force_generic_plan`);
    await client.query(`PREPARE history (integer, bigint, integer, text, bigint) AS ${numbered(HISTORY_SQL)}`);
    for (const user of USERS) {
      const shard = shardOf(user, SHARDS);
      const params = [rows[0].no, shard * TWO_32, rows[0].no, `'${user}'`, 100].join(', ');
      const plan = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE history (${params})`);
      const expected = listed.findLast(({ from_shard }) => shard >= from_shard)!.table;
      assert.deepEqual(eventTables(plan.rows[0]['QUERY PLAN'][0].Plan), [expected]);
    }
  });

  test('an event whose user changes is in one partition at a time, and its old user is forgotten', async () => {
    const [here, there, elsewhere] = [0, 3, 6].map(
      (first) => USERS.find((user) => Math.floor(shardOf(user, SHARDS) / 3) * 3 === first)!,
    );
    const fresh = await makeDataset(store, dataset.account_id, 'event', SHARDS);
    for (const user_id of [here, elsewhere, there, elsewhere, here]) {
      await store.events.upsert(fresh, [makeEvent({ event_id: 'e', user_id })]);
      assert.equal((await store.events.get(fresh.dataset_id, 'e'))!.user_id, user_id);
      assert.equal((await scanAll(store, fresh)).length, 1);
      const known = await store.events.knownAmong(fresh.dataset_id, 'user', [here, there, elsewhere], 100);
      assert.deepEqual(known, [user_id]);
    }
    assert.equal(await countOf(store, fresh), 1);
  });

  test('what a write that was cut short left for another server gets there before the next write', async () => {
    const user_id = USERS.find((user) => shardOf(user, SHARDS) >= 6)!;
    const fresh = await makeDataset(store, dataset.account_id, 'event', SHARDS);
    await store.events.upsert(fresh, [
      makeEvent({ event_id: 'first', user_id }),
      makeEvent({ event_id: 'old', user_id }),
    ]);
    const version = await store.events.version(fresh.dataset_id);
    // As if the process had ended between the two transactions of a write that replaces one event. The first statement takes the
    // lock of the dataset, as a write does: the store looks at the outbox every few seconds.
    await client.query('BEGIN');
    await client.query('UPDATE dataset_count SET pending_events = 1 WHERE dataset_id = $1', [fresh.dataset_id]);
    await client.query(
      `INSERT INTO event_outbox SELECT e.dataset_no, type_no, place, 77, seq + 10, value, item_no, event_id, attributes,
         recommendation, false FROM event e JOIN dataset_count c ON c.dataset_no = e.dataset_no
       WHERE c.dataset_id = $1 AND event_id = 'old'`,
      [fresh.dataset_id],
    );
    await client.query('COMMIT');
    await store.events.upsert(fresh, [makeEvent({ event_id: 'next', user_id: USERS[0] })]);
    assert.equal((await store.events.get(fresh.dataset_id, 'old'))!.ts, 77);
    assert.equal((await scanAll(store, fresh)).length, 3);
    const { rows } = await client.query('SELECT count(*)::int AS waiting FROM event_outbox');
    assert.deepEqual(rows, [{ waiting: 0 }]);
    assert.ok((await store.events.version(fresh.dataset_id)) > version + 1, 'readers hear of the change');
  });

  test('what waits for another server is brought there before a dataset is counted again', async () => {
    const user_id = USERS.find((user) => shardOf(user, SHARDS) >= 6)!;
    const fresh = await makeDataset(store, await makeAccount(store), 'event', SHARDS);
    const ofDataset = [fresh.dataset_id];
    await store.events.upsert(fresh, [makeEvent({ event_id: 'only', user_id, ts: Date.now() })]);
    // As if the process had ended between the two transactions of that write, during a rolling upgrade.
    await client.query('BEGIN');
    await client.query('UPDATE dataset_count SET pending_events = 1 WHERE dataset_id = $1', ofDataset);
    await client.query(
      `INSERT INTO event_outbox SELECT e.dataset_no, type_no, place, ts, seq, value, item_no, event_id, attributes,
         recommendation, false FROM event e JOIN dataset_count c ON c.dataset_no = e.dataset_no WHERE c.dataset_id = $1`,
      ofDataset,
    );
    await client.query(
      `DELETE FROM event WHERE event_id = 'only' AND dataset_no IN (SELECT dataset_no FROM event_outbox)`,
    );
    // Older processes count no bytes, so that an account can be over its plan.
    await client.query('UPDATE dataset_count SET stored_bytes = 0 WHERE dataset_id = $1', ofDataset);
    await client.query('UPDATE account SET storage_bytes = 0, max_storage_bytes = 1 WHERE account_id = $1', [
      fresh.account_id,
    ]);
    await client.query(
      'CREATE TABLE older_write AS SELECT dataset_no FROM dataset_count WHERE dataset_id = $1',
      ofDataset,
    );
    await client.query('COMMIT');
    const every: Runtime['every'] = (_, action) => systemRuntime.every(1, action);
    const runtime = { ...systemRuntime, every };
    const database = new PostgresDatabase(servers.url, { maxConnections: 2, runtime });
    const settling = settleAfterOlder(database);
    await eventually(async () => !(await database.connection(hasGuards)), 20_000);
    await settling.stop();
    await database.close();
    assert.equal((await store.events.get(fresh.dataset_id, 'only'))!.user_id, user_id);
    await assertCountedBytes(store, fresh.account_id);
    const counts = await store.events.itemCounts(fresh.dataset_id, windowBefore(Date.now(), 2), null);
    assert.deepEqual([...counts.values()], [1]);
  });

  test('a move over several partitions is refused, and shards can move back', async () => {
    await assert.rejects(
      moveShardsTo(servers.url, { from: 1, to: 8 }, null),
      /Shards 1 to 7 are in several partitions \(0 to 2, 3 to 5, 6 and up\)/,
    );
    await moveShardsTo(servers.url, { from: 6, to: null }, null);
    assert.ok((await partitions()).every(({ server }) => server === null));
    const other = new PostgresDatabase(servers.otherUrl, { maxConnections: 1 });
    assert.deepEqual(await other.all('SELECT tablename FROM pg_tables WHERE schemaname = current_schema()'), []);
    await other.close();
    assert.equal((await scanAll(store, dataset)).length, USERS.length * 3);
  });

  test('a move waits for a long read, can be cut short there and be given up, and nothing has changed', async () => {
    const places = async () => (await partitions()).map(({ events: _, ...place }) => place);
    const before = await places();
    const shards = openEventShards(servers.url);
    const move = (fromShard: number, say = (_: string) => {}) =>
      shards.move({ fromShard, toShard: 3, url: servers.otherUrl }, say);
    await client.query('BEGIN; LOCK TABLE event IN ACCESS SHARE MODE');
    const cutShort = (text: string): void => {
      if (text.startsWith('Waiting')) throw new Error('cut short');
    };
    await assert.rejects(move(0, cutShort), /cut short/);
    await store.events.upsert(dataset, [makeEvent({ event_id: 'meanwhile', user_id: USERS[0] })]);
    await client.query('COMMIT');
    await assert.rejects(move(1), /A move of shards 0 to 2 is unfinished/);
    assert.equal(await shards.cancel(() => {}), true);
    assert.equal(await shards.cancel(() => {}), false);
    assert.deepEqual(await places(), before);
    await move(0);
    await shards.close();
    assert.ok((await partitions())[0].server !== null);
    assert.equal((await scanAll(store, dataset)).length, USERS.length * 3 + 1);
  });

  test('a move that was given up loses nothing when it is wanted again, wherever giving up was cut short', async () => {
    const shards = openEventShards(servers.url);
    const move = (say = (_: string) => {}) => shards.move({ fromShard: 0, toShard: 3, url: null }, say);
    const cutShort = (text: string): void => {
      if (text.startsWith('Waiting')) throw new Error('cut short');
    };
    await client.query('BEGIN; LOCK TABLE event IN ACCESS SHARE MODE');
    await assert.rejects(move(cutShort), /cut short/);
    // As if it had been cut short while it copied.
    await store.database.all("UPDATE event_move SET phase = 'copy'");
    await assert.rejects(shards.cancel(cutShort), /cut short/);
    await client.query('COMMIT');
    await move();
    assert.equal((await partitions())[0].server, null);
    assert.equal((await scanAll(store, dataset)).length, USERS.length * 3 + 1);
    await shards.close();
  });

  test('a piece that somebody removes while a move is unfinished is copied again from the start', async () => {
    const shards = openEventShards(servers.url);
    const move = (say = (_: string) => {}) => shards.move({ fromShard: 0, toShard: 3, url: servers.otherUrl }, say);
    await client.query('BEGIN; LOCK TABLE event IN ACCESS SHARE MODE');
    await assert.rejects(
      move((text) => assert.doesNotMatch(text, /^Bringing/)),
      /Bringing/,
    );
    await client.query('COMMIT');
    await client.query("UPDATE event_move SET phase = 'copy'");
    const other = new PostgresDatabase(servers.otherUrl, { maxConnections: 1 });
    const [{ tablename }] = await other.all<{ tablename: string }>(
      "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename LIKE 'event_p%' ORDER BY tablename DESC",
    );
    await other.all(`DROP TABLE ${tablename}`);
    await other.close();
    await move();
    assert.equal((await scanAll(store, dataset)).length, USERS.length * 3 + 1);
    await shards.close();
  });
});

test('the table of events becomes a partition without being read', async () => {
  const { url, drop } = await freshPostgres();
  const database = new PostgresDatabase(url, { maxConnections: 1 });
  const migration = MIGRATIONS.find(({ name }) => name === 'event partitions')!;
  await migratePostgres(
    database,
    MIGRATIONS.filter(({ version }) => version < migration.version),
  );
  await database.all(
    "INSERT INTO event (dataset_no, type_no, place, ts, seq, value, item_no, event_id) VALUES (1, 0, 7, 1, 1, 1, 0, 'e')",
  );
  const notices: string[] = [];
  await database.connection(async (client) => {
    client.on('notice', ({ message }) => notices.push(message!));
    await client.query(`SET client_min_messages = debug1; ${migration.sql.postgres}`);
  });
  assert.ok(
    notices.some((text) =>
      text.includes('partition constraint for table "event_p0" is implied by existing constraints'),
    ),
    notices.join('\n'),
  );
  assert.deepEqual(await database.all('SELECT event_id FROM event'), [{ event_id: 'e' }]);
  await database.close();
  await drop();
});
