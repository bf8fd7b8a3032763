// The two calls that come before any token: client credentials, and the one-time link that `npm start` prints on loopback.
import { KindredError } from '../../../src/client/index.ts';
import type { StoredSession } from './stored-session.ts';

interface TokenResponse {
  access_token: string;
  expires_in: number;
  scope: string;
}

export async function requestToken(apiKey: string, clientSecret: string): Promise<StoredSession> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: apiKey,
    client_secret: clientSecret,
    scope: '*',
  });
  const { access_token, expires_in, scope } = await post<TokenResponse>('/oauth2/token', { body: form });
  return {
    apiKey,
    accessToken: access_token,
    expiresAtMs: Date.now() + expires_in * 1000,
    scopes: scope.split(' '),
  };
}

export async function redeemSignInLink(code: string): Promise<StoredSession> {
  const { api_key, client_secret } = await post<{ api_key: string; client_secret: string }>('/console/session', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  return requestToken(api_key, client_secret);
}

async function post<Body>(path: string, init: RequestInit): Promise<Body> {
  let response: Response;
  try {
    response = await fetch(path, { method: 'POST', ...init });
  } catch (cause) {
    throw new KindredError('Cannot reach the service.', { code: 'CONNECTION_FAILED', status: 0, cause });
  }
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (response.ok) return body as Body;
  const code = String(body.code ?? body.error ?? 'UNEXPECTED_ANSWER').toUpperCase();
  const text =
    body.detail ?? body.error_description ?? body.title ?? `The service responded with status ${response.status}.`;
  throw new KindredError(String(text), { code, status: response.status });
}
