// Proves calls of services that can only send HTTP Basic (Segment, RudderStack): `API_KEY:CLIENT_SECRET`, or a browser key as user name
// without a password, as their write keys are. For the few routes that declare `acceptsBasic`.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Runtime, systemRuntime } from '../../base/runtime.ts';
import { hasExpired } from '../../domain/account.ts';
import { hashSecret, matchingSecret } from '../../domain/credentials.ts';
import { EVERY_SCOPE } from '../../domain/scopes.ts';
import { AppError } from '../../errors.ts';
import type { AccountStore } from '../../store/registry-store.ts';
import type { Caller } from '../route.ts';
import { readBasicHeader } from './basic-header.ts';
import type { BrowserKeys } from './browser-keys.ts';
import { FailedAttempts } from './failed-attempts.ts';

const MAX_HEADER_LENGTH = 4096;

export class BasicKeys {
  readonly #accounts: Pick<AccountStore, 'findKey'>;
  readonly #browsers: BrowserKeys;
  readonly #runtime: Runtime;
  readonly #failedAttempts = new FailedAttempts();

  constructor(accounts: Pick<AccountStore, 'findKey'>, browsers: BrowserKeys, runtime: Runtime = systemRuntime) {
    this.#accounts = accounts;
    this.#browsers = browsers;
    this.#runtime = runtime;
  }

  isOwn({ headers }: FastifyRequest): boolean {
    return /^Basic /i.test(headers.authorization ?? '');
  }

  async authenticate(request: FastifyRequest, reply: FastifyReply, scope: string): Promise<Caller> {
    const { authorization = '' } = request.headers;
    const basic = authorization.length > MAX_HEADER_LENGTH ? 'malformed' : readBasicHeader(authorization);
    if (basic === null || basic === 'malformed') throw wrong('The Basic header must contain API_KEY:CLIENT_SECRET.');
    if (basic.secret === '') return this.#browsers.authenticate(request, reply, { scope, writeKey: basic.id });
    const key = await this.#accounts.findKey(hashSecret(basic.id));
    const nowMs = this.#runtime.nowMs();
    const secret = key && matchingSecret(key, basic.secret, nowMs);
    if (!key || !secret || key.disabled || key.account_disabled || hasExpired(key, nowMs)) {
      const waitSec = this.#failedAttempts.failed(`${request.ip} ${hashSecret(basic.id)}`, nowMs);
      if (waitSec === 0) throw wrong('The API key or client secret is wrong, expired or disabled.');
      throw new AppError('RATE_LIMITED', `Too many failed attempts. Try again in ${waitSec} s.`, {
        retryAfterSec: waitSec,
      });
    }
    if (!key.scopes.includes(EVERY_SCOPE) && !key.scopes.includes(scope)) {
      throw new AppError('INSUFFICIENT_SCOPE', `The key does not cover ${scope}.`);
    }
    return { accountId: key.account_id, keyId: key.key_id, scopes: key.scopes };
  }
}

const wrong = (detail: string): AppError =>
  new AppError('UNAUTHENTICATED', detail, { challenge: 'Basic realm="kindred"' });
