// The OpenID provider: the authorization code flow with PKCE, state and nonce. The library is loaded and the provider asked for its
// endpoints at the first sign-in, so a provider that is down stops nobody from using the service with keys.
import { createHash } from 'node:crypto';
import type { ClientAuth, Configuration } from 'openid-client';
import { HOUR_MS } from '../../base/durations.ts';
import { type Runtime, systemRuntime } from '../../base/runtime.ts';
import type { Claims, OidcSettings } from '../../domain/oidc-settings.ts';
import type { SignInAttempt } from './sign-in-attempt.ts';

type Library = typeof import('openid-client');

/** Time limit of each request to the provider. */
const TIMEOUT_SEC = 10;
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** The provider's endpoints and keys are read again after this. */
const CONFIGURATION_LIFE_MS = HOUR_MS;

export class OpenIdProvider {
  readonly #settings: OidcSettings;
  readonly #callbackUrl: () => string;
  readonly #runtime: Runtime;
  #known: { reading: Promise<Configuration>; untilMs: number } | undefined;

  constructor(settings: OidcSettings, callbackUrl: () => string, runtime: Runtime = systemRuntime) {
    this.#settings = settings;
    this.#callbackUrl = callbackUrl;
    this.#runtime = runtime;
  }

  /** Returns the provider's URL for the browser, and the secrets that its response must match. */
  async begin(page: string): Promise<{ url: URL; attempt: SignInAttempt }> {
    const library = await import('openid-client');
    const configuration = await this.#configuration(library);
    const attempt: SignInAttempt = {
      state: library.randomState(),
      nonce: library.randomNonce(),
      codeVerifier: library.randomPKCECodeVerifier(),
      page,
    };
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#callbackUrl(),
      scope: this.#settings.scopes,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(attempt.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url, attempt };
  }

  /**
   * Returns the provider's claims about the person. Throws if the response does not match the attempt or its signature
   * is invalid.
   */
  async finish(query: string, attempt: SignInAttempt): Promise<Claims & { sub: string }> {
    const library = await import('openid-client');
    const configuration = await this.#configuration(library);
    const response = await library.authorizationCodeGrant(configuration, new URL(`${this.#callbackUrl()}?${query}`), {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.codeVerifier,
      idTokenExpected: true,
    });
    const claims = response.claims();
    if (claims === undefined) throw new Error('the provider sent no ID token');
    // Many providers return the email address and the groups only here, not in the ID token.
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...claims, ...(await library.fetchUserInfo(configuration, response.access_token, claims.sub)) };
  }

  #configuration(library: Library): Promise<Configuration> {
    const now = this.#runtime.nowMs();
    if (this.#known === undefined || this.#known.untilMs <= now) {
      const reading = this.#discover(library);
      this.#known = { reading, untilMs: now + CONFIGURATION_LIFE_MS };
      // A failure is not cached: the next sign-in tries again.
      reading.catch(() => {
        if (this.#known?.reading === reading) this.#known = undefined;
      });
    }
    return this.#known.reading;
  }

  #discover(library: Library): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const auth = clientSecret === null ? library.None() : secretAuth(library, clientSecret);
    // The settings allow http:// only for a provider on this machine.
    const isPlain = new URL(issuer).protocol === 'http:';
    return library.discovery(new URL(issuer), clientId, undefined, auth, {
      execute: [library.enableNonRepudiationChecks, ...(isPlain ? [library.allowInsecureRequests] : [])],
      timeout: TIMEOUT_SEC,
      [library.customFetch]: limitedFetch,
    });
  }
}

/** Uses HTTP Basic, which every provider must support, unless the provider says that it only accepts the other method. */
function secretAuth(library: Library, clientSecret: string): ClientAuth {
  const [basic, post] = [library.ClientSecretBasic(clientSecret), library.ClientSecretPost(clientSecret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const auth = !methods.includes('client_secret_basic') && methods.includes('client_secret_post') ? post : basic;
    return auth(server, client, body, headers);
  };
}

async function limitedFetch(url: string, options: object): Promise<Response> {
  const response = await fetch(url, options as RequestInit);
  const { status, headers } = response;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error(`the provider sent more than ${MAX_RESPONSE_BYTES} bytes`);
    parts.push(part);
  }
  const hasBody = status !== 204 && status !== 304;
  return new Response(hasBody ? Buffer.concat(parts) : null, { status, headers });
}

/** Derives a stable id from provider and subject. The id itself reveals nothing about the person. */
export function personIdOf(issuer: string, subject: string): string {
  return `per_${createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 26)}`;
}

/** Hashes all settings that decide who gets which role in which account. */
export function rulesHashOf({ issuer, clientId, account, claim, members, othersRole }: OidcSettings): string {
  const rules = [issuer, clientId, account, claim, members.viewer, members.editor, members.admin, othersRole];
  return createHash('sha256').update(JSON.stringify(rules)).digest('base64url');
}
