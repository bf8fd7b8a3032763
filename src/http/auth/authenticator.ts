// Authenticates callers by access token and API key of the same account. Credentials seen before are served from a cache
// without waiting. Polling the store finds keys and accounts disabled since.
import type { FastifyRequest } from 'fastify';
import { BoundedCache, textBytes } from '../../domain/bounded-cache.ts';
import { hashSecret } from '../../domain/credentials.ts';
import { EVERY_SCOPE } from '../../domain/scopes.ts';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { AccountStore } from '../../store/registry-store.ts';
import type { Caller } from '../route.ts';
import type { AccessTokens } from './access-tokens.ts';

/** Well under the 10 s within which disabling takes effect on every node. */
const POLL_MS = 3_000;
const CACHE_BYTES = 16 * 1024 * 1024;
/** Estimated bytes of a cache entry without its key, and of each of its scopes. */
const PROVEN_BYTES = 500;
const SCOPE_BYTES = 150;
const MAX_HEADER_LENGTH = 4096;

interface Proven {
  caller: Caller;
  /** The key in the header. It may differ from the token's key, but belongs to the same account. */
  headerKeyId: string;
  /** null: every operation. */
  scopes: ReadonlySet<string> | null;
  expiresAtMs: number;
}

export class Authenticator {
  readonly #accounts: AccountStore;
  readonly #tokens: AccessTokens;
  readonly #log: Logger;
  /** Keyed by both headers. */
  readonly #proven = new BoundedCache<string, Proven>({
    name: 'credentials',
    maxBytes: CACHE_BYTES,
    bytesOf: ({ scopes }, key) => textBytes(key) + PROVEN_BYTES + (scopes?.size ?? 0) * SCOPE_BYTES,
  });
  #disabledKeys: ReadonlySet<string> = new Set();
  #disabledAccounts: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #askedTimes = 0;
  #newestAnswer = 0;

  constructor(accounts: AccountStore, tokens: AccessTokens, log: Logger) {
    this.#accounts = accounts;
    this.#tokens = tokens;
    this.#log = log;
  }

  /** Reads what is disabled, now and every few seconds. */
  async start(): Promise<void> {
    await this.refresh();
    this.#timer = setInterval(() => {
      this.refresh().catch((error) => this.#log.warn({ err: error }, 'could not read which keys are disabled'));
    }, POLL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async refresh(): Promise<void> {
    const turn = ++this.#askedTimes;
    const { keyIds, accountIds } = await this.#accounts.disabled();
    // A slow response must not re-enable what has been disabled since.
    if (turn < this.#newestAnswer) return;
    this.#newestAnswer = turn;
    this.#disabledKeys = new Set(keyIds);
    this.#disabledAccounts = new Set(accountIds);
  }

  authenticate = (request: FastifyRequest, scope: string): Caller | Promise<Caller> => {
    const { authorization, apikey } = request.headers;
    if (authorization === undefined || typeof apikey !== 'string') throw missing(authorization === undefined);
    const proven = this.#proven.get(`${authorization}\n${apikey}`);
    if (proven) return this.#admit(proven, scope);
    return this.#prove(authorization, apikey).then((fresh) => this.#admit(fresh, scope));
  };

  #admit(proven: Proven, scope: string): Caller {
    if (Date.now() >= proven.expiresAtMs) {
      throw new AppError('TOKEN_EXPIRED', 'The access token has expired. Get a new one at /oauth2/token.');
    }
    const { caller, headerKeyId, scopes } = proven;
    if (
      this.#disabledKeys.has(caller.keyId) ||
      this.#disabledKeys.has(headerKeyId) ||
      this.#disabledAccounts.has(caller.accountId)
    ) {
      throw new AppError('UNAUTHENTICATED', 'The API key or its account is disabled.');
    }
    if (scopes !== null && !scopes.has(scope)) {
      throw new AppError(
        'INSUFFICIENT_SCOPE',
        `The token does not cover ${scope}. Ask for a token with that scope, or "*".`,
      );
    }
    return caller;
  }

  async #prove(authorization: string, apiKey: string): Promise<Proven> {
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (!token || authorization.length > MAX_HEADER_LENGTH || apiKey.length > MAX_HEADER_LENGTH) {
      throw new AppError('UNAUTHENTICATED', 'The Authorization header must be "Bearer <access token>".');
    }
    const claims = await this.#tokens.verify(token);
    const scopes = Object.freeze(claims.scope.split(' '));
    const proven: Proven = {
      caller: Object.freeze({ accountId: claims.accountId, keyId: claims.keyId, scopes }),
      headerKeyId: await this.#keyOfAccount(apiKey, claims),
      scopes: scopes.includes(EVERY_SCOPE) ? null : new Set(scopes),
      expiresAtMs: claims.expiresAtMs,
    };
    this.#proven.set(`${authorization}\n${apiKey}`, proven);
    return proven;
  }

  /** The id of the key in the header. Only a key other than the token's own needs a lookup. */
  async #keyOfAccount(apiKey: string, claims: { accountId: string; keyId: string; keyHash: string }): Promise<string> {
    const keyHash = hashSecret(apiKey);
    if (keyHash === claims.keyHash) return claims.keyId;
    const key = await this.#accounts.findKey(keyHash);
    if (!key || key.disabled) throw new AppError('UNAUTHENTICATED', 'The API key is unknown or disabled.');
    if (key.account_id !== claims.accountId) {
      throw new AppError('API_KEY_MISMATCH', 'The API key and the access token belong to different accounts.');
    }
    return key.key_id;
  }
}

function missing(authorization: boolean): AppError {
  return new AppError(
    'UNAUTHENTICATED',
    authorization
      ? 'The header "Authorization: Bearer <access token>" is missing. Get a token at /oauth2/token.'
      : 'The header "APIKey" is missing.',
    { challenge: 'Bearer realm="kindred"' },
  );
}
