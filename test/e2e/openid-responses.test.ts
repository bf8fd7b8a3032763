// What a provider, or somebody who claims to be it, may not send.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { HONEST, type Lies, type LyingProvider, startLyingProvider } from '../support/lying-provider.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { WebVisitor } from '../support/web-visitor.ts';

let provider: LyingProvider;
let service: TestService;

before(async () => {
  provider = await startLyingProvider('console');
  service = await startTestService(envOf(provider.issuer));
});
after(async () => {
  await service?.stop();
  await provider?.stop();
});

const envOf = (issuer: string) => ({
  KINDRED_OIDC_ISSUER: issuer,
  KINDRED_OIDC_CLIENT_ID: 'console',
  KINDRED_OIDC_ADMINS: 'ann@example.com',
  KINDRED_LOG_LEVEL: 'silent',
});

async function signIn(baseUrl: string): Promise<{ hash: string; isIn: boolean }> {
  const visitor = new WebVisitor();
  const { url } = await visitor.follow(`${baseUrl}/console/sign-in`, {}, ({ pathname }) => pathname === '/console/');
  const { status } = await visitor.send(`${baseUrl}/get-account`, { headers: { 'x-kindred-console': '1' } });
  return { hash: url.hash, isIn: status === 200 };
}

test('an ID token that is for others, of others, old, or not signed by the provider is refused', async () => {
  provider.lies = HONEST;
  assert.deepEqual(await signIn(service.baseUrl), { hash: '#/', isIn: true });
  const nowSec = Math.floor(Date.now() / 1000);
  const lies: Record<string, Partial<Lies>> = {
    'wrong nonce': { claims: { nonce: 'of another attempt' } },
    'no nonce': { claims: { nonce: undefined } },
    'wrong issuer': { claims: { iss: 'https://elsewhere.example' } },
    'wrong audience': { claims: { aud: 'another client' } },
    expired: { claims: { iat: nowSec - 7200, exp: nowSec - 3600 } },
    'foreign key': { foreignKey: true },
    'no subject': { claims: { sub: undefined } },
    'an endless response': { tokenBytes: 2_000_000 },
  };
  for (const [name, lie] of Object.entries(lies)) {
    provider.lies = { ...HONEST, ...lie };
    assert.deepEqual(await signIn(service.baseUrl), { hash: '#sign-in-failed=provider', isIn: false }, name);
  }
});

test('a provider that calls itself by another name, or cannot be reached, lets nobody in and stops nothing else', async () => {
  const other = await startLyingProvider('console');
  other.lies = { ...HONEST, issuer: 'https://elsewhere.example' };
  const stranger = await startTestService(envOf(other.issuer));
  try {
    assert.deepEqual(await signIn(stranger.baseUrl), { hash: '#sign-in-failed=provider', isIn: false });
    await other.stop();
    assert.deepEqual(await signIn(stranger.baseUrl), { hash: '#sign-in-failed=provider', isIn: false });
    await stranger.ok('GET', '/get-account');
  } finally {
    await stranger.stop();
  }
});

test('without the settings nobody signs in with a session, and the console is told so', async () => {
  const plain = await startTestService();
  try {
    const visitor = new WebVisitor();
    assert.deepEqual(JSON.parse((await visitor.send(`${plain.baseUrl}/console/session`)).text), {
      sign_in_url: null,
      person: null,
    });
    visitor.cookies.set(`${new URL(plain.baseUrl).host} kindred-session`, 'x'.repeat(43));
    const response = await visitor.send(`${plain.baseUrl}/get-account`, { headers: { 'x-kindred-console': '1' } });
    assert.equal(response.status, 401);
    assert.deepEqual((await plain.ok('GET', '/list-console-sessions')).sessions, []);
  } finally {
    await plain.stop();
  }
});

test('at an https address the cookies are Secure and of this host alone', async () => {
  provider.lies = HONEST;
  const port = await freePort();
  const local = `http://127.0.0.1:${port}`;
  const env = { KINDRED_BASE_URL: 'https://kindred.example.com', KINDRED_PORT: String(port) };
  const secure = await startTestService({ ...envOf(provider.issuer), ...env });
  try {
    const visitor = new WebVisitor();
    const isBack = ({ host }: URL) => host === 'kindred.example.com';
    const { url } = await visitor.follow(`${local}/console/sign-in`, {}, isBack);
    assert.equal(url.origin + url.pathname, 'https://kindred.example.com/console/sign-in/callback');
    assert.match(visitor.setCookies[0], /^__Host-kindred-sign-in=.*; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/);
    // A proxy would bring it here.
    const entered = await visitor.send(`${local}${url.pathname}${url.search}`);
    assert.equal(entered.headers.get('location'), '/console/#/');
    assert.match(
      visitor.setCookies.at(-1)!,
      /^__Host-kindred-session=.*; Path=\/; .*HttpOnly; SameSite=Strict; Secure$/,
    );
  } finally {
    await secure.stop();
  }
});
