// Sessions of people in the console: who is signed in, and ending what they have open.
import { Type } from 'typebox';
import { type ConsoleSession, ROLES, SESSION_LIMITS } from '../../domain/person.ts';
import { AppError } from '../../errors.ts';
import { pageOfAll } from '../../store/page.ts';
import type { ConsoleSessions } from '../auth/console-sessions.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, NextPageToken, oneOf, open, pageQuery, ServiceId, TimeMs, toPageRequest } from '../schemas/common.ts';
import { openAs } from '../schemas/named.ts';

const EXAMPLE_SESSION = {
  session_id: 'ses_01k9zq7f5h7k9m1p3r5t7w9y1a',
  person_id: 'per_5f0c3d9a1b7e4c2d8f6a0b1c2d',
  name: 'ann@example.com',
  role: 'editor',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64)',
  created_ts: 1_762_000_000_000,
  seen_ts: 1_762_003_600_000,
  expires_ts: 1_762_043_200_000,
  current: false,
};

const SessionResponse = openAs('ConsoleSession', {
  session_id: Type.String(),
  person_id: Type.String({ description: 'The same for the same person at the same provider.' }),
  name: Type.String({ description: 'The e-mail address, or the name the provider gave.' }),
  role: oneOf(ROLES),
  user_agent: Type.String({ description: 'The browser, as it describes itself.' }),
  created_ts: TimeMs,
  seen_ts: Type.Unsafe<number>({ ...TimeMs, description: 'Last use, to the minute.' }),
  expires_ts: TimeMs,
  current: Type.Boolean({ description: 'The session of this call.' }),
});

/** `sessions` is null if sign-in for people is not configured. */
export function peopleRoutes(sessions: Pick<ConsoleSessions, 'list' | 'end'> | null): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/list-console-sessions',
      tag: 'Account',
      summary: 'List who is signed in to the console',
      description: `Sessions of people who signed in with OpenID Connect, newest first. At most ${SESSION_LIMITS.perPerson} per person and ${SESSION_LIMITS.perAccount.toLocaleString('en-US')} per account.`,
      role: 'admin',
      query: closed(pageQuery),
      response: open({ sessions: Type.Array(SessionResponse), next_page_token: NextPageToken }),
      errors: ['INVALID_PAGE_TOKEN'],
      examples: { request: {}, response: { sessions: [EXAMPLE_SESSION], next_page_token: null } },
      async handler({ query, caller }) {
        const all = (await sessions?.list(caller.accountId)) ?? [];
        const page = pageOfAll(all, toPageRequest(query), (one) => ({ ts: one.created_ts, id: one.session_id }));
        const listed = page.entries.map((session) => toResponse(session, caller.sessionId));
        return { sessions: listed, next_page_token: page.next_page_token };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/end-console-sessions',
      tag: 'Account',
      summary: 'Sign people out of the console',
      description:
        'Ends one session, or all sessions of a person. Takes effect within 10 seconds on all nodes. It does not keep the person from signing in again: remove them at the provider or from the settings of roles.',
      role: 'admin',
      body: closed({ session_id: Type.Optional(ServiceId), person_id: Type.Optional(ServiceId) }),
      response: open({ ended: Type.Integer() }),
      errors: ['SESSION_NOT_FOUND'],
      examples: { request: { session_id: EXAMPLE_SESSION.session_id }, response: { ended: 1 } },
      async handler({ body: { session_id, person_id }, caller }) {
        if ((session_id === undefined) === (person_id === undefined)) {
          throw new AppError('INVALID_REQUEST', 'Send session_id or person_id, one of the two.');
        }
        const which = session_id === undefined ? { person_id: person_id! } : { session_id };
        const ended = (await sessions?.end(caller.accountId, which)) ?? 0;
        if (ended === 0) throw new AppError('SESSION_NOT_FOUND', 'There is no such session, or it has ended.');
        return { ended };
      },
    }),
  ];
}

function toResponse(session: ConsoleSession, currentId: string | undefined) {
  const { session_id, person_id, person_name: name, role, user_agent, created_ts, seen_ts, expires_ts } = session;
  const current = session_id === currentId;
  return { session_id, person_id, name, role, user_agent, created_ts, seen_ts, expires_ts, current };
}
