// A process that no fault strikes and that only responds at once. When it does not, the machine has no time for anybody, and a call
// that is late meanwhile says nothing about the service. Such calls are counted on their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 200;
/** A response that takes longer means that the machine is starved. */
const STARVED_MS = 3000;
const ECHO = 'process.stdin.pipe(process.stdout)';

export class Bystander {
  readonly #child: ChildProcess;
  readonly #spans: { fromMs: number; toMs: number }[] = [];
  #askedMs = performance.now();
  #isStopped = false;

  constructor() {
    this.#child = spawn(process.execPath, ['-e', ECHO], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdin!.on('error', () => {});
    void this.#watch();
  }

  /** Whether the machine was starved while a call was under way, which has just ended. */
  wasStarved(fromMs: number): boolean {
    return performance.now() - this.#askedMs > STARVED_MS || this.#spans.some(({ toMs }) => toMs >= fromMs);
  }

  get starvedSeconds(): number {
    return Math.round(this.#spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / 1000);
  }

  stop(): void {
    this.#isStopped = true;
    this.#child.kill();
  }

  async #watch(): Promise<void> {
    while (!this.#isStopped) {
      this.#askedMs = performance.now();
      this.#child.stdin!.write('?');
      await once(this.#child.stdout!, 'data');
      const answeredMs = performance.now();
      if (answeredMs - this.#askedMs > STARVED_MS) this.#spans.push({ fromMs: this.#askedMs, toMs: answeredMs });
      await delay(EVERY_MS);
    }
  }
}
