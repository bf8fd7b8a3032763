// The parts of sign-in for people, which exist only if it is configured.
import { HOUR_MS } from '../../base/durations.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { OidcSettings } from '../../domain/oidc-settings.ts';
import type { Role } from '../../domain/person.ts';
import type { Scopes } from '../../domain/scopes.ts';
import type { AccountStore } from '../../store/registry-store.ts';
import type { SessionStore } from '../../store/session-store.ts';
import { ConsoleSessions } from './console-sessions.ts';
import { HostCookie } from './cookies.ts';
import { OpenIdProvider, rulesHashOf } from './openid-provider.ts';
import { SignInAttempts } from './sign-in-attempt.ts';

/**
 * Path to which the provider sends people back. The provider must have it registered, with the service's public address before
 * it.
 */
export const CALLBACK_PATH = '/console/sign-in/callback';

export interface People {
  settings: OidcSettings;
  provider: OpenIdProvider;
  attempts: SignInAttempts;
  attemptCookie: HostCookie;
  sessions: ConsoleSessions;
}

export interface PeopleSources {
  accounts: AccountStore;
  sessions: SessionStore;
  baseUrl(): string;
  isAccountDisabled(accountId: string): boolean;
  scopesByRole(): Readonly<Record<Role, Scopes>>;
  runtime?: Runtime;
}

export async function openPeople(settings: OidcSettings | null, sources: PeopleSources): Promise<People | null> {
  if (settings === null) return null;
  const { accounts, sessions, baseUrl, isAccountDisabled, scopesByRole, runtime } = sources;
  const isSecure = () => baseUrl().startsWith('https:');
  return {
    settings,
    provider: new OpenIdProvider(settings, () => `${baseUrl()}${CALLBACK_PATH}`, runtime),
    attempts: await SignInAttempts.open(accounts, runtime),
    // SameSite is Lax, because the browser sends the cookie when it returns from another site.
    attemptCookie: new HostCookie('kindred-sign-in', 'Lax', isSecure),
    sessions: new ConsoleSessions({
      sessions,
      cookie: new HostCookie('kindred-session', 'Strict', isSecure),
      rulesHash: rulesHashOf(settings),
      sessionMs: settings.sessionHours * HOUR_MS,
      scopesOf: (role) => scopesByRole()[role],
      isAccountDisabled,
      runtime,
    }),
  };
}
