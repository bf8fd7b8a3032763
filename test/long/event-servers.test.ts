// The address of another server of events: what changes in it is tried before others use it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import type { Dataset } from '../../src/domain/dataset.ts';
import { type EventShards, openEventShards } from '../../src/store/event-shards.ts';
import { openPostgres } from '../../src/store/postgres/open-postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { type LoginPostgres, loginPostgres } from '../support/login-postgres.ts';
import { freshPostgres } from '../support/postgres.ts';
import { makeAccount, makeDataset, makeEvent, scanAll } from '../support/store-fixtures.ts';

const USERS = Array.from({ length: 30 }, (_, n) => `user-${n}`);

describe('the address of another server of events', () => {
  let main: Awaited<ReturnType<typeof freshPostgres>>;
  let other: LoginPostgres;
  let store: Store;
  let dataset: Dataset;
  let shards: EventShards;
  const said: string[] = [];

  before(async () => {
    // It would be the password of every address without one.
    delete process.env.PGPASSWORD;
    [main, other] = await Promise.all([freshPostgres(), loginPostgres()]);
    store = await openPostgres(main.url);
    dataset = await makeDataset(store, await makeAccount(store), 'event', 10);
    await store.events.upsert(
      dataset,
      USERS.map((user_id) => makeEvent({ event_id: user_id, user_id })),
    );
    shards = openEventShards(main.url);
  });
  after(async () => {
    await shards.close();
    await store.close();
    await main.drop();
  });

  const move = (fromShard: number, toShard: number | null, url: string | null): Promise<void> =>
    shards.move({ fromShard, toShard, url }, (text) => said.push(text));
  const logins = () =>
    store.database.all<{ server: string; login: string[] }>(
      'SELECT srvname AS server, umoptions AS login FROM pg_user_mappings ORDER BY srvname',
    );
  const assertAllThere = async (): Promise<void> => {
    assert.equal((await scanAll(store, dataset)).length, USERS.length);
  };

  test('a new server with a wrong password is refused and not registered', async () => {
    await assert.rejects(move(5, null, other.addressFor('kindred', 'wrong')), /password authentication failed/);
    assert.deepEqual(await store.database.all('SELECT srvname FROM pg_foreign_server'), []);
    await move(5, null, other.addressFor('kindred', 'right'));
    await assertAllThere();
  });

  test('a wrong or missing password is refused by every command, and shards that are there stay readable', async () => {
    const before = await logins();
    const refused = /Cannot reach the server .*(password authentication failed|password must be a string)/;
    for (const address of [other.addressFor('kindred', 'wrong'), other.addressFor('kindred')]) {
      await assert.rejects(move(0, 2, address), refused);
      await assert.rejects(move(5, null, address), refused, 'the shards are there already');
      await assert.rejects(move(3, 8, address), /are in several partitions/);
      assert.deepEqual(await logins(), before);
      await assertAllThere();
    }
  });

  test('a user who may not change the tables there is refused, and a command refused for other reasons changes no user', async () => {
    const before = await logins();
    const stranger = other.addressFor('stranger', 'right');
    await assert.rejects(
      move(5, null, stranger),
      /stranger may not change the table event_p\d.*Use its owner, kindred/,
    );
    const reader = new pg.Client({ connectionString: main.url });
    await reader.connect();
    await reader.query('BEGIN; LOCK TABLE event IN ACCESS SHARE MODE');
    const cutShort = (text: string): void => {
      if (text.startsWith('Waiting')) throw new Error('cut short');
    };
    const first = { fromShard: 0, toShard: 2, url: null };
    await assert.rejects(shards.move(first, cutShort), /cut short/);
    await reader.end();
    await assert.rejects(move(0, 2, other.addressFor('kindred', 'wrong')), /is unfinished/);
    await assert.rejects(move(0, 2, stranger), /is unfinished/);
    assert.equal(await shards.cancel(() => {}), true);
    assert.deepEqual(await logins(), before);
    await assertAllThere();
  });

  test('a new password is used from the next command on, also if it has nothing to move', async () => {
    await other.query("ALTER ROLE kindred PASSWORD 'changed'");
    await move(5, null, other.addressFor('kindred', 'changed'));
    assert.ok(
      said.some((text) => /^The connection settings of .* are updated\.$/.test(text)),
      said.join('\n'),
    );
    assert.deepEqual(
      (await logins()).map(({ login }) => login),
      [['user=kindred', 'password=changed']],
    );
    await assertAllThere();
    said.length = 0;
    await move(5, null, other.addressFor('kindred', 'changed'));
    assert.deepEqual(said, ['These shards are a partition of that server already.']);
  });
});
