import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts';
import { freshPostgres } from '../support/postgres.ts';

/** As when its machine is paused, or its cable is pulled: the server is not told. */
test('a node that stalls in a transaction does not hold up the others, and stores nothing when it goes on', async () => {
  const { url, drop } = await freshPostgres();
  const [stalled, other] = [new PostgresDatabase(url), new PostgresDatabase(url)];
  const goesOn = Promise.withResolvers<void>();
  try {
    await other.atomic([{ sql: 'CREATE TABLE counter (n INTEGER)' }, { sql: 'INSERT INTO counter VALUES (0)' }]);
    const hasLock = Promise.withResolvers<void>();
    const late = stalled.transaction(async (client) => {
      await client.query('UPDATE counter SET n = n + 1');
      hasLock.resolve();
      await goesOn.promise;
      await client.query('UPDATE counter SET n = n + 1');
    });
    late.catch(() => {});
    await hasLock.promise;
    await other.atomic([{ sql: 'UPDATE counter SET n = n + 10' }]);
    goesOn.resolve();
    await assert.rejects(late, { code: 'STORE_UNAVAILABLE' });
    assert.deepEqual(await other.all('SELECT n FROM counter'), [{ n: 10 }]);
    await stalled.atomic([{ sql: 'UPDATE counter SET n = n + 1' }]);
    assert.deepEqual(await other.all('SELECT n FROM counter'), [{ n: 11 }]);
  } finally {
    goesOn.resolve();
    await Promise.all([stalled.close(), other.close()]);
    await drop();
  }
});
