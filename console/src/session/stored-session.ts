// The signed-in state of this tab: an API key and a token that expires. It is in session storage, so it ends with the tab.
// The client secret is never stored.

export interface StoredSession {
  apiKey: string;
  accessToken: string;
  /** What the token covers. */
  scopes: string[];
  expiresAtMs: number;
}

const KEY = 'kindred-session';

export function loadSession(): StoredSession | null {
  try {
    const value = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Partial<StoredSession> | null;
    const whole =
      typeof value?.apiKey === 'string' &&
      typeof value.accessToken === 'string' &&
      typeof value.expiresAtMs === 'number';
    // A tab from before an update of the console has no scopes.
    return whole ? ({ scopes: ['*'], ...value } as StoredSession) : null;
  } catch {
    return null;
  }
}

export function saveSession(session: StoredSession | null): void {
  try {
    if (session) sessionStorage.setItem(KEY, JSON.stringify(session));
    else sessionStorage.removeItem(KEY);
  } catch {
    // Storage may be blocked: the session then lasts until the page is reloaded.
  }
}
