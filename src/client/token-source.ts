// Where access tokens come from: OAuth 2 client credentials at /oauth2/token, one token a scope, renewed before it ends.
// Invariant: callers that need the same scope at the same time share one token request.

export interface AccessToken {
  token: string;
  /** Milliseconds since 1970; the token is renewed some time before. */
  expiresAtMs: number;
}

export type FetchToken = (scope: string, signal?: AbortSignal) => Promise<AccessToken>;

/** A token is renewed when less than this is left of it (or a tenth of its life, if that is shorter). */
const RENEW_BEFORE_MS = 60_000;

export class TokenSource {
  readonly #fetchToken: FetchToken;
  readonly #scopeOf: (operation: string) => string;
  readonly #held = new Map<string, Promise<AccessToken & { renewAtMs: number }>>();

  constructor(fetchToken: FetchToken, scopeOf: (operation: string) => string) {
    this.#fetchToken = fetchToken;
    this.#scopeOf = scopeOf;
  }

  async tokenFor(operation: string): Promise<string> {
    const scope = this.#scopeOf(operation);
    const held = this.#held.get(scope);
    if (held) {
      const token = await held;
      if (Date.now() < token.renewAtMs) return token.token;
      if (this.#held.get(scope) === held) this.#held.delete(scope);
      return this.tokenFor(operation);
    }
    const request = this.#request(scope);
    this.#held.set(scope, request);
    // A failed request must not be remembered: the next caller tries again.
    request.catch(() => this.#held.get(scope) === request && this.#held.delete(scope));
    return (await request).token;
  }

  /** Called when the service rejected the token, so that the next call gets a new one. */
  async drop(operation: string, refusedToken: string): Promise<void> {
    const scope = this.#scopeOf(operation);
    const held = this.#held.get(scope);
    // Another caller may have renewed the token meanwhile.
    if (held && (await held.catch(() => null))?.token === refusedToken) this.#held.delete(scope);
  }

  async #request(scope: string): Promise<AccessToken & { renewAtMs: number }> {
    const askedAtMs = Date.now();
    const token = await this.#fetchToken(scope);
    const lifeMs = token.expiresAtMs - askedAtMs;
    return { ...token, renewAtMs: token.expiresAtMs - Math.min(RENEW_BEFORE_MS, lifeMs / 10) };
  }
}

export type ScopeChoice = 'all' | 'per-call' | string[];

/** The scope to request before a call, from the client's `scope` option. */
export function scopeFor(choice: ScopeChoice): (operation: string) => string {
  if (choice === 'all') return () => '*';
  if (choice === 'per-call') return (operation) => operation;
  const scope = choice.join(' ');
  return () => scope;
}
