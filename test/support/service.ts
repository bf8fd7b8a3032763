// A real service for tests: on a free port, with a data folder of its own that is removed at the end.
//   const service = await startTestService();              in this process, responses checked against their schemas
//   const service = await startServiceProcess();           as a child process, to kill and restart
//   const { status, body } = await service.call('POST', '/create-user-dataset', { name: 'users' });
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CREDENTIALS_FILE, type CredentialsFile, openAccount } from '../../src/accounts.ts';
import type { Runtime } from '../../src/base/runtime.ts';
import { loadConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { startService } from '../../src/start-service.ts';
import { openStore, type StoreConfig } from '../../src/store/open-store.ts';

export interface CallResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses freely.
  body: any;
}

export interface CallOptions {
  headers?: Record<string, string>;
  /** Sent as it is instead of JSON. */
  raw?: string | Uint8Array<ArrayBuffer>;
  /** Without the account's credentials. */
  anonymous?: boolean;
}

/** Calls with the credentials of one account; the token covers every operation. */
export class ApiCaller {
  readonly baseUrl: string;
  readonly credentials: { api_key: string; client_secret: string };
  #token: Promise<string> | undefined;

  constructor(baseUrl: string, credentials: { api_key: string; client_secret: string }) {
    this.baseUrl = baseUrl;
    this.credentials = credentials;
  }

  /** The body of GET is sent as the query string. Does not throw on an error status. */
  call = async (method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<CallResponse> => {
    const headers: Record<string, string> = {};
    if (!options.anonymous) {
      headers.authorization = `Bearer ${await this.token()}`;
      headers.apikey = this.credentials.api_key;
    }
    let url = `${this.baseUrl}${path}`;
    let payload = options.raw;
    if (method === 'GET' && body) url += `?${new URLSearchParams(body as Record<string, string>)}`;
    else if (body !== undefined) payload = JSON.stringify(body);
    if (payload !== undefined) headers['content-type'] = 'application/json';
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...options.headers },
      body: payload,
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };

  /** Like call, but throws unless the status is 200, and returns the body. */
  ok = async (method: string, path: string, body?: unknown): Promise<CallResponse['body']> => {
    const result = await this.call(method, path, body);
    if (result.status !== 200)
      throw new Error(`${method} ${path} returned ${result.status}: ${JSON.stringify(result.body)}`);
    return result.body;
  };

  async token(scope = '*'): Promise<string> {
    if (scope !== '*') return this.#fetchToken(scope);
    this.#token ??= this.#fetchToken('*').catch((error) => {
      this.#token = undefined;
      throw error;
    });
    return this.#token;
  }

  async #fetchToken(scope: string): Promise<string> {
    const { api_key: client_id, client_secret } = this.credentials;
    const response = await fetch(`${this.baseUrl}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope }),
    });
    const result = (await response.json()) as { access_token: string };
    if (response.status !== 200) throw new Error(`no token: ${JSON.stringify(result)}`);
    return result.access_token;
  }
}

export interface TestService extends ApiCaller {
  readonly dataDir: string;
  stop(): Promise<void>;
}

/** A further account of the same store. */
export async function newAccount(place: StoreConfig, name: string) {
  const store = await openStore(place);
  const opened = await openAccount(store.accounts, name);
  await store.close();
  return opened!.credentials;
}

export async function newDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'kindred-test-'));
}

export async function readCredentials(dataDir: string): Promise<CredentialsFile> {
  return JSON.parse(await readFile(join(dataDir, CREDENTIALS_FILE), 'utf8'));
}

/** In this process, without a worker unless `env` says so; `env` adds KINDRED_* variables. */
export async function startTestService(env: Record<string, string> = {}, runtime?: Runtime): Promise<TestService> {
  const dataDir = env.KINDRED_DATA_DIR ?? (await newDataDir());
  const config = loadConfig({
    KINDRED_PORT: '0',
    KINDRED_DATA_DIR: dataDir,
    KINDRED_ROLES: 'api',
    KINDRED_LOG_LEVEL: 'error',
    ...env,
  });
  const log = createLogger(config.logLevel);
  const service = await startService(config, { log, checkResponses: true, runtime });
  return Object.assign(new ApiCaller(service.baseUrl, await readCredentials(dataDir)), {
    dataDir,
    async stop() {
      await service.stop();
      if (!env.KINDRED_DATA_DIR) await rm(dataDir, { recursive: true, force: true });
    },
  });
}

export interface ServiceProcess extends TestService {
  readonly child: ChildProcess;
  /** kill -9; the data folder stays. */
  kill(): Promise<void>;
  /** Sends SIGTERM and returns the exit code. The data folder is kept. */
  terminate(): Promise<number | null>;
  /** What it has written to standard output (log) and standard error (greeting) so far. */
  output(): string;
  greeting(): string;
}

/** As a child process of its own, e.g. to kill it. With `KINDRED_DATA_DIR` in `env` it takes that folder and leaves it. */
export async function startServiceProcess(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const dataDir = env.KINDRED_DATA_DIR ?? (await newDataDir());
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), 'serve'], {
    env: { ...process.env, KINDRED_PORT: '0', KINDRED_DATA_DIR: dataDir, KINDRED_ROLES: 'api', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let greeting = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    greeting += chunk;
  });
  const exited = once(child, 'exit');
  // All that it has written is read then, which may be after its exit.
  const closed = once(child, 'close');
  const baseUrl = await waitForAddress(child, () => greeting);
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await (signal === 'SIGTERM' ? closed : exited);
    return child.exitCode;
  };
  return Object.assign(new ApiCaller(baseUrl, await readCredentials(dataDir)), {
    child,
    dataDir,
    output: () => output,
    greeting: () => greeting,
    kill: async () => void (await end('SIGKILL')),
    terminate: () => end('SIGTERM'),
    async stop() {
      await end('SIGTERM');
      if (!env.KINDRED_DATA_DIR) await rm(dataDir, { recursive: true, force: true });
    },
  });
}

async function waitForAddress(child: ChildProcess, text: () => string): Promise<string> {
  for (;;) {
    const address = /serves at (http\S+)/.exec(text())?.[1];
    if (address) return address;
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${text()}`);
    await delay(20);
  }
}
