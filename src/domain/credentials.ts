// API keys and client secrets: 256 random bits each, shown once, kept only as SHA-256. A plain hash is enough because nobody
// can guess 256 bits; a slow one would only slow the service.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiKey } from './account.ts';
import { newId } from './ids.ts';
import type { Scopes } from './scopes.ts';

/** What the developer keeps. */
export interface Credentials {
  api_key: string;
  client_secret: string;
}

const HINT_LENGTH = 8;

export function newCredentials(
  accountId: string,
  name: string,
  scopes: Scopes,
): { credentials: Credentials; key: ApiKey } {
  const credentials = {
    api_key: `kk_${randomBytes(24).toString('base64url')}`,
    client_secret: `ks_${randomBytes(32).toString('base64url')}`,
  };
  const key: ApiKey = {
    key_id: newId('key'),
    account_id: accountId,
    name,
    key_hash: hashSecret(credentials.api_key),
    secret_hash: hashSecret(credentials.client_secret),
    hint: credentials.api_key.slice(0, HINT_LENGTH),
    scopes,
    disabled: false,
    created_ts: Date.now(),
  };
  return { credentials, key };
}

export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Compares in constant time. */
export function matchesHash(secret: string, hash: string): boolean {
  const [given, kept] = [Buffer.from(hashSecret(secret)), Buffer.from(hash)];
  return given.length === kept.length && timingSafeEqual(given, kept);
}
