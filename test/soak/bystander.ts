// Tells when the machine has no time for anybody: a call that is late meanwhile says nothing about the service, and is counted on its
// own. It is so when a process that no fault strikes and that only responds at once does not, or when many processes want each
// processor. A call that fails at once is not late.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 200;
/** A response that takes longer means that the machine is starved. */
const STARVED_MS = 3000;
/** Processes that want a processor, for each there is. The soak alone makes about three. */
const CROWDED = 8;
/** A call that failed sooner was not late. */
const LATE_MS = 3000;
const ECHO = 'process.stdin.pipe(process.stdout)';

interface Look {
  readonly atMs: number;
  readonly wanted: number;
}

export class Bystander {
  readonly #child: ChildProcess;
  readonly #spans: { fromMs: number; toMs: number }[] = [];
  readonly #looks: Look[] = [];
  #askedMs = performance.now();
  #isStopped = false;

  constructor() {
    this.#child = spawn(process.execPath, ['-e', ECHO], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdin!.on('error', () => {});
    void this.#watch();
  }

  /** Whether the machine was starved while a call was under way, which has just ended. */
  wasStarved(fromMs: number): boolean {
    const nowMs = performance.now();
    if (nowMs - fromMs < LATE_MS) return false;
    const isSilent = nowMs - this.#askedMs > STARVED_MS || this.#spans.some(({ toMs }) => toMs >= fromMs);
    return isSilent || isCrowded(this.#looks.slice(this.#looks.findLastIndex(({ atMs }) => atMs < fromMs) + 1));
  }

  get starvedSeconds(): number {
    const silentMs = this.#spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    const crowdedMs = this.#looks.filter((look) => isCrowded([look])).length * EVERY_MS;
    return Math.round((silentMs + crowdedMs) / 1000);
  }

  stop(): void {
    this.#isStopped = true;
    this.#child.kill();
  }

  async #watch(): Promise<void> {
    while (!this.#isStopped) {
      this.#askedMs = performance.now();
      this.#looks.push({ atMs: this.#askedMs, wanted: processesThatWantToRun() / availableParallelism() });
      this.#child.stdin!.write('?');
      await once(this.#child.stdout!, 'data');
      const respondedMs = performance.now();
      if (respondedMs - this.#askedMs > STARVED_MS) this.#spans.push({ fromMs: this.#askedMs, toMs: respondedMs });
      await delay(EVERY_MS);
    }
  }
}

function isCrowded(looks: readonly Look[]): boolean {
  return looks.reduce((sum, { wanted }) => sum + wanted, 0) > CROWDED * looks.length;
}

/** Where this cannot be known, none do. */
function processesThatWantToRun(): number {
  if (process.platform !== 'linux') return 0;
  return Number(/^procs_running (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? 0);
}
