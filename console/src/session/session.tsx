// Who is signed in, by a key or as a person, and the client that every page uses.
// Invariant: credentials rejected by the service end the session once, whichever call it came from, and the visitor returns
// to the same page after signing in again.
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { Kindred, KindredError, type OperationPath } from '../../../src/client/index.ts';
import { endPersonSession, lookForPerson, type SignedInPerson } from './person-session.ts';
import { redeemSignInLink, requestToken } from './sign-in-calls.ts';
import { hasSignInCode } from './sign-in-code.ts';
import { loadSession, type StoredSession, saveSession } from './stored-session.ts';

export type SignedOutReason = 'expired' | 'signed-out' | 'key-disabled' | null;

interface SessionState {
  client: Kindred | null;
  /** null: signed in with a key, or not at all. */
  person: SignedInPerson | null;
  /** What the key or the role covers; `*` for everything. */
  scopes: readonly string[];
  /** Still finding out whether a person is signed in. */
  isLooking: boolean;
  /** Where people sign in; null: with keys alone. */
  signInUrl: string | null;
  signedOutReason: SignedOutReason;
  signIn: (apiKey: string, clientSecret: string) => Promise<void>;
  signInByLink: (code: string) => Promise<void>;
  signOut: (reason: Exclude<SignedOutReason, null>) => void;
}

const SessionContext = createContext<SessionState | null>(null);

export function useSession(): SessionState {
  const state = useContext(SessionContext);
  if (!state) throw new Error('useSession outside of SessionProvider');
  return state;
}

/** The client of the signed-in visitor; only for what is shown behind the sign-in. */
export function useClient(): Kindred {
  const { client } = useSession();
  if (!client) throw new Error('useClient while nobody is signed in');
  return client;
}

/** Why the visitor may not make this call; null: they may. */
export function useRefusal(operation: OperationPath | undefined): string | null {
  const { scopes, person, client } = useSession();
  if (operation === undefined || client === null || scopes.includes('*') || scopes.includes(operation)) return null;
  return person === null
    ? 'Your key does not cover this. Sign in with another one.'
    : `Your role is ${person.role}, which does not cover this. Ask an admin.`;
}

export function isSessionOver(error: unknown): boolean {
  return error instanceof KindredError && error.status === 401;
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<StoredSession | null>(() => (hasSignInCode() ? null : loadSession()));
  const [person, setPerson] = useState<SignedInPerson | null>(null);
  const [signInUrl, setSignInUrl] = useState<string | null>(null);
  const [isLooking, setLooking] = useState(() => session === null && !hasSignInCode());
  const [signedOutReason, setSignedOutReason] = useState<SignedOutReason>(null);

  const look = useCallback(async () => {
    const found = await lookForPerson();
    setSignInUrl(found.sign_in_url);
    setPerson(found.person);
    setLooking(false);
  }, []);

  useEffect(() => {
    if (session === null) void look();
  }, [session, look]);

  const enter = useCallback((next: StoredSession) => {
    saveSession(next);
    setSession(next);
    setSignedOutReason(null);
  }, []);

  const signOut = useCallback(
    (reason: Exclude<SignedOutReason, null>) => {
      saveSession(null);
      setPerson(null);
      setSignedOutReason(reason);
      // Nothing is shown until the session has ended: whoever reads that they are signed out may leave the page, and what it has
      // not sent by then is lost.
      setLooking(true);
      // A person may be signed in behind a key; signing out is meant for both.
      const ended = reason === 'signed-out' ? endPersonSession() : Promise.resolve();
      void ended.then(() => setSession(null)).then(look);
    },
    [look],
  );

  const client = useMemo(() => (session ? clientOfKey(session) : person ? clientOfPerson() : null), [session, person]);
  const state = useMemo<SessionState>(
    () => ({
      client,
      person: session ? null : person,
      scopes: session ? session.scopes : (person?.scopes ?? []),
      isLooking,
      signInUrl,
      signedOutReason,
      signIn: async (apiKey, clientSecret) => enter(await requestToken(apiKey, clientSecret)),
      signInByLink: async (code) => enter(await redeemSignInLink(code)),
      signOut,
    }),
    [client, session, person, isLooking, signInUrl, signedOutReason, enter, signOut],
  );
  return <SessionContext value={state}>{children}</SessionContext>;
}

function clientOfKey(session: StoredSession): Kindred {
  return new Kindred({
    baseUrl: location.origin,
    apiKey: session.apiKey,
    gzip: true,
    retry: { maxRetries: 3 },
    getAccessToken: async () => {
      if (Date.now() >= session.expiresAtMs) {
        throw new KindredError('Your sign-in has ended', { code: 'TOKEN_EXPIRED', status: 401 });
      }
      // The client renews a little before the expiry it is given; the session itself ends at expiresAtMs.
      return { token: session.accessToken, expiresAtMs: session.expiresAtMs };
    },
  });
}

/** The browser sends the cookie, which no script can read; the header says that the call is the console's own. */
function clientOfPerson(): Kindred {
  return new Kindred({
    baseUrl: location.origin,
    apiKey: '',
    gzip: true,
    retry: { maxRetries: 3 },
    getAccessToken: async () => ({ token: '', expiresAtMs: Number.MAX_SAFE_INTEGER }),
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      headers.delete('authorization');
      headers.delete('apikey');
      headers.set('x-kindred-console', '1');
      return fetch(input, { ...init, headers, credentials: 'same-origin' });
    },
  });
}
