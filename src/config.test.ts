import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { ConfigError, loadConfig, unknownVariables } from './config.ts';

test('nothing set gives the defaults, frozen', () => {
  const config = loadConfig({});
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 8080);
  assert.equal(config.dataDir, resolve('data'));
  assert.equal(config.databaseUrl, null);
  assert.deepEqual([...config.roles], ['api', 'worker']);
  assert.ok(Object.isFrozen(config));
});

test('an empty variable counts as unset, and a base address loses its last slash', () => {
  const config = loadConfig({ KINDRED_PORT: '', KINDRED_BASE_URL: 'https://r.example.com/kindred/' });
  assert.equal(config.port, 8080);
  assert.equal(config.baseUrl, 'https://r.example.com/kindred');
});

test('all that is wrong is said at once, without the password of a database', () => {
  const wrong = {
    KINDRED_PORT: '80a',
    KINDRED_DATABASE_URL: 'mysql://root:hunter2@db/x',
    KINDRED_ARTIFACTS_URL: 'ftp://x',
    KINDRED_EXPORT_DESTINATIONS: 's3://shop/exports,/var/exports',
    KINDRED_BASE_URL: 'example.com',
    KINDRED_ROLES: 'api,wroker',
    KINDRED_LOG_LEVEL: 'loud',
  };
  assert.throws(
    () => loadConfig(wrong),
    (error: Error) => {
      assert.ok(error instanceof ConfigError);
      for (const name of Object.keys(wrong)) assert.ok(error.message.includes(name), name);
      return !error.message.includes('hunter2');
    },
  );
  for (const port of ['65536', '-1', '1.5', '0x10'])
    assert.throws(() => loadConfig({ KINDRED_PORT: port }), ConfigError);
});

test('a variable nobody reads is named with the one that was meant', () => {
  assert.deepEqual(unknownVariables({ KINDRED_PROT: '1', KINDRED_PORT: '2', KINDRED_API_KEY: 'k', HOME: '/' }), [
    'KINDRED_PROT is not a variable of Kindred; did you mean KINDRED_PORT?',
  ]);
});
