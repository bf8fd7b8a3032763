// Processes that have loaded a test file and try one mutant after the other (warm-tests.ts).
import type { ChildProcess } from 'node:child_process';
import { endWhenLate } from './end-when-late.ts';

const LIMIT_FACTOR = 5;
const LIMIT_EXTRA_MS = 3000;
const START_LIMIT_MS = 30_000;

/** `unsure`: an earlier mutant has left something behind. `ended`: the process is gone, or had to be ended. */
type Message = 'passed' | 'failed' | 'unsure' | 'ended' | { ms: number; reached: readonly string[] };

interface Started {
  child: ChildProcess;
  limitMs: number;
  /** mutants that the tests reach, other than by loading */
  reached: ReadonlySet<string>;
}

export class WarmProcesses {
  readonly #start: (test: string) => ChildProcess;
  readonly #started = new Map<string, Started>();
  /** by test file: what is under way */
  readonly #turns = new Map<string, Promise<boolean>>();

  constructor(start: (test: string) => ChildProcess) {
    this.#start = start;
  }

  /** Whether the tests of this file find the mutant. When they do not, they may still do so in a process of their own. */
  finds(test: string, mutant: string): Promise<boolean> {
    const turn = (this.#turns.get(test) ?? Promise.resolve(false)).then(() => this.#find(test, mutant));
    this.#turns.set(test, turn);
    return turn;
  }

  async #find(test: string, mutant: string): Promise<boolean> {
    const { child, reached, limitMs } = this.#started.get(test) ?? (await this.#starting(test));
    if (!reached.has(mutant)) return false;
    const message = nextMessage(child, limitMs);
    child.send(mutant, () => {});
    const verdict = await message;
    if (verdict === 'unsure') child.kill('SIGKILL');
    if (verdict === 'unsure' || verdict === 'ended') this.#started.delete(test);
    return verdict === 'failed' || verdict === 'ended';
  }

  async #starting(test: string): Promise<Started> {
    const child = this.#start(test);
    const first = await nextMessage(child, START_LIMIT_MS);
    // A file that cannot run this way reaches nothing.
    const { ms, reached } = typeof first === 'object' ? first : { ms: 0, reached: [] };
    const started = { child, limitMs: ms * LIMIT_FACTOR + LIMIT_EXTRA_MS, reached: new Set(reached) };
    this.#started.set(test, started);
    if (reached.length === 0) child.kill('SIGKILL');
    else child.once('exit', () => void (this.#started.get(test) === started && this.#started.delete(test)));
    return started;
  }
}

/** Ends a process that sends nothing in time. */
function nextMessage(child: ChildProcess, limitMs: number): Promise<Message> {
  return new Promise((resolved) => {
    const timer = endWhenLate(child, limitMs);
    const finish = (message: unknown): void => {
      timer.cancel();
      child.off('message', finish);
      child.off('exit', ended);
      resolved(message as Message);
    };
    const ended = (): void => finish('ended');
    child.on('message', finish);
    child.on('exit', ended);
  });
}
