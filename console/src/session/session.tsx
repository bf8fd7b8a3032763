// Who is signed in, and the client that every page uses.
// Invariant: a token rejected by the service ends the session once, whichever call it came from, and the visitor returns
// to the same page after signing in again.
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { Kindred, KindredError } from '../../../src/client/index.ts';
import { redeemSignInLink, requestToken } from './sign-in-calls.ts';
import { hasSignInCode } from './sign-in-code.ts';
import { loadSession, type StoredSession, saveSession } from './stored-session.ts';

export type SignedOutReason = 'expired' | 'signed-out' | 'key-disabled' | null;

interface SessionState {
  client: Kindred | null;
  apiKey: string | null;
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

export function isSessionOver(error: unknown): boolean {
  return error instanceof KindredError && error.status === 401;
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<StoredSession | null>(() => (hasSignInCode() ? null : loadSession()));
  const [signedOutReason, setSignedOutReason] = useState<SignedOutReason>(null);

  const enter = useCallback((next: StoredSession) => {
    saveSession(next);
    setSession(next);
    setSignedOutReason(null);
  }, []);

  const signOut = useCallback((reason: Exclude<SignedOutReason, null>) => {
    saveSession(null);
    setSession(null);
    setSignedOutReason(reason);
  }, []);

  const client = useMemo(() => (session ? clientOf(session) : null), [session]);
  const state = useMemo<SessionState>(
    () => ({
      client,
      apiKey: session?.apiKey ?? null,
      signedOutReason,
      signIn: async (apiKey, clientSecret) => enter(await requestToken(apiKey, clientSecret)),
      signInByLink: async (code) => enter(await redeemSignInLink(code)),
      signOut,
    }),
    [client, session, signedOutReason, enter, signOut],
  );
  return <SessionContext value={state}>{children}</SessionContext>;
}

function clientOf(session: StoredSession): Kindred {
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
