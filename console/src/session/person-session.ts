// The session of a person who signed in with OpenID Connect: the service knows it by a cookie.

export interface SignedInPerson {
  person_id: string;
  name: string;
  role: 'viewer' | 'editor' | 'admin';
  scopes: string[];
}

export interface FoundPerson {
  sign_in_url: string | null;
  person: SignedInPerson | null;
}

const NOBODY: FoundPerson = { sign_in_url: null, person: null };

/** Without the service the sign-in page says what is wrong when it is used. */
export async function lookForPerson(): Promise<FoundPerson> {
  try {
    const response = await fetch('/console/session', { credentials: 'same-origin' });
    return response.ok ? ((await response.json()) as FoundPerson) : NOBODY;
  } catch {
    return NOBODY;
  }
}

export async function endPersonSession(): Promise<void> {
  if ((await lookForPerson()).person === null) return;
  const headers = { 'x-kindred-console': '1' };
  await fetch('/console/sign-out', { method: 'POST', headers, credentials: 'same-origin' }).catch(() => undefined);
}

/** The service takes no more. */
const MAX_PAGE_LENGTH = 500;

/** Back to the page the visitor is on, unless it is the first page or its address is too long. */
export function signInAddress(signInUrl: string): string {
  const page = location.hash.replace(/^#/, '');
  const isKept = page.startsWith('/') && page !== '/' && page.length <= MAX_PAGE_LENGTH;
  return isKept ? `${signInUrl}?page=${encodeURIComponent(page)}` : signInUrl;
}

const FAILURE = /^#sign-in-failed=([\w-]+)$/;

const FAILURES: Record<string, { title: string; whatToDo: string }> = {
  'no-role': { title: 'Your account has no role here', whatToDo: 'Ask the operator of this service to give you one.' },
  'too-old': { title: 'The sign-in took too long', whatToDo: 'Try again. Allow cookies for this page.' },
  refused: { title: 'The provider refused the sign-in', whatToDo: 'Try again, or ask the operator of the provider.' },
  'no-account': {
    title: 'The account of this service does not exist',
    whatToDo: 'The operator of this service must check KINDRED_OIDC_ACCOUNT.',
  },
  busy: { title: 'Many people are signing in', whatToDo: 'Try again in a moment.' },
  provider: {
    title: 'The provider could not be used',
    whatToDo: 'Try again. If it fails again, see the log of the service for the reason.',
  },
  service: {
    title: 'The sign-in could not be stored',
    whatToDo: 'Try again. If it fails again, see the log of the service for the reason.',
  },
};

/** Why the last sign-in failed, once: it leaves the address. */
export function takeFailure(): { title: string; whatToDo: string } | null {
  const match = FAILURE.exec(location.hash);
  if (!match) return null;
  history.replaceState(null, '', `${location.pathname}#/`);
  return FAILURES[match[1]] ?? FAILURES.provider;
}
