// Proves calls of people who signed in to the console: a cookie with a random id, whose hash is in the store with the person and the
// role. A session ends an hour after its last use, at its absolute end, when it is revoked, and when the settings of roles change.
//
// Other sites cannot use it: the cookie is SameSite=Strict, and a call counts only with a header of its own, which a page of another
// origin may not send.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BoundedCache } from '../../base/bounded-cache.ts';
import { type Runtime, systemRuntime } from '../../base/runtime.ts';
import { newSecret } from '../../base/system.ts';
import { hashSecret } from '../../domain/credentials.ts';
import { newId } from '../../domain/ids.ts';
import { type ConsoleSession, hasEnded, type Person, type Role, SESSION_LIMITS } from '../../domain/person.ts';
import { EVERY_SCOPE, type Scopes } from '../../domain/scopes.ts';
import { AppError } from '../../errors.ts';
import type { SessionStore, SessionsToEnd } from '../../store/session-store.ts';
import type { Caller } from '../route.ts';
import type { HostCookie } from './cookies.ts';

export const CONSOLE_HEADER = 'x-kindred-console';
/** Well under the 10 s within which revoking takes effect on every node. */
const LOOK_AGAIN_MS = 3_000;
const CACHE_BYTES = 4 * 1024 * 1024;
const SESSION_BYTES = 1500;
const MAX_USER_AGENT_LENGTH = 200;

export interface ConsoleSessionParts {
  sessions: SessionStore;
  cookie: HostCookie;
  /** Hash of the settings that decide roles. */
  rulesHash: string;
  sessionMs: number;
  scopesOf(role: Role): Scopes;
  isAccountDisabled(accountId: string): boolean;
  runtime?: Runtime;
}

export class ConsoleSessions {
  readonly #parts: ConsoleSessionParts;
  readonly #runtime: Runtime;
  readonly #known = new BoundedCache<string, { session: ConsoleSession; readAtMs: number }>({
    name: 'console_sessions',
    maxBytes: CACHE_BYTES,
    bytesOf: () => SESSION_BYTES,
  });

  constructor(parts: ConsoleSessionParts) {
    this.#parts = parts;
    this.#runtime = parts.runtime ?? systemRuntime;
  }

  /** Whether the call comes from the console itself, with a session and no other credentials. */
  isOwn(request: FastifyRequest): boolean {
    const { headers } = request;
    if (headers.authorization !== undefined || headers[CONSOLE_HEADER] !== '1') return false;
    const site = headers['sec-fetch-site'];
    return (site === undefined || site === 'same-origin') && this.#parts.cookie.read(request) !== null;
  }

  async authenticate(request: FastifyRequest, reply: FastifyReply, scope: string): Promise<Caller> {
    const session = await this.find(request, reply);
    if (session === null) throw new AppError('UNAUTHENTICATED', 'Your sign-in has ended. Sign in again.');
    const caller = this.callerOf(session);
    if (caller.scopes.includes(EVERY_SCOPE) || caller.scopes.includes(scope)) return caller;
    throw new AppError('INSUFFICIENT_SCOPE', `Your role, ${session.role}, does not cover ${scope}. Ask an admin.`);
  }

  /** Returns the session of the request and renews it; null if there is none or it has ended. */
  async find(request: FastifyRequest, reply: FastifyReply): Promise<ConsoleSession | null> {
    const { cookie, sessions, rulesHash, isAccountDisabled } = this.#parts;
    const id = cookie.read(request);
    if (id === null) return null;
    const session = await this.#read(hashSecret(id));
    const now = this.#runtime.nowMs();
    if (session === null || hasEnded(session, now) || session.rules_hash !== rulesHash) return null;
    if (isAccountDisabled(session.account_id)) return null;
    if (now - session.seen_ts >= SESSION_LIMITS.seenEveryMs) {
      session.seen_ts = now;
      await sessions.saw(session.session_id, now);
      cookie.write(reply, id, cookieLifeSec(session));
    }
    return session;
  }

  callerOf({ account_id, person_id, person_name, role, session_id }: ConsoleSession): Caller {
    const person: Person = { id: person_id, name: person_name, role };
    return {
      accountId: account_id,
      keyId: person_id,
      scopes: this.#parts.scopesOf(role),
      person,
      sessionId: session_id,
    };
  }

  /** Always uses a new id, so that an id planted by an attacker before the sign-in is worthless. */
  async open(accountId: string, person: Person, request: FastifyRequest, reply: FastifyReply): Promise<ConsoleSession> {
    const id = newSecret(32);
    const now = this.#runtime.nowMs();
    const session: ConsoleSession = {
      session_id: newId('session', this.#runtime, now),
      id_hash: hashSecret(id),
      account_id: accountId,
      person_id: person.id,
      person_name: person.name,
      role: person.role,
      rules_hash: this.#parts.rulesHash,
      user_agent: String(request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT_LENGTH),
      created_ts: now,
      seen_ts: now,
      expires_ts: now + this.#parts.sessionMs,
    };
    await this.#parts.sessions.open(session);
    this.#parts.cookie.write(reply, id, cookieLifeSec(session));
    return session;
  }

  list(accountId: string): Promise<ConsoleSession[]> {
    return this.#parts.sessions.list(accountId);
  }

  /** Ends sessions, at once on this node and within seconds on others. Returns how many there were. */
  async end(accountId: string, which: SessionsToEnd): Promise<number> {
    const ended = await this.#parts.sessions.end(accountId, which);
    for (const { id_hash } of ended) this.#known.delete(id_hash);
    return ended.length;
  }

  clearCookie(reply: FastifyReply): void {
    this.#parts.cookie.clear(reply);
  }

  async #read(idHash: string): Promise<ConsoleSession | null> {
    const known = this.#known.get(idHash);
    const now = this.#runtime.nowMs();
    if (known !== undefined && now - known.readAtMs < LOOK_AGAIN_MS) return known.session;
    const session = await this.#parts.sessions.find(idHash);
    if (session === null) this.#known.delete(idHash);
    else this.#known.set(idHash, { session, readAtMs: now });
    return session;
  }
}

function cookieLifeSec({ seen_ts, expires_ts }: ConsoleSession): number {
  return Math.max(1, Math.ceil(Math.min(SESSION_LIMITS.idleMs, expires_ts - seen_ts) / 1000));
}
