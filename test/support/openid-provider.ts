// A real OpenID provider (oidc-provider) on a free port of this machine. Whoever types an address into its form is that person; what
// it says about them is in `people`.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

export const CLIENT = { id: 'kindred-console', secret: 'a secret of the tests, long enough' };

export interface OpenIdServer {
  issuer: string;
  /** Claims by sub; others have a checked address and nothing else. */
  people: Map<string, Record<string, unknown>>;
  /** The service's address is known only after its start. */
  allow(baseUrl: string): void;
  stop(): Promise<void>;
}

/** With `localhost` its pages are of another site than those of a service at 127.0.0.1. */
export async function startOpenIdServer(host: '127.0.0.1' | 'localhost' = '127.0.0.1'): Promise<OpenIdServer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  const people: OpenIdServer['people'] = new Map();
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] };
  let handle: ReturnType<Provider['callback']> | undefined;
  server.on('request', (request, response) => handle?.(request, response));
  return {
    issuer,
    people,
    allow(baseUrl) {
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: CLIENT.id,
            client_secret: CLIENT.secret,
            redirect_uris: [`${baseUrl}/console/sign-in/callback`],
          },
        ],
        jwks,
        cookies: { keys: ['cookies of the tests'] },
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
        pkce: { required: () => true },
        findAccount: async (_context: unknown, id: string) => ({
          accountId: id,
          claims: () => ({ sub: id, email: id, email_verified: true, ...people.get(id) }),
        }),
      });
      handle = provider.callback();
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
