import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRuntime } from '../base/runtime.ts';
import { hasExpired } from './account.ts';
import { hashSecret, matchingSecret, newBrowserKey, newCredentials, newRotation } from './credentials.ts';

const NOW = 1_800_000_000_000;
const SOURCE = { ...systemRuntime, nowMs: () => NOW };
const MADE = { name: 'shop', scopes: ['*'] };

test('a key keeps hashes and a hint of what was given out, never the key or the secret', () => {
  const { credentials, key } = newCredentials('acc_1', { ...MADE, expires_ts: NOW }, SOURCE);
  assert.match(credentials.api_key, /^kk_[\w-]{32}$/);
  assert.match(credentials.client_secret, /^ks_[\w-]{43}$/);
  assert.deepEqual([key.key_hash, key.secret_hash], Object.values(credentials).map(hashSecret));
  assert.equal(key.hint, credentials.api_key.slice(0, 8));
  assert.match(key.key_id, /^key_/);
  assert.equal(key.created_ts, NOW);
  const { account_id, name, scopes, expires_ts, kind, disabled, secret_version } = key;
  assert.deepEqual({ account_id, name, scopes, expires_ts }, { account_id: 'acc_1', ...MADE, expires_ts: NOW });
  assert.deepEqual({ kind, disabled, secret_version }, { kind: 'secret', disabled: false, secret_version: 1 });
  assert.equal(newCredentials('acc_1', MADE, SOURCE).key.expires_ts, null);
  assert.notEqual(newCredentials('acc_1', MADE, SOURCE).credentials.client_secret, credentials.client_secret);
});

test('a browser key is its own id, and no secret matches it', () => {
  const key = newBrowserKey('acc_1', { ...MADE, origins: ['https://shop.example'], project_id: 'prj_1' }, SOURCE);
  assert.deepEqual([key.kind, key.project_id, key.origins], ['browser', 'prj_1', ['https://shop.example']]);
  assert.deepEqual([key.hint, key.key_hash], [key.key_id, hashSecret(key.key_id)]);
  assert.deepEqual([key.account_id, key.name, key.scopes, key.expires_ts], ['acc_1', 'shop', ['*'], null]);
  for (const secret of ['', key.key_id, key.key_hash]) assert.equal(matchingSecret(key, secret, NOW), null);
});

test('a secret matches until another one takes its place, and the old one until its time is over', () => {
  const { credentials, key } = newCredentials('acc_1', MADE, SOURCE);
  const old = credentials.client_secret;
  assert.deepEqual(matchingSecret(key, old, NOW), { version: 1, untilMs: Number.POSITIVE_INFINITY });
  for (const wrong of ['', `${old}x`, old.slice(1), key.secret_hash])
    assert.equal(matchingSecret(key, wrong, NOW), null);

  const { client_secret, rotation } = newRotation(2.5, NOW);
  assert.deepEqual([rotation.rotated_ts, rotation.previous_until_ts], [NOW, NOW + 9_000_000]);
  const rotated = { ...key, ...rotation, secret_version: 2, previous_secret_hash: key.secret_hash };
  const untilMs = rotation.previous_until_ts;
  assert.deepEqual(matchingSecret(rotated, client_secret, untilMs), { version: 2, untilMs: Number.POSITIVE_INFINITY });
  assert.deepEqual(matchingSecret(rotated, old, untilMs - 1), { version: 1, untilMs });
  assert.equal(matchingSecret(rotated, old, untilMs), null);
  assert.equal(matchingSecret(rotated, 'ks_other', untilMs - 1), null);
});

test('a key without an end never expires, another does at its time', () => {
  assert.equal(hasExpired({ expires_ts: null }, NOW), false);
  assert.equal(hasExpired({ expires_ts: NOW + 1 }, NOW), false);
  assert.equal(hasExpired({ expires_ts: NOW }, NOW), true);
});
