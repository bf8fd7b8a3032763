// This side of run-cases.ts: keeps such a process and starts another one when it has ended.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, type Fault, Faults } from './shim.ts';

const TIMEOUT_MS = 120_000;
/** What a failed case leaves behind in the process is not to gather. */
const CASES_OF_PROCESS = 50;

export interface RanCase {
  /** null: it goes on; else how it ended, with what it wrote. */
  ended: string | null;
  marks: string[];
  /** Whether the call failed that was to fail. */
  isHit: boolean;
}

export class CaseRunner {
  readonly dataDir: string;
  readonly #marks: string;
  readonly #faults: Faults;
  #child: ChildProcess | null = null;
  #stderr = '';
  #cases = 0;

  constructor(shim: string, folder: string) {
    this.dataDir = join(folder, 'data');
    this.#marks = join(folder, 'marks');
    this.#faults = new Faults(shim, join(folder, 'control'));
  }

  async run(fault: Fault | null): Promise<RanCase> {
    for (const path of [this.dataDir, this.#marks]) rmSync(path, { recursive: true, force: true });
    if (this.#cases++ % CASES_OF_PROCESS === CASES_OF_PROCESS - 1) this.end();
    const child = this.#child ?? (await this.#start());
    if (fault === null) this.#faults.clear();
    else this.#faults.arm(fault);
    child.send('run');
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    const over = new AbortController();
    const done = await Promise.race(['message', 'exit'].map((name) => once(child, name, { signal: over.signal })));
    over.abort();
    clearTimeout(timer);
    const isHit = fault !== null && this.#faults.refused(fault.call) > 0;
    this.#faults.disarm();
    const marks = existsSync(this.#marks) ? readFileSync(this.#marks, 'utf8').split('\n').filter(Boolean) : [];
    if (done[0] === 'done') return { ended: null, marks, isHit };
    this.#child = null;
    return { ended: `${done.join(' ')} (${this.#stderr.slice(0, 300)})`, marks, isHit };
  }

  /** Of the last run. */
  counted(call: Call): number {
    return this.#faults.counted(call);
  }

  end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }

  async #start(): Promise<ChildProcess> {
    const script = join(import.meta.dirname, 'run-cases.ts');
    const child = fork(script, [this.dataDir, this.#marks], {
      env: { ...process.env, ...this.#faults.envFor(this.dataDir) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#stderr = '';
    child.stderr!.on('data', (chunk) => {
      this.#stderr += chunk;
    });
    await once(child, 'message');
    this.#child = child;
    return child;
  }
}
