// Several machines, as far as one can show them: API nodes and workers as processes of their own, each with a data folder of its
// own, on one PostgreSQL and one shared artifact folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { clockSkewEnv } from './clock-skew.ts';
import { ApiCaller, readCredentials } from './service.ts';
import { newTestPlace, type TestPlace } from './test-database.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

export interface StartOptions {
  /** the process's wall clock runs this much ahead (or behind) */
  clockSkewMs?: number;
  /** further settings */
  env?: Record<string, string>;
  /** the entry of another version (kept-release.ts); this checkout's otherwise */
  main?: string;
}

export interface ClusterProcess {
  readonly child: ChildProcess;
  readonly dataDir: string;
  /** kill -9 */
  kill(): Promise<void>;
  /** SIGTERM; returns the exit code. */
  terminate(): Promise<number | null>;
}

export class Cluster {
  readonly place: TestPlace;
  /** a shared folder, unless a test changes it before it starts processes */
  artifactsUrl: string;
  readonly #processes: ClusterProcess[] = [];
  #credentials: { api_key: string; client_secret: string } | undefined;

  static async start(): Promise<Cluster> {
    return new Cluster(await newTestPlace('postgres'));
  }

  private constructor(place: TestPlace) {
    this.place = place;
    this.artifactsUrl = pathToFileURL(join(place.dataDir, 'shared')).href;
  }

  /** What openStore and openBlobStore take. */
  get stores() {
    return {
      dataDir: this.place.dataDir,
      databaseUrl: this.place.databaseUrl,
      artifactsUrl: this.artifactsUrl,
    };
  }

  async api(options?: StartOptions): Promise<ClusterProcess & { caller: ApiCaller }> {
    const { process, text } = await this.#start('api', /serves at (http\S+)/, options);
    this.#credentials ??= await readCredentials(process.dataDir);
    const baseUrl = /serves at (http\S+)/.exec(text)![1];
    return { ...process, caller: new ApiCaller(baseUrl, this.#credentials) };
  }

  async worker(options?: StartOptions): Promise<ClusterProcess> {
    return (await this.#start('worker', /runs jobs/, options)).process;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#processes.map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGTERM');
        await once(child, 'exit');
      }),
    );
    await this.place.remove();
  }

  async #start(
    role: string,
    ready: RegExp,
    { clockSkewMs = 0, env = {}, main = MAIN }: StartOptions = {},
  ): Promise<{ process: ClusterProcess; text: string }> {
    const dataDir = mkdtempSync(join(this.place.dataDir, `${role}-`));
    const child = spawn(process.execPath, [main, 'serve'], {
      env: {
        ...process.env,
        KINDRED_PORT: '0',
        KINDRED_ROLES: role,
        KINDRED_DATA_DIR: dataDir,
        KINDRED_DATABASE_URL: this.place.databaseUrl!,
        KINDRED_ARTIFACTS_URL: this.artifactsUrl,
        KINDRED_JOB_LEASE_SECONDS: '3',
        KINDRED_LOG_LEVEL: 'warn',
        ...(clockSkewMs !== 0 && clockSkewEnv(clockSkewMs)),
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const exited = once(child, 'exit');
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    const started: ClusterProcess = {
      child,
      dataDir,
      async kill() {
        child.kill('SIGKILL');
        await exited;
      },
      async terminate() {
        child.kill('SIGTERM');
        await exited;
        return child.exitCode;
      },
    };
    this.#processes.push(started);
    while (!ready.test(text)) {
      if (child.exitCode !== null) throw new Error(`the ${role} ended with ${child.exitCode}: ${text}`);
      await delay(20);
    }
    return { process: started, text };
  }
}
