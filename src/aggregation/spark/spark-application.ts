// The counting program on Spark, started with spark-submit when the first count is wanted. Requests are files in a folder that it watches
// (spark-submit passes no input on), one at a time. The driver is a child of the worker, so that whoever stops the job stops the
// application: the cluster frees its executors when the driver is gone. A thread that is ended cannot stop its children, so the program
// itself ends when the folder or the worker's process is gone. How far a count is comes from the driver's REST API.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Runtime, systemRuntime } from '../../base/runtime.ts';
import { readStages, type Stage } from './driver-page.ts';

export interface SparkSettings {
  /** the cluster's address, e.g. spark://host:7077 */
  readonly master: string;
  /** the command, with options separated by spaces */
  readonly submit: string;
  /** settings of Hadoop, where the options of the command do not have them */
  readonly hadoop?: Readonly<Record<string, string>>;
}

/** The progress of an application. */
export interface SparkProgress {
  readonly applicationId: string;
  /** URL of its page */
  readonly address: string;
  readonly tasksDone: number;
  readonly tasks: number;
}

export interface SparkOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SparkProgress) => void;
  /** defaults to the system's runtime */
  readonly runtime?: Runtime;
}

/** Rows that a count wrote, by the name of the output. */
export type WrittenRows = Readonly<Record<string, number>>;

const POLL_MS = 1000;
const KEPT_OUTPUT = 50_000;
/** How long a driver may take to stop before it is killed. */
const STOP_GRACE_MS = 5000;
/**
 * How long no task may run before a count fails. Without a limit, a cluster without room for an executor would block a training
 * forever.
 */
const MOST_IDLE_MS = 600_000;
/** How long the progress may be unknown before a count fails. It is long because the count may well be running. */
const MOST_UNREAD_MS = 3_600_000;

export class SparkApplication {
  readonly #folder: string;
  #requests = 0;
  readonly #driver: ChildProcessByStdio<null, Readable, Readable>;
  readonly #options: SparkOptions;
  readonly #ended: Promise<unknown>;
  #output = '';
  #application: { id: string; address: string } | null = null;
  #waiting: PromiseWithResolvers<WrittenRows> | null = null;
  /** time when a task was last seen running, and below the number of ended tasks at that time */
  #busyMs = 0;
  #tasksSeen = 0;
  /** time when the driver's page was last read */
  #readMs = 0;
  #failure: Error | null = null;
  readonly #stop = () => void this.#driver.kill('SIGTERM');

  /** `folder`: an empty one on this machine. */
  constructor({ master, submit, hadoop = {} }: SparkSettings, folder: string, options: SparkOptions) {
    const [file, ...given] = submit.split(/\s+/).filter((word) => word !== '');
    this.#folder = folder;
    this.#options = options;
    const program = [programFile(), folder, String(process.pid)];
    // If a setting is given twice, Spark uses the later option.
    const settings = Object.entries(hadoop).flatMap(([name, value]) => ['--conf', `spark.hadoop.${name}=${value}`]);
    const args = [...settings, ...given, '--master', master, '--name', 'kindred', ...program];
    this.#driver = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    createInterface({ input: this.#driver.stdout }).on('line', (line) => this.#hear(line));
    createInterface({ input: this.#driver.stderr }).on('line', (line) => this.#keep(line));
    this.#driver.on('error', (error) => this.#fail(new Error(`${file} could not be started: ${error.message}`)));
    this.#driver.on('exit', (code) => this.#fail(new Error(`Spark ended with ${code}: ${lastLine(this.#output)}`)));
    this.#ended = once(this.#driver, 'close').catch(() => undefined);
    options.signal?.addEventListener('abort', this.#stop, { once: true });
  }

  /** Resolves when the program has written its result; one at a time. */
  async request(request: object): Promise<WrittenRows> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const waiting = Promise.withResolvers<WrittenRows>();
    waiting.promise.catch(() => undefined);
    if (this.#failure) waiting.reject(this.#failure);
    this.#waiting = waiting;
    this.#busyMs = this.#runtime.monotonicMs();
    this.#readMs = this.#busyMs;
    const poll = this.#runtime.every(POLL_MS, () => void this.#look());
    try {
      // Complete before it has its name.
      const path = join(this.#folder, `${this.#requests++}.json`);
      await writeFile(`${path}.new`, JSON.stringify(request));
      await rename(`${path}.new`, path);
      const written = await waiting.promise;
      // A short count ends before the first look at it.
      await this.#look();
      signal?.throwIfAborted();
      return written;
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      poll.cancel();
    }
  }

  get #runtime(): Runtime {
    return this.#options.runtime ?? systemRuntime;
  }

  async close(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#stop);
    if (this.#driver.pid === undefined) return;
    await writeFile(join(this.#folder, 'end'), '');
    const timer = this.#runtime.after(STOP_GRACE_MS, () => this.#driver.kill('SIGKILL'));
    if (this.#driver.exitCode === null && this.#driver.signalCode === null) await this.#ended;
    timer.cancel();
  }

  #keep(line: string): void {
    this.#output = `${this.#output}${line}\n`.slice(-KEPT_OUTPUT);
  }

  #hear(line: string): void {
    this.#keep(line);
    const [word, id, rest] = line.split(' ');
    if (word !== 'KINDRED') return;
    if (id === 'DONE') this.#waiting?.resolve(JSON.parse(rest));
    else this.#application = { id, address: rest };
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
  }

  /**
   * Reports the progress of the count, and fails it if no task has run for too long, or the progress was unknown for too long.
   */
  async #look(): Promise<void> {
    if (this.#application !== null) {
      const stages = await readStages(this.#application.address, this.#application.id);
      // The driver does not respond: it is busy, about to end, or out of reach.
      if (stages === null) return this.#checkRead(this.#application);
      this.#readMs = this.#runtime.monotonicMs();
      const sum = (of: (stage: Stage) => number) => stages.reduce((total, stage) => total + of(stage), 0);
      const [tasksDone, tasks] = [sum((stage) => stage.numCompleteTasks), sum((stage) => stage.numTasks)];
      if (tasksDone !== this.#tasksSeen || sum((stage) => stage.numActiveTasks) > 0)
        this.#busyMs = this.#runtime.monotonicMs();
      this.#tasksSeen = tasksDone;
      const { id, address } = this.#application;
      this.#options.onProgress?.({ applicationId: id, address, tasksDone, tasks });
    }
    if (this.#runtime.monotonicMs() - this.#busyMs < MOST_IDLE_MS) return;
    const where = this.#application?.id ?? 'the application';
    const minutes = MOST_IDLE_MS / 60_000;
    this.#fail(
      new Error(`Spark ran no task of ${where} for ${minutes} minutes. Does the cluster have free executors?`),
    );
  }

  #checkRead({ id, address }: { id: string; address: string }): void {
    if (this.#runtime.monotonicMs() - this.#readMs < MOST_UNREAD_MS) return;
    const minutes = MOST_UNREAD_MS / 60_000;
    this.#fail(
      new Error(
        `The progress of ${id} could not be read at ${address} for ${minutes} minutes. ` +
          "Does the driver hang? Can this machine open the driver's page without signing in?",
      ),
    );
  }
}

/** Next to the sources, or in the installed package. */
function programFile(): string {
  const places = ['../../../deploy/spark/aggregate.py', '../../../../deploy/spark/aggregate.py'];
  const found = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path));
  if (found === undefined) throw new Error('deploy/spark/aggregate.py is missing from this installation.');
  return found;
}

function lastLine(output: string): string {
  // The last line that Python prints names the cause. Lines of a stack only name classes.
  const lines = output.split('\n').filter((line) => /error|exception/i.test(line) && !/^\s+at /.test(line));
  return (lines.at(-1) ?? output.trim().split('\n').at(-1) ?? '').slice(0, 500);
}
