// The two calls that come before any token: client credentials, and the one-time link that `npm start` prints on loopback.
import { KindredError } from '../../../src/client/index.ts';
import type { StoredSession } from './stored-session.ts';

interface TokenAnswer {
  access_token: string;
  expires_in: number;
  api_key?: string;
}

export async function requestToken(apiKey: string, clientSecret: string): Promise<StoredSession> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: apiKey,
    client_secret: clientSecret,
    scope: '*',
  });
  return sessionOf(await post('/oauth2/token', { body: form }), apiKey);
}

export async function redeemSignInLink(code: string): Promise<StoredSession> {
  return sessionOf(
    await post('/console/sign-in', {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    }),
  );
}

async function post(path: string, init: RequestInit): Promise<TokenAnswer> {
  let answer: Response;
  try {
    answer = await fetch(path, { method: 'POST', ...init });
  } catch (cause) {
    throw new KindredError('The service cannot be reached', { code: 'CONNECTION_FAILED', status: 0, cause });
  }
  const body = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
  if (answer.ok) return body as unknown as TokenAnswer;
  const code = String(body.code ?? body.error ?? 'UNEXPECTED_ANSWER').toUpperCase();
  const text = body.detail ?? body.error_description ?? body.title ?? `The service answered with status ${answer.status}`;
  throw new KindredError(String(text), { code, status: answer.status });
}

function sessionOf(answer: TokenAnswer, apiKey: string = answer.api_key ?? ''): StoredSession {
  return { apiKey, accessToken: answer.access_token, expiresAtMs: Date.now() + answer.expires_in * 1000 };
}
