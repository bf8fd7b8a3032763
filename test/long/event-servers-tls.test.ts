// TLS to another server of events: the options of the address count for the main server and for the command, also when they change.
import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Dataset } from '../../src/domain/dataset.ts';
import { type EventShards, openEventShards } from '../../src/store/event-shards.ts';
import { openPostgres } from '../../src/store/postgres/open-postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { type LoginPostgres, loginPostgres } from '../support/login-postgres.ts';
import { freshPostgres, needOwnPostgres } from '../support/postgres.ts';
import { makeAccount, makeDataset, makeEvent, scanAll } from '../support/store-fixtures.ts';
import { ANOTHER_AUTHORITY, CERTIFICATE, type TlsFront, tlsFront } from '../support/tls-front.ts';

const USERS = Array.from({ length: 30 }, (_, n) => `user-${n}`);

describe('TLS to another server of events', () => {
  let main: Awaited<ReturnType<typeof freshPostgres>>;
  let other: LoginPostgres;
  let front: TlsFront;
  let store: Store;
  let dataset: Dataset;
  let shards: EventShards;
  let folder: string;
  let said: string[];

  before(async () => {
    // Where the server of the tests, which may run as another user, can read them.
    folder = mkdtempSync(join(tmpdir(), 'kindred-tls-'));
    chmodSync(folder, 0o755);
    // PostgreSQL's library looks for more files there, and fails if it may not.
    process.env.HOME = folder;
    needOwnPostgres();
    [main, other] = await Promise.all([freshPostgres(), loginPostgres()]);
    front = await tlsFront(new URL(other.url).searchParams.get('host')!);
    copyFileSync(CERTIFICATE, file('right.pem'));
    copyFileSync(ANOTHER_AUTHORITY, file('wrong.pem'));
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
    front.close();
    rmSync(folder, { recursive: true });
  });

  const file = (name: string): string => join(folder, name);
  const move = (query: Record<string, string>, { fromShard = 5, host = 'localhost' } = {}): Promise<void> => {
    said = [];
    const url = `postgres://kindred:right@${host}:${front.port}/events?${new URLSearchParams(query)}`;
    const toShard = fromShard === 5 ? null : 5;
    return shards.move({ fromShard, toShard, url }, (text) => said.push(text));
  };
  /** The options of the server at the host that concern TLS. */
  const tlsOptions = async (host = 'localhost'): Promise<string[]> => {
    const rows = await store.database.all<{ options: string[] }>('SELECT srvoptions AS options FROM pg_foreign_server');
    const { options } = rows.find((row) => row.options.includes(`host=${host}`))!;
    return options.filter((option) => option.startsWith('ssl'));
  };
  const assertAllThere = async (): Promise<void> => {
    assert.equal((await scanAll(store, dataset)).length, USERS.length);
  };

  test('a server that is known gets options that are new or differ, without a move', async () => {
    await move({ sslmode: 'require' });
    assert.deepEqual(await tlsOptions(), ['sslmode=require']);
    await move({ sslmode: 'verify-full', sslrootcert: file('right.pem') });
    assert.deepEqual(await tlsOptions(), ['sslmode=verify-full', `sslrootcert=${file('right.pem')}`]);
    assert.match(said[0], /^The connection settings of localhost:\d+ are updated\.$/);
    await assertAllThere();
    // What the address does not name stays.
    await move({});
    assert.deepEqual(await tlsOptions(), ['sslmode=verify-full', `sslrootcert=${file('right.pem')}`]);
    assert.equal(said.length, 1);
  });

  test('options that do not work are refused, for the command and for the main server, and nothing changes', async () => {
    const before = await tlsOptions();
    await assert.rejects(move({ sslrootcert: file('wrong.pem') }), /Cannot reach the server .*self-signed certificate/);
    await assert.rejects(move({ sslmode: 'require', sslrootcert: file('wrong.pem') }), /Cannot reach the server/);
    await assert.rejects(move({ sslrootcert: file('no.pem') }), /Cannot read the file of sslrootcert.*no such file/);
    await assert.rejects(move({ sslmode: 'wrong' }), /The main server cannot connect .*invalid sslmode value: "wrong"/);
    await assert.rejects(move({ sslmode: 'disable' }), /Cannot reach the server/);
    assert.deepEqual(await tlsOptions(), before);
    await assertAllThere();
  });

  test('verify-full compares the name of the host with the certificate, verify-ca does not', async () => {
    const [sslrootcert, at] = [file('right.pem'), { fromShard: 2, host: '127.0.0.1' }];
    await assert.rejects(move({ sslmode: 'verify-full', sslrootcert }, at), /does not match certificate/);
    await move({ sslmode: 'verify-ca', sslrootcert }, at);
    assert.deepEqual(await tlsOptions(at.host), ['sslmode=verify-ca', `sslrootcert=${sslrootcert}`]);
    await assertAllThere();
  });
});
