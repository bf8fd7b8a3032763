// A copy of the checkout in which test files run with a mutant.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWhenLate } from './end-when-late.ts';

const SKIPPED = new Set(['node_modules', '.git', 'data']);

export class CheckoutCopy {
  readonly folder = mkdtempSync(join(tmpdir(), 'kindred-mutation-'));
  readonly #running = new Set<ChildProcess>();

  constructor(root: string) {
    for (const name of readdirSync(root)) {
      if (!SKIPPED.has(name)) cpSync(join(root, name), join(this.folder, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** Resolves to whether the test file passes. Ends at the first test that fails. */
  passes(test: string, env: Readonly<Record<string, string>>, limitMs: number): Promise<boolean> {
    const reporter = join(this.folder, 'test/mutation/stop-at-first-failure.ts');
    const child = this.#start([`--test-reporter=${reporter}`, test], env, 'ignore');
    const timer = endWhenLate(child, limitMs);
    return new Promise((resolved) => {
      child.on('exit', (code) => {
        timer.cancel();
        resolved(code === 0);
      });
    });
  }

  /** Starts a process that tries many mutants with one test file. */
  warm(test: string): ChildProcess {
    return this.#start([join(this.folder, 'test/mutation/warm-tests.ts'), test], {}, [
      'ignore',
      'ignore',
      'ignore',
      'ipc',
    ]);
  }

  #start(args: readonly string[], env: Readonly<Record<string, string>>, stdio: StdioOptions): ChildProcess {
    const child = spawn(process.execPath, args, {
      cwd: this.folder,
      stdio,
      // A process group, so that what the test has started ends with it.
      detached: true,
      env: {
        ...process.env,
        KINDRED_TEST_DATABASES: 'sqlite',
        NODE_TEST_CONTEXT: undefined,
        // All mutants are in the same sources, so what one run has compiled the next one loads.
        NODE_COMPILE_CACHE: join(this.folder, 'compile-cache'),
        ...env,
      },
    });
    this.#running.add(child);
    child.on('exit', () => {
      this.#running.delete(child);
      endGroup(child);
    });
    return child;
  }

  remove(): void {
    for (const child of this.#running) endGroup(child);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Ends what the process and those it has started have left. */
function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
}
