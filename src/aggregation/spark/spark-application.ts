// The counting program on Spark, started with spark-submit when the first count is wanted. Requests are files in a folder that it watches (spark-submit
// passes no input on), one at a time. The
// driver is a child of the worker, so that whoever stops the job stops the application: the cluster frees its executors when the
// driver is gone. How far a count is comes from the driver's REST API.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export interface SparkSettings {
  /** e.g. spark://host:7077 */
  readonly master: string;
  /** the command, with options separated by spaces */
  readonly submit: string;
  /** settings of Hadoop, where the options of the command do not have them */
  readonly hadoop?: Readonly<Record<string, string>>;
}

/** How far the application is. */
export interface SparkProgress {
  readonly applicationId: string;
  /** its page */
  readonly address: string;
  readonly tasksDone: number;
  readonly tasks: number;
}

export interface SparkOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SparkProgress) => void;
}

const POLL_MS = 1000;
const KEPT_OUTPUT = 50_000;
/** How long a driver may take to end by itself before it is killed. */
const STOP_GRACE_MS = 5000;

export class SparkApplication {
  readonly #folder: string;
  #requests = 0;
  readonly #driver: ChildProcessByStdio<null, Readable, Readable>;
  readonly #options: SparkOptions;
  readonly #ended: Promise<unknown>;
  #output = '';
  #application: { id: string; address: string } | null = null;
  #waiting: { resolve(): void; reject(error: Error): void } | null = null;
  #failure: Error | null = null;
  readonly #stop = () => void this.#driver.kill('SIGTERM');

  /** `folder`: an empty one on this machine. */
  constructor({ master, submit, hadoop = {} }: SparkSettings, folder: string, options: SparkOptions) {
    const [file, ...given] = submit.split(/\s+/).filter((word) => word !== '');
    this.#folder = folder;
    this.#options = options;
    const program = [programFile(), folder, String(process.pid)];
    // Of two options for the same setting Spark takes the later one.
    const settings = Object.entries(hadoop).flatMap(([name, value]) => ['--conf', `spark.hadoop.${name}=${value}`]);
    const args = [...settings, ...given, '--master', master, '--name', 'kindred', ...program];
    this.#driver = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#driver.stdout.on('data', (chunk) => this.#hear(chunk));
    this.#driver.stderr.on('data', (chunk) => this.#keep(chunk));
    this.#driver.on('error', (error) => this.#fail(new Error(`${file} could not be started: ${error.message}`)));
    this.#driver.on('exit', (code) => this.#fail(new Error(`Spark ended with ${code}: ${lastLine(this.#output)}`)));
    this.#ended = once(this.#driver, 'close').catch(() => undefined);
    options.signal?.addEventListener('abort', this.#stop, { once: true });
  }

  /** Resolves when the program has written its result; one at a time. */
  async request(request: object): Promise<void> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const poll = setInterval(() => void this.#report(), POLL_MS);
    try {
      const done = new Promise<void>((resolve, reject) => {
        if (this.#failure) reject(this.#failure);
        this.#waiting = { resolve, reject };
      });
      done.catch(() => undefined);
      // Complete before it has its name.
      const path = join(this.#folder, `${this.#requests++}.json`);
      await writeFile(`${path}.new`, JSON.stringify(request));
      await rename(`${path}.new`, path);
      await done;
      // A short count ends before the first look at it.
      await this.#report();
      signal?.throwIfAborted();
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      clearInterval(poll);
    }
  }

  async close(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#stop);
    if (this.#driver.pid === undefined) return;
    await writeFile(join(this.#folder, 'end'), '');
    const timer = setTimeout(() => this.#driver.kill('SIGKILL'), STOP_GRACE_MS);
    if (this.#driver.exitCode === null && this.#driver.signalCode === null) await this.#ended;
    clearTimeout(timer);
  }

  #keep(chunk: Buffer): void {
    this.#output = (this.#output + chunk).slice(-KEPT_OUTPUT);
  }

  #hear(chunk: Buffer): void {
    this.#keep(chunk);
    for (const line of chunk.toString().split('\n')) {
      const [word, id, address] = line.trim().split(' ');
      if (word !== 'KINDRED') continue;
      if (id === 'DONE') this.#waiting?.resolve();
      else this.#application = { id, address };
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
  }

  async #report(): Promise<void> {
    if (this.#application === null) return;
    const { id, address } = this.#application;
    try {
      const page = `${address}/api/v1/applications/${id}/stages`;
      const stages = (await (await fetch(page, { signal: AbortSignal.timeout(POLL_MS) })).json()) as Stage[];
      const sum = (of: (stage: Stage) => number) => stages.reduce((total, stage) => total + of(stage), 0);
      const tasksDone = sum((stage) => stage.numCompleteTasks);
      this.#options.onProgress?.({ applicationId: id, address, tasksDone, tasks: sum((stage) => stage.numTasks) });
    } catch {
      // The driver is busy or about to end; progress is for people only.
    }
  }
}

interface Stage {
  readonly numTasks: number;
  readonly numCompleteTasks: number;
}

/** Next to the sources, or in the installed package. */
function programFile(): string {
  const places = ['../../../deploy/spark/aggregate.py', '../../../../deploy/spark/aggregate.py'];
  const found = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path));
  if (found === undefined) throw new Error('deploy/spark/aggregate.py is missing from this installation.');
  return found;
}

function lastLine(output: string): string {
  // What Python says last is the cause; lines of a stack only name classes.
  const lines = output.split('\n').filter((line) => /error|exception/i.test(line) && !/^\s+at /.test(line));
  return (lines.at(-1) ?? output.trim().split('\n').at(-1) ?? '').slice(0, 500);
}
