// API keys and client secrets: 256 random bits each, shown once, stored only as SHA-256. A plain hash is enough because
// 256 bits cannot be guessed; a slow hash would only slow down the service.
import { createHash, timingSafeEqual } from 'node:crypto';
import { HOUR_MS } from '../base/durations.ts';
import { newSecret } from '../base/system.ts';
import type { ApiKey } from './account.ts';
import { type IdSource, newId } from './ids.ts';
import type { Scopes } from './scopes.ts';

/** The credentials that the account's owner stores. */
export interface Credentials {
  api_key: string;
  client_secret: string;
}

const HINT_LENGTH = 8;

export interface NewKey {
  name: string;
  scopes: Scopes;
  expires_ts?: number | null;
}

export function newCredentials(
  accountId: string,
  made: NewKey,
  source: IdSource,
): { credentials: Credentials; key: ApiKey } {
  const credentials = { api_key: `kk_${newSecret(24)}`, client_secret: newClientSecret() };
  const key: ApiKey = {
    ...newKey(accountId, made, source),
    key_hash: hashSecret(credentials.api_key),
    secret_hash: hashSecret(credentials.client_secret),
    hint: credentials.api_key.slice(0, HINT_LENGTH),
  };
  return { credentials, key };
}

/** A browser key is public: its id is the key, and there is no secret that a hash could match. */
export function newBrowserKey(
  accountId: string,
  { origins, project_id, ...made }: NewKey & { origins: readonly string[]; project_id: string },
  source: IdSource,
): ApiKey {
  const key = newKey(accountId, made, source);
  return { ...key, kind: 'browser', key_hash: hashSecret(key.key_id), hint: key.key_id, origins, project_id };
}

const newClientSecret = (): string => `ks_${newSecret(32)}`;

export const GRACE_HOURS = { byDefault: 24, max: 168 };

/** A new secret for a key; the one it has now works for this time. */
export function newRotation(graceHours: number, rotated_ts: number) {
  const client_secret = newClientSecret();
  const previous_until_ts = rotated_ts + Math.round(graceHours * HOUR_MS);
  return { client_secret, rotation: { secret_hash: hashSecret(client_secret), rotated_ts, previous_until_ts } };
}

function newKey(accountId: string, { name, scopes, expires_ts = null }: NewKey, source: IdSource): ApiKey {
  const created_ts = source.nowMs();
  return {
    key_id: newId('key', source, created_ts),
    account_id: accountId,
    name,
    kind: 'secret',
    key_hash: '',
    secret_hash: '',
    hint: '',
    scopes,
    origins: [],
    project_id: null,
    expires_ts,
    disabled: false,
    created_ts,
    secret_version: 1,
    rotated_ts: null,
    previous_secret_hash: null,
    previous_until_ts: null,
  };
}

/** Returns which of the key's secrets this is and until when it is valid; null if it is none of them or has expired. */
export function matchingSecret(
  key: Pick<ApiKey, 'secret_hash' | 'secret_version' | 'previous_secret_hash' | 'previous_until_ts'>,
  secret: string,
  nowMs: number,
): { version: number; untilMs: number } | null {
  if (matchesHash(secret, key.secret_hash)) return { version: key.secret_version, untilMs: Number.POSITIVE_INFINITY };
  const { previous_secret_hash, previous_until_ts } = key;
  if (previous_secret_hash === null || previous_until_ts === null || previous_until_ts <= nowMs) return null;
  if (!matchesHash(secret, previous_secret_hash)) return null;
  return { version: key.secret_version - 1, untilMs: previous_until_ts };
}

export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Compares in constant time, so that the duration reveals nothing. */
function matchesHash(secret: string, hash: string): boolean {
  const [given, kept] = [Buffer.from(hashSecret(secret)), Buffer.from(hash)];
  return given.length === kept.length && timingSafeEqual(given, kept);
}
