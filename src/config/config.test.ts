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
    KINDRED_ARTIFACT_CACHE_MB: '0',
    KINDRED_MODEL_MEMORY_MB: '2G',
    KINDRED_MAX_RESULT_GB: '0',
    KINDRED_TRAINING_MEMORY_MB: '100',
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

test('the role kafka needs its settings, and on SQLite the API next to it', () => {
  assert.equal(loadConfig({ KINDRED_KAFKA_BROKERS: 'ignored' }).kafka, null);
  assert.throws(() => loadConfig({ KINDRED_ROLES: 'kafka' }), /KINDRED_DATABASE_URL.*BROKERS.*EVENT_TOPICS/s);
  const settings = {
    KINDRED_ROLES: 'api,kafka',
    KINDRED_KAFKA_BROKERS: 'kafka-1:9092, [::1]:9093',
    KINDRED_KAFKA_EVENT_TOPICS: 'clicks,orders',
    KINDRED_KAFKA_ITEM_TOPICS: 'goods',
  };
  const { kafka } = loadConfig(settings);
  assert.deepEqual(kafka?.brokers, ['kafka-1:9092', '[::1]:9093']);
  assert.deepEqual(
    [...kafka!.topics],
    [
      ['clicks', 'event'],
      ['orders', 'event'],
      ['goods', 'item'],
    ],
  );
  for (const wrong of [
    { KINDRED_KAFKA_BROKERS: 'kafka-1' },
    { KINDRED_KAFKA_USER_TOPICS: 'goods' },
    { KINDRED_KAFKA_DEAD_LETTER_TOPIC: 'goods' },
    { KINDRED_KAFKA_SASL_MECHANISM: 'PLAIN' },
    { KINDRED_KAFKA_START: 'now' },
  ]) {
    assert.throws(() => loadConfig({ ...settings, ...wrong }), ConfigError, JSON.stringify(wrong));
  }
});

test('a variable nobody reads is named with the one that was meant', () => {
  assert.deepEqual(unknownVariables({ KINDRED_PROT: '1', KINDRED_PORT: '2', KINDRED_API_KEY: 'k', HOME: '/' }), [
    'KINDRED_PROT is not a variable of Kindred; did you mean KINDRED_PORT?',
  ]);
});

test('sign-in for people needs an issuer, a client and lists that can match', () => {
  assert.equal(loadConfig({}).oidc, null);
  const given = { KINDRED_OIDC_ISSUER: 'https://login.example.com', KINDRED_OIDC_CLIENT_ID: 'console' };
  const { oidc } = loadConfig({ ...given, KINDRED_OIDC_ADMINS: 'ann@example.com, claim:admins' });
  assert.deepEqual(oidc?.members, { admin: ['ann@example.com', 'claim:admins'], editor: [], viewer: [] });
  assert.deepEqual([oidc?.othersRole, oidc?.account, oidc?.sessionHours], [null, 'default', 12]);
  for (const [change, problem] of [
    [{ KINDRED_OIDC_ISSUER: '' }, /KINDRED_OIDC_CLIENT_ID is set, but KINDRED_OIDC_ISSUER is not/],
    [{ KINDRED_OIDC_ISSUER: 'http://login.example.com' }, /KINDRED_OIDC_ISSUER is .* must be like https/],
    [{ KINDRED_OIDC_CLIENT_ID: '' }, /KINDRED_OIDC_CLIENT_ID is missing/],
    [{ KINDRED_OIDC_EDITORS: 'everybody' }, /KINDRED_OIDC_EDITORS: "everybody" is neither/],
    [{ KINDRED_OIDC_OTHERS: 'admin' }, /KINDRED_OIDC_OTHERS is "admin" but must be none or viewer/],
    [{ KINDRED_OIDC_SCOPES: 'email' }, /must contain openid/],
    [{ KINDRED_OIDC_SESSION_HOURS: '0' }, /from 1 to 999/],
    [{ KINDRED_OIDC_CLIENT_SECRET_FILE: '/no/such/file' }, /cannot read \/no\/such\/file/],
  ] as const) {
    assert.throws(() => loadConfig({ ...given, ...change }), problem);
  }
});
