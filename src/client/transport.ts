// Sends one HTTP call to the service: token, headers, body, time limit, retries, response or KindredError.
import { Attempt } from './attempt.ts';
import { type EncodedBody, encodeBody, type GzipChoice, shouldGzip } from './body.ts';
import { errorFromResponse, KindredError } from './kindred-error.ts';
import { DEFAULT_RETRY_POLICY, delay, mayRetry, type RetryPolicy, retryDelayMs } from './retry.ts';
import { type AccessToken, type ScopeChoice, scopeFor, TokenSource } from './token-source.ts';

export interface KindredOptions {
  /** Address of the service, e.g. `http://127.0.0.1:8080`. */
  baseUrl: string;
  apiKey: string;
  /** Needed unless `getAccessToken` is given. */
  clientSecret?: string;
  /** Gets tokens from your own back end where the secret must not be, e.g. in a browser. */
  getAccessToken?: (scope: string) => Promise<AccessToken>;
  /** `all` (default): one token for everything. `per-call`: each call has a token for its own path alone. Or the paths you need. */
  scope?: ScopeChoice;
  /** Limit of one attempt, until its whole response is read. Of `streamResult`: for each chunk. */
  timeoutMs?: number;
  retry?: Partial<RetryPolicy>;
  /** `auto` (default): bodies of 4 kB and more are compressed, except to this machine itself. */
  gzip?: GzipChoice;
  fetch?: typeof fetch;
  /** Headers of every call, e.g. for a proxy. */
  headers?: Record<string, string>;
}

export interface CallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** Options of calls that are also below a project's `serving_uri`. */
export interface ServingOptions extends CallOptions {
  /** A project's `serving_uri`: the call goes there and is about that project. */
  servingUri?: string;
}

export type SaveChunks = (chunks: AsyncIterable<Uint8Array>) => Promise<void>;

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path of the operation: what is called and what the token is for. */
  operation: string;
  /** The URL of the call if it is not `{baseUrl}{operation}`. */
  url?: string;
  query?: object;
  /** JSON text, or an object that becomes it. */
  body?: string | object;
  /** Whether sending it twice does no more than sending it once. */
  repeatable: boolean;
}

export const DEFAULT_TIMEOUT_MS = 30_000;
const TOKEN_OPERATION = '/oauth2/token';
const TOKEN_CALL: Call = { method: 'POST', operation: TOKEN_OPERATION, repeatable: true };
const DOWNLOAD: Call = { method: 'GET', operation: 'download', repeatable: true };

/** What is sent for a call. */
interface Message {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: EncodedBody | undefined;
  readonly as: 'json' | 'text';
}

export class Transport {
  readonly baseUrl: string;
  readonly #options: KindredOptions;
  readonly #fetch: typeof fetch;
  readonly #tokens: TokenSource;
  readonly #policy: RetryPolicy;
  readonly #gzip: boolean;

  constructor(options: KindredOptions) {
    if (!options.clientSecret && !options.getAccessToken) {
      throw new TypeError('Kindred needs clientSecret, or getAccessToken, to obtain access tokens');
    }
    if (!/^https?:\/\/[^/]/i.test(options.baseUrl) || !URL.canParse(options.baseUrl)) {
      throw new TypeError(`the address of the service must be like http://127.0.0.1:8080, not "${options.baseUrl}"`);
    }
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.#options = options;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#policy = { ...DEFAULT_RETRY_POLICY, ...options.retry };
    this.#gzip = shouldGzip(options.gzip ?? 'auto', this.baseUrl);
    const fetchToken = options.getAccessToken ?? ((scope: string) => this.#requestToken(scope));
    this.#tokens = new TokenSource(fetchToken, scopeFor(options.scope ?? 'all'));
  }

  get #tokenUrl(): string {
    return this.baseUrl + TOKEN_OPERATION;
  }

  async call<Data>(call: Call, options: CallOptions = {}): Promise<Data> {
    const url = (call.url ?? this.baseUrl + call.operation) + queryString(call.query);
    const json = call.body === undefined || typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
    const body = json === undefined ? undefined : await encodeBody(json, this.#gzip);
    let renewed = false;
    const wait = <T>(work: () => Promise<T>) =>
      this.#attempt(TOKEN_CALL, this.#tokenUrl, options, (attempt) => attempt.wait(work));
    return this.#withRetries(call.repeatable, options.signal, async () => {
      for (;;) {
        const token = await wait(() => this.#tokens.tokenFor(call.operation));
        const headers = { Authorization: `Bearer ${token}`, APIKey: this.#options.apiKey };
        try {
          return (await this.#send(call, { url, headers, body, as: 'json' }, options)) as Data;
        } catch (error) {
          // Nothing was done with a rejected token. It may have expired on the way, or become invalid when the service restarted.
          if (renewed || !(error instanceof KindredError) || error.status !== 401) throw error;
          renewed = true;
          await wait(() => this.#tokens.drop(call.operation, token));
        }
      }
    });
  }

  /** A GET of a signed link: no credentials. */
  async download(url: string, as: 'json' | 'text', options: CallOptions = {}): Promise<unknown> {
    return this.#withRetries(true, options.signal, () => this.#send(DOWNLOAD, { url, headers: {}, as }, options));
  }

  /**
   * Saves the response as it arrives. The time limit applies to each chunk. `save` starts again if the connection is lost on the
   * way.
   */
  async stream(url: string, save: SaveChunks, options: CallOptions = {}): Promise<void> {
    const message: Message = { url, headers: {}, as: 'text' };
    return this.#withRetries(true, options.signal, () =>
      this.#attempt(DOWNLOAD, url, options, async (attempt) => {
        const response = await attempt.step(() => this.#fetchOf(DOWNLOAD, message, attempt));
        await save(chunksOf(response, attempt));
      }),
    );
  }

  /** Asks the service for the scopes of the key: paths of operations, or `*`. */
  async scopes(): Promise<string[]> {
    return this.#withRetries(true, undefined, async () => (await this.#requestToken('*')).scopes);
  }

  async #requestToken(scope: string): Promise<AccessToken & { scopes: string[] }> {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: this.#options.apiKey,
      client_secret: this.#options.clientSecret ?? '',
      scope,
    });
    const body: EncodedBody = { content: form.toString(), encoding: null };
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    // Not retried here: the call that needs the token is retried as a whole.
    const response = (await this.#send(TOKEN_CALL, { url: this.#tokenUrl, headers, body, as: 'json' })) as {
      access_token: string;
      expires_in: number;
      /** if left out, the scope is as requested (RFC 6749, section 5.1) */
      scope?: string;
    };
    const expiresAtMs = Date.now() + response.expires_in * 1000;
    return { token: response.access_token, expiresAtMs, scopes: (response.scope ?? scope).split(' ') };
  }

  async #withRetries<T>(repeatable: boolean, signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T> {
    for (let retries = 0; ; retries++) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof KindredError) || retries >= this.#policy.maxRetries) throw error;
        // Without a token, nothing of the call itself was sent.
        if (!mayRetry(error, repeatable || error.operation === TOKEN_OPERATION)) throw error;
        await delay(retryDelayMs(retries, error, this.#policy), signal);
      }
    }
  }

  async #send(call: Call, message: Message, options: CallOptions = {}): Promise<unknown> {
    return this.#attempt(call, message.url, options, (attempt) =>
      attempt.step(async () => {
        const response = await this.#fetchOf(call, message, attempt);
        const text = await response.text();
        return message.as === 'json' ? parseResponse(text, response, call.operation) : text;
      }),
    );
  }

  async #attempt<T>(
    { operation }: Call,
    url: string,
    options: CallOptions,
    work: (attempt: Attempt) => Promise<T>,
  ): Promise<T> {
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const attempt = new Attempt({ operation, url, timeoutMs, signal: options.signal });
    try {
      return await work(attempt);
    } finally {
      attempt.end();
    }
  }

  async #fetchOf(call: Call, { url, headers, body, as }: Message, { signal }: Attempt): Promise<Response> {
    const response = await this.#fetch(url, {
      method: call.method,
      headers: {
        ...this.#options.headers,
        Accept: as === 'json' ? 'application/json' : '*/*',
        ...(body ? { 'Content-Type': 'application/json' } : {}),
        ...(body?.encoding ? { 'Content-Encoding': body.encoding } : {}),
        ...headers,
      },
      body: body?.content,
      signal,
    });
    if (!response.ok) throw await errorFromResponse(response, call.operation);
    return response;
  }
}

/** Only errors of reading become lost connections, not those of whoever gets the chunks. */
async function* chunksOf({ body }: Response, attempt: Attempt): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    while (reader) {
      const { done, value } = await attempt.step(() => reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

function queryString(query: object | undefined): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([key, value]) => [key, String(value)]))}`;
}

function parseResponse(text: string, response: Response, operation: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `${operation} returned something that is not JSON`;
    throw new KindredError(message, { code: 'UNEXPECTED_ANSWER', status: response.status, operation, cause });
  }
}
