// Signing in to the console: who is signed in, the way to the OpenID provider and back, and out. Browsers come here by navigation, so
// failures lead back to the sign-in page, which says what to do.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { roleOf, verifiedEmail } from '../../domain/oidc-settings.ts';
import { type Person, ROLES } from '../../domain/person.ts';
import type { Logger } from '../../observability/logger.ts';
import type { AccountStore } from '../../store/registry-store.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { CONSOLE_HEADER, type ConsoleSessions } from '../auth/console-sessions.ts';
import { personIdOf } from '../auth/openid-provider.ts';
import { CALLBACK_PATH, type People } from '../auth/people.ts';
import { ATTEMPT_LIFE_SEC } from '../auth/sign-in-attempt.ts';
import { defineRoute, type Route } from '../route.ts';
import { nullable, oneOf, open, TimeMs } from '../schemas/common.ts';

const SIGN_IN_PATH = '/console/sign-in';

export interface PeopleRoutesParts {
  /** null if people can only use keys. */
  people: People | null;
  accounts: Pick<AccountStore, 'findByName'>;
  audit: AuditTrail;
  baseUrl(): string;
  log: Logger;
}

/** Why a sign-in failed, for the sign-in page. */
type Failure = 'too-old' | 'refused' | 'no-role' | 'no-account' | 'provider' | 'busy' | 'service';

/** Most exchanges with the provider at the same time, because each may take seconds. */
const MAX_EXCHANGES = 50;
/** Pages of the console to return to after sign-in. Others are replaced by the start page. */
const PAGE_PATTERN = /^\/[\w\-./~%:]{0,500}$/;
const MAX_NAME_LENGTH = 200;

const SessionResponse = open({
  sign_in_url: nullable(Type.String({ description: 'Where people sign in; null: with keys only.' })),
  person: nullable(
    open({
      person_id: Type.String(),
      name: Type.String(),
      role: oneOf(ROLES),
      scopes: Type.Array(Type.String()),
      expires_ts: TimeMs,
    }),
  ),
});

const hidden = { scope: null, tag: 'Console', hidden: true, examples: {} } as const;

export function peopleSignInRoutes({ people, accounts, audit, baseUrl, log }: PeopleRoutesParts): Route[] {
  const session = defineRoute({
    ...hidden,
    method: 'GET',
    path: '/console/session',
    summary: 'Who is signed in, and how to sign in',
    quiet: true,
    response: SessionResponse,
    async handler({ request, reply }) {
      reply.header('cache-control', 'no-store');
      if (people === null) return { sign_in_url: null, person: null };
      const sign_in_url = `${baseUrl()}${SIGN_IN_PATH}`;
      const found = await people.sessions.find(request, reply);
      if (found === null) return { sign_in_url, person: null };
      const { person_id, person_name: name, role, expires_ts } = found;
      const scopes = [...people.sessions.callerOf(found).scopes];
      return { sign_in_url, person: { person_id, name, role, scopes, expires_ts } };
    },
  });
  if (people === null) return [session];

  const { settings, provider, attempts, attemptCookie, sessions } = people;
  let exchanges = 0;

  async function exchange<T extends object>(what: string, work: () => Promise<T>): Promise<T | Failure> {
    if (exchanges >= MAX_EXCHANGES) return 'busy';
    exchanges += 1;
    try {
      return await work();
    } catch (error) {
      noteFailure(error, what);
      return 'provider';
    } finally {
      exchanges -= 1;
    }
  }

  const fail = (reply: FastifyReply, failure: Failure): FastifyReply =>
    reply.header('cache-control', 'no-store').redirect(`/console/#sign-in-failed=${failure}`, 302);

  const noteFailure = (error: unknown, what: string): void =>
    log.warn({ err: error, issuer: settings.issuer }, `${what} failed. Check the KINDRED_OIDC_ settings`);

  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const sealed = attemptCookie.read(request);
    // The cookie is valid for one attempt, whatever its result.
    attemptCookie.clear(reply);
    const attempt = sealed === null ? null : await attempts.unseal(sealed);
    const query = queryOf(request);
    if (attempt === null || query.get('state') !== attempt.state) return fail(reply, 'too-old');
    if (query.has('error')) {
      noteFailure(new Error(`${query.get('error')}: ${query.get('error_description')}`.slice(0, 500)), 'a sign-in');
      return fail(reply, 'refused');
    }
    const claims = await exchange('a sign-in', () => provider.finish(query.toString(), attempt));
    if (typeof claims === 'string') return fail(reply, claims);
    const role = roleOf(claims, settings);
    if (role === null) return fail(reply, 'no-role');
    const account = await accounts.findByName(settings.account);
    if (account === null || account.disabled) return fail(reply, 'no-account');
    const name = String(verifiedEmail(claims) ?? claims.name ?? claims.preferred_username ?? claims.sub);
    const person: Person = { id: personIdOf(settings.issuer, claims.sub), name: name.slice(0, MAX_NAME_LENGTH), role };
    const opened = await sessions.open(account.account_id, person, request, reply);
    try {
      await record('/console/sign-in', opened, request);
    } catch (error) {
      sessions.clearCookie(reply);
      await sessions.end(opened.account_id, { session_id: opened.session_id });
      throw error;
    }
    return reply.redirect(`/console/#${attempt.page}`, 302);
  }

  const record = (operation: string, of: Parameters<ConsoleSessions['callerOf']>[0], request: FastifyRequest) =>
    audit.record('each', {
      caller: sessions.callerOf(of),
      operation,
      requestId: String(request.id),
      body: { role: of.role },
      params: {},
      response: { session_id: of.session_id },
    });

  return [
    session,
    defineRoute({
      ...hidden,
      method: 'GET',
      path: SIGN_IN_PATH,
      summary: 'Go to the OpenID provider',
      // Allows more than PAGE_PATTERN, because a rejection here would show the person JSON.
      query: open({ page: Type.Optional(Type.String({ maxLength: 4000 })) }),
      response: open({}),
      async handler({ query: { page = '/' }, reply }) {
        const work = () => provider.begin(PAGE_PATTERN.test(page) ? page : '/');
        const begun = await exchange('reading the OpenID provider', work);
        if (typeof begun === 'string') return fail(reply, begun);
        attemptCookie.write(reply, await attempts.seal(begun.attempt), ATTEMPT_LIFE_SEC);
        return reply.redirect(begun.url.href, 302);
      },
    }),
    defineRoute({
      ...hidden,
      method: 'GET',
      path: CALLBACK_PATH,
      summary: 'Come back from the OpenID provider',
      response: open({}),
      async handler({ request, reply }) {
        try {
          return await enter(request, reply);
        } catch (error) {
          log.error({ err: error }, 'a sign-in failed in the service');
          return fail(reply, 'service');
        }
      },
    }),
    defineRoute({
      ...hidden,
      method: 'POST',
      path: '/console/sign-out',
      summary: 'End the session',
      response: open({ signed_out: Type.Boolean() }),
      async handler({ request, reply }) {
        // Without this header the call may come from a page of another site.
        if (request.headers[CONSOLE_HEADER] !== '1') return { signed_out: false };
        const found = await sessions.find(request, reply);
        sessions.clearCookie(reply);
        if (found === null) return { signed_out: false };
        await sessions.end(found.account_id, { session_id: found.session_id });
        await record('/console/sign-out', found, request);
        return { signed_out: true };
      },
    }),
  ];
}

function queryOf({ raw }: FastifyRequest): URLSearchParams {
  const url = raw.url ?? '';
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
}
