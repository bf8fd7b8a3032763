// Authenticates callers by access token and API key of the same account. Credentials seen before are served from a cache
// without waiting. Polling the store finds keys and accounts disabled since.
import type { FastifyRequest } from 'fastify';
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';
import { type Runtime, systemRuntime, type Timer } from '../../base/runtime.ts';
import { type ApiKey, hasExpired } from '../../domain/account.ts';
import { hashSecret } from '../../domain/credentials.ts';
import { EVERY_SCOPE } from '../../domain/scopes.ts';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { onBehalfOf } from '../../store/on-behalf-of.ts';
import type { AccountStore, Revocations } from '../../store/registry-store.ts';
import type { Caller } from '../route.ts';
import { type AccessTokens, TOKEN_LIFE_SEC } from './access-tokens.ts';

/** Well under the 10 s within which disabling takes effect on every node. */
const POLL_MS = 3_000;
/**
 * How long rotations are remembered: a token outlives the rotation of its secret by at most its own lifetime. Twice that allows
 * for clocks that differ.
 */
const ROTATION_SEEN_MS = 2 * TOKEN_LIFE_SEC * 1000;
const CACHE_BYTES = 16 * 1024 * 1024;
/** Estimated bytes of a cache entry without its key, and of each of its scopes. */
const PROVEN_BYTES = 500;
const SCOPE_BYTES = 150;
const MAX_HEADER_LENGTH = 4096;

interface Proven {
  caller: Caller;
  secretVersion: number;
  /** The key in the header. It may differ from the token's key, but belongs to the same account. */
  headerKeyId: string;
  /** null means every operation. */
  scopes: ReadonlySet<string> | null;
  /** When the token expires, or the key in the header if that is earlier. */
  expiresAtMs: number;
}

export class Authenticator {
  readonly #accounts: AccountStore;
  readonly #tokens: AccessTokens;
  readonly #log: Logger;
  readonly #runtime: Runtime;
  /** Keyed by the values of both headers. */
  readonly #proven = new BoundedCache<string, Proven>({
    name: 'credentials',
    maxBytes: CACHE_BYTES,
    bytesOf: ({ scopes }, key) => textBytes(key) + PROVEN_BYTES + (scopes?.size ?? 0) * SCOPE_BYTES,
  });
  #disabledKeys: ReadonlySet<string> = new Set();
  #disabledAccounts: ReadonlySet<string> = new Set();
  /** keys whose secret was rotated while tokens of the previous one may still be valid */
  #rotated: ReadonlyMap<string, Revocations['rotated'][number]> = new Map();
  #timer: Timer | undefined;
  #askedTimes = 0;
  #newestResponse = 0;

  constructor(accounts: AccountStore, tokens: AccessTokens, log: Logger, runtime: Runtime = systemRuntime) {
    this.#accounts = accounts;
    this.#tokens = tokens;
    this.#log = log;
    this.#runtime = runtime;
  }

  /** Reads which keys are disabled or rotated, now and every few seconds. */
  async start(): Promise<void> {
    await this.refresh();
    this.#timer = this.#runtime.every(POLL_MS, () => {
      this.refresh().catch((error) => this.#log.warn({ err: error }, 'could not read which keys are disabled'));
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  async refresh(): Promise<void> {
    const turn = ++this.#askedTimes;
    const { keyIds, accountIds, rotated } = await this.#accounts.revocations(this.#runtime.nowMs() - ROTATION_SEEN_MS);
    // A slow response must not re-enable what has been disabled since.
    if (turn < this.#newestResponse) return;
    this.#newestResponse = turn;
    this.#disabledKeys = new Set(keyIds);
    this.#disabledAccounts = new Set(accountIds);
    this.#rotated = new Map(rotated.map((rotation) => [rotation.key_id, rotation]));
  }

  isDisabled(accountId: string, keyId: string): boolean {
    return this.#disabledKeys.has(keyId) || this.#disabledAccounts.has(accountId);
  }

  authenticate = (request: FastifyRequest, scope: string): Caller | Promise<Caller> => {
    const { authorization, apikey } = request.headers;
    if (authorization === undefined)
      throw missingToken([apikey, (request.query as { key?: unknown } | undefined)?.key]);
    if (typeof apikey !== 'string') throw missing('The header "APIKey" is missing.');
    const proven = this.#proven.get(`${authorization}\n${apikey}`);
    if (proven) return this.#admit(proven, scope);
    return this.#prove(authorization, apikey).then((fresh) => this.#admit(fresh, scope));
  };

  #admit(proven: Proven, scope: string): Caller {
    if (this.#runtime.nowMs() >= proven.expiresAtMs) {
      throw new AppError('TOKEN_EXPIRED', 'The access token has expired. Get a new one at /oauth2/token.');
    }
    const { caller, headerKeyId, scopes } = proven;
    if (this.isDisabled(caller.accountId, caller.keyId) || this.#disabledKeys.has(headerKeyId)) {
      throw new AppError('UNAUTHENTICATED', 'The API key or its account is disabled.');
    }
    if (this.#isOfEndedSecret(proven)) {
      const detail =
        "The client secret was rotated, and the old one's grace time is over. Get a token with the new secret.";
      throw new AppError('UNAUTHENTICATED', detail);
    }
    if (scopes !== null && !scopes.has(scope)) {
      throw new AppError(
        'INSUFFICIENT_SCOPE',
        `The token does not cover ${scope}. Ask for a token with that scope, or "*".`,
      );
    }
    return caller;
  }

  /** Only the secret before the current one has a grace period; older ones have ended. */
  #isOfEndedSecret({ caller, secretVersion }: Proven): boolean {
    const rotation = this.#rotated.get(caller.keyId);
    if (rotation === undefined || secretVersion >= rotation.secret_version) return false;
    return secretVersion < rotation.secret_version - 1 || rotation.previous_until_ts <= this.#runtime.nowMs();
  }

  async #prove(authorization: string, apiKey: string): Promise<Proven> {
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (!token || authorization.length > MAX_HEADER_LENGTH || apiKey.length > MAX_HEADER_LENGTH) {
      throw new AppError('UNAUTHENTICATED', 'The Authorization header must be "Bearer <access token>".');
    }
    const claims = await this.#tokens.verify(token);
    const scopes = Object.freeze(claims.scope.split(' '));
    const headerKey = await this.#keyOfAccount(apiKey, claims);
    const proven: Proven = {
      caller: Object.freeze({ accountId: claims.accountId, keyId: claims.keyId, scopes }),
      secretVersion: claims.secretVersion,
      headerKeyId: headerKey.key_id,
      scopes: scopes.includes(EVERY_SCOPE) ? null : new Set(scopes),
      expiresAtMs: Math.min(claims.expiresAtMs, headerKey.expires_ts ?? Number.POSITIVE_INFINITY),
    };
    this.#proven.set(`${authorization}\n${apiKey}`, proven);
    return proven;
  }

  /**
   * Returns the key in the header. Only a key other than the token's own needs a lookup, because a token expires no later than
   * its key.
   */
  async #keyOfAccount(
    apiKey: string,
    claims: { accountId: string; keyId: string; keyHash: string },
  ): Promise<Pick<ApiKey, 'key_id' | 'expires_ts'>> {
    const keyHash = hashSecret(apiKey);
    if (keyHash === claims.keyHash) return { key_id: claims.keyId, expires_ts: null };
    const key = await onBehalfOf(claims.accountId, () => this.#accounts.findKey(keyHash));
    if (key?.kind !== 'secret' || key.disabled || hasExpired(key, this.#runtime.nowMs())) {
      throw new AppError('UNAUTHENTICATED', 'The API key is unknown, expired or disabled.');
    }
    if (key.account_id !== claims.accountId) {
      throw new AppError('API_KEY_MISMATCH', 'The API key and the access token belong to different accounts.');
    }
    return key;
  }
}

const WHERE_BROWSER_KEYS_WORK =
  'A browser key goes into the address, as ?key=key_…, of /track, /record-impressions, /ingest/segment and of the placements and pages of its project. Every other call needs an access token from /oauth2/token.';

function missingToken(keys: readonly unknown[]): AppError {
  const isOfBrowser = keys.some((key) => typeof key === 'string' && key.startsWith('key_'));
  return missing(
    isOfBrowser
      ? WHERE_BROWSER_KEYS_WORK
      : 'The header "Authorization: Bearer <access token>" is missing. Get a token at /oauth2/token.',
  );
}

function missing(detail: string): AppError {
  return new AppError('UNAUTHENTICATED', detail, { challenge: 'Bearer realm="kindred"' });
}
