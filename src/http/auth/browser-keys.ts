// Proves calls of web pages: a public key in the query string (`?key=key_…`), from a page of one of the key's origins. In the query,
// because a header of its own would make the browser ask first (preflight), which sendBeacon cannot do. There are no cookies, and the
// response may be read by exactly the key's origins (CORS).
//
// The Origin header is the browser's word: it keeps other sites' pages out, not programs. See docs/browser.md.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';
import { type Runtime, systemRuntime } from '../../base/runtime.ts';
import { type ApiKey, hasExpired } from '../../domain/account.ts';
import { hashSecret } from '../../domain/credentials.ts';
import { projectNotFound } from '../../domain/not-found.ts';
import { EVERY_SCOPE } from '../../domain/scopes.ts';
import { AppError } from '../../errors.ts';
import type { AccountStore } from '../../store/registry-store.ts';
import { networkOf } from '../connection-guard.ts';
import type { Caller } from '../route.ts';
import { BrowserPace } from './browser-pace.ts';

const KEY_PATTERN = /^key_[0-9a-z]{26}$/;
const CACHE_BYTES = 4 * 1024 * 1024;
const KEY_BYTES = 1000;
const PREFLIGHT_LIFE_SEC = 600;

type BrowserKey = ApiKey & { project_id: string };

export interface BrowserKeyParts {
  accounts: Pick<AccountStore, 'findKey'>;
  /** Whether the key was disabled after it was looked up. */
  isDisabled(accountId: string, keyId: string): boolean;
  pace?: BrowserPace;
  runtime?: Runtime;
}

export class BrowserKeys {
  readonly #parts: BrowserKeyParts;
  readonly #pace: BrowserPace;
  readonly #runtime: Runtime;
  readonly #known = new BoundedCache<string, BrowserKey>({
    name: 'browser_keys',
    maxBytes: CACHE_BYTES,
    bytesOf: ({ origins, scopes }, key) => textBytes(key) + KEY_BYTES + textBytes([...origins, ...scopes].join('')),
  });

  constructor(parts: BrowserKeyParts) {
    this.#parts = parts;
    this.#runtime = parts.runtime ?? systemRuntime;
    this.#pace = parts.pace ?? new BrowserPace();
  }

  /** Whether the request has a key in its address and no other credentials. */
  isOwn({ headers, query }: FastifyRequest): boolean {
    return headers.authorization === undefined && typeof (query as { key?: unknown }).key === 'string';
  }

  /** Allows the key's own pages to read the response, including errors. */
  async authenticate(
    request: FastifyRequest,
    reply: FastifyReply,
    { scope, writeKey }: { scope: string; writeKey?: string },
  ): Promise<Caller> {
    const key = await this.#admit(request, reply, writeKey);
    if (!key.scopes.includes(EVERY_SCOPE) && !key.scopes.includes(scope)) {
      throw new AppError('INSUFFICIENT_SCOPE', `The browser key does not cover ${scope}.`);
    }
    const { project_id } = request.params as { project_id?: string };
    if (project_id !== undefined && project_id !== key.project_id) throw projectNotFound(project_id.slice(0, 128));
    return {
      accountId: key.account_id,
      keyId: key.key_id,
      scopes: key.scopes,
      onlyProjectId: key.project_id,
    };
  }

  /**
   * Answers the preflight request that a browser sends before a call that is not simple, e.g. one with Content-Type:
   * application/json.
   */
  async sendPreflight(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    await this.#admit(request, reply);
    return reply
      .code(204)
      .header('access-control-allow-methods', 'POST')
      .header('access-control-allow-headers', 'content-type')
      .header('access-control-max-age', PREFLIGHT_LIFE_SEC)
      .send();
  }

  /** A write key is also sent by servers, which have no origin. */
  async #admit(request: FastifyRequest, reply: FastifyReply, writeKey?: string): Promise<BrowserKey> {
    // Set before any error is thrown: a cache must not serve one site's response to another.
    reply.header('vary', 'origin');
    const keyId = writeKey ?? (request.query as { key?: unknown }).key;
    if (typeof keyId !== 'string' || !KEY_PATTERN.test(keyId)) throw unknownKey();
    const network = networkOf(request.ip);
    const nowMs = this.#runtime.monotonicMs();
    const known = this.#known.get(keyId);
    // Limits the rate at which an address can make the store look up keys.
    if (known === undefined) this.#pace.admitAddress(network, nowMs);
    const key = known ?? (await this.#lookUp(keyId));
    if (this.#parts.isDisabled(key.account_id, key.key_id) || hasExpired(key, this.#runtime.nowMs()))
      throw unknownKey();
    this.#admitOrigin(key, request, reply, writeKey);
    if (known !== undefined) this.#pace.admitAddress(network, nowMs);
    this.#pace.admitKey(key.key_id, network, nowMs);
    return key;
  }

  #admitOrigin(key: BrowserKey, { headers: { origin } }: FastifyRequest, reply: FastifyReply, writeKey?: string): void {
    if (origin === undefined && writeKey !== undefined) return;
    if (origin === undefined || !key.origins.includes(origin)) {
      const detail =
        origin === undefined
          ? 'This key is for web pages, and the call has no origin. Servers use a key with a secret.'
          : `This key is not for pages of ${origin.slice(0, 128)}. Add the origin when you create a key.`;
      throw new AppError('ORIGIN_NOT_ALLOWED', detail);
    }
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', 'retry-after, x-request-id');
  }

  async #lookUp(keyId: string): Promise<BrowserKey> {
    const key = await this.#parts.accounts.findKey(hashSecret(keyId));
    if (key?.kind !== 'browser' || key.project_id === null || key.disabled || key.account_disabled) {
      throw unknownKey();
    }
    const known: BrowserKey = { ...key, project_id: key.project_id };
    this.#known.set(keyId, known);
    return known;
  }
}

const unknownKey = (): AppError => new AppError('UNAUTHENTICATED', 'The browser key is unknown, expired or disabled.');
