import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSqliteHead } from './snapshot.ts';

test('a database that is missing may be on PostgreSQL', async () => {
  const message = /There is no database nowhere\.sqlite\. If the service uses PostgreSQL, set KINDRED_DATABASE_URL\./;
  await assert.rejects(async () => readSqliteHead('nowhere.sqlite'), { message });
});
