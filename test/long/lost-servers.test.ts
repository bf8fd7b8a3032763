// Moves whose other server is down or lost: the one that shards were to go to, and the one that they have left.
import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import type { Dataset } from '../../src/domain/dataset.ts';
import { type EventShards, MoveRefused, openEventShards } from '../../src/store/event-shards.ts';
import { openPostgres } from '../../src/store/postgres/open-postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually } from '../support/eventually.ts';
import { type AnotherPostgres, anotherPostgres, freshPostgres } from '../support/postgres.ts';
import { makeAccount, makeDataset, makeEvent, scanAll } from '../support/store-fixtures.ts';

const USERS = Array.from({ length: 30 }, (_, n) => `user-${n}`);

describe('moves whose other server is lost', () => {
  let main: Awaited<ReturnType<typeof freshPostgres>>;
  let other: AnotherPostgres;
  let store: Store;
  let dataset: Dataset;
  let shards: EventShards;
  let said: string[];

  before(async () => {
    [main, other] = await Promise.all([freshPostgres(), anotherPostgres()]);
    store = await openPostgres(main.url);
    dataset = await makeDataset(store, await makeAccount(store), 'event', 10);
    await writeAll();
    shards = openEventShards(main.url);
  });
  after(async () => {
    await shards.close();
    await store.close();
    await main.drop();
  });

  const writeAll = (ts = 1): Promise<unknown> =>
    store.events.upsert(
      dataset,
      USERS.map((user_id) => makeEvent({ event_id: user_id, user_id, ts })),
    );
  const move = (url: string | null, stopAt?: string): Promise<void> => {
    said = [];
    return shards.move({ fromShard: 5, toShard: null, url }, (text) => {
      said.push(text);
      if (stopAt !== undefined && text.startsWith(stopAt)) throw new Error('cut short');
    });
  };
  const cancel = (): Promise<boolean> => {
    said = [];
    return shards.cancel((text) => said.push(text));
  };
  /** The name of the table that was said to be left. */
  const leftTable = (): string => {
    const [, table] = /Cannot reach the server .*The table (event_p\d+) may remain in /.exec(said.join('\n')) ?? [];
    assert.ok(table, said.join('\n'));
    return table;
  };
  const onOther = async (sql: string): Promise<pg.QueryResult> => {
    const client = new pg.Client({ connectionString: other.url });
    await client.connect();
    return client.query(sql).finally(() => client.end());
  };
  /** Every event has the time it was last written with, and nothing of a move is left on the main server. */
  const assertSettled = async (ts: number): Promise<void> => {
    const events = await scanAll(store, dataset);
    assert.deepEqual(
      events.map((event) => event.ts),
      USERS.map(() => ts),
    );
    const used = (await shards.list()).map(({ table }) => table);
    const tables = await store.database.all<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'f') AND relname ~ '^event_(p[0-9]|move)' ORDER BY 1",
    );
    assert.deepEqual(
      tables.map(({ name }) => name),
      used.sort(),
    );
    assert.deepEqual(await store.database.all("SELECT 1 FROM pg_proc WHERE proname = 'event_move_note'"), []);
  };

  test('a move to a server that was lost can be given up, and others can begin', async () => {
    await assert.rejects(move(other.url, 'Bringing'), /cut short/);
    await other.crash();
    await writeAll(2);
    assert.equal(await cancel(), true);
    leftTable();
    await assertSettled(2);
    assert.equal(await cancel(), false);
    await move(null);
    await assertSettled(2);
  });

  test('when the server is back, the table that was left has to be dropped before shards go there again', async () => {
    await other.restart();
    await assert.rejects(move(other.url, 'Bringing'), /cut short/);
    await other.crash();
    await cancel();
    const table = leftTable();
    await other.restart();
    await assert.rejects(move(other.url), new RegExp(`has a table ${table} already. If a move left it there, drop it`));
    await onOther(`DROP TABLE ${table}`);
    await move(other.url);
    await assertSettled(2);
  });

  test('a move away from a server that was lost after the switch ends, and names the table that is left', async () => {
    const source = (await shards.list()).find(({ server }) => server !== null)!.table;
    const reader = new pg.Client({ connectionString: other.url });
    reader.on('error', () => {});
    await reader.connect();
    await reader.query(`BEGIN; LOCK TABLE ${source} IN ACCESS SHARE MODE`);
    const cutShort = assert.rejects(move(null));
    // The move has switched and waits for the reader to remove the table.
    await eventually(async () => {
      const { rows } = await onOther(`SELECT 1 FROM pg_locks WHERE relation = '${source}'::regclass AND NOT granted`);
      return rows.length > 0;
    });
    await other.crash();
    await cutShort;
    await writeAll(3);
    await assert.rejects(cancel(), /The shards have moved already/);
    await move(null);
    assert.equal(leftTable(), source);
    await assertSettled(3);
    await other.restart();
    assert.equal((await onOther(`SELECT 1 FROM ${source}`)).rows.length > 0, true);
    await assertSettled(3);
  });

  test('a server that closes connections at once is named', async () => {
    const listener = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    listener.unref();
    const { port } = listener.address() as AddressInfo;
    const refused = move(`postgres://kindred:right@127.0.0.1:${port}/events`);
    await assert.rejects(refused, (error: Error) => {
      assert.ok(error instanceof MoveRefused, error.message);
      assert.match(error.message, new RegExp(`^Cannot reach the server 127.0.0.1:${port}/events: `));
      return true;
    });
    await assertSettled(3);
    listener.close();
  });
});
