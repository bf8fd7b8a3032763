// An OpenID provider that signs what it is told to: for responses that a real one never sends.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface Lies {
  /** Instead of the right claims of the ID token. */
  claims: Record<string, unknown>;
  /** Signed by a key the provider does not publish. */
  foreignKey: boolean;
  /** In the discovery document. */
  issuer: string | null;
  /** Bytes of the response of the token endpoint. */
  tokenBytes: number;
}

export interface LyingProvider {
  issuer: string;
  lies: Lies;
  stop(): Promise<void>;
}

export const HONEST: Lies = { claims: {}, foreignKey: false, issuer: null, tokenBytes: 0 };

export async function startLyingProvider(clientId: string): Promise<LyingProvider> {
  const own = await generateKeyPair('RS256', { extractable: true });
  const foreign = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  let nonce = '';
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: LyingProvider = {
    issuer,
    lies: HONEST,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function idToken(): Promise<string> {
    const nowSec = Math.floor(Date.now() / 1000);
    const { claims, foreignKey } = provider.lies;
    const right = { iss: issuer, aud: clientId, sub: 'ann', nonce, iat: nowSec, exp: nowSec + 60 };
    const about = { email: 'ann@example.com', email_verified: true };
    const key: CryptoKey = foreignKey ? foreign.privateKey : own.privateKey;
    return new SignJWT({ ...right, ...about, ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(key);
  }

  async function respond({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(url, issuer);
    const send = (value: object) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (pathname === '/.well-known/openid-configuration') {
      send({
        issuer: provider.lies.issuer ?? issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    } else if (pathname === '/keys') {
      send({ keys: [jwk] });
    } else if (pathname === '/auth') {
      nonce = searchParams.get('nonce') ?? '';
      const back = new URL(searchParams.get('redirect_uri')!);
      back.search = new URLSearchParams({ code: 'c', state: searchParams.get('state') ?? '' }).toString();
      response.writeHead(302, { location: back.href }).end();
    } else {
      const padding = 'x'.repeat(provider.lies.tokenBytes);
      send({ access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token: await idToken(), padding });
    }
  }

  return provider;
}
