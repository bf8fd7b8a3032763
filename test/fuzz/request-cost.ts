// What one request costs a service process: processor time of all its threads and of the one that serves all accounts, how long that one
// worked at a stretch, and how far its memory grew. Linux counts time and memory; two modules that are preloaded into the service help.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ServiceProcess } from '../support/service.ts';
import { COLLECT } from './collect-garbage.ts';

export interface Cost {
  cpuMs: number;
  /** of the thread that serves all accounts */
  apiMs: number;
  /** how long that thread worked without a turn of its event loop; known to 5 ms */
  stretchMs: number;
  memoryMb: number;
}

/** What the process did after its response belongs to the request too. */
const SETTLE_MS = 10;
/** Garbage hides what a request needs. Collecting it takes long, so it is done after requests that left much, and now and then. */
const MUCH_MB = 4;
const COLLECT_EACH = 20;
/** Other threads still collect, or finish what the request before began. */
const QUIET_MS = 4;
const MAX_WAITS = 100;

const preload = (path: string): string => `--import=${pathToFileURL(join(import.meta.dirname, path)).href}`;

/** For the environment of the service. Freed memory goes back to the system at once. */
export const meterEnv = (file: string): Record<string, string> => ({
  NODE_OPTIONS: [
    preload('registered-routes.ts'),
    preload('collect-garbage.ts'),
    preload('../support/loop-monitor.ts'),
  ].join(' '),
  LOOP_MONITOR_FILE: file,
  ROUTES_FILE: `${file}.routes`,
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '65536',
});

export class CostMeter {
  readonly #service: ServiceProcess;
  readonly #file: string;
  #sinceCollected = 0;
  #lastMemoryMb = 0;

  constructor(service: ServiceProcess, file: string) {
    this.#service = service;
    this.#file = file;
  }

  async costOf(request: () => Promise<unknown>): Promise<Cost> {
    const pid = this.#service.child.pid!;
    await this.#startOver();
    await quiet(pid);
    // From here on the largest memory is counted again.
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    const memoryBefore = memoryKb(pid, 'VmRSS');
    const before = times(pid);
    await request();
    await delay(SETTLE_MS);
    const after = times(pid);
    // The monitor has looked once more when the next request is served, however busy the machine is.
    await this.#service.call('GET', '/healthz', undefined, { anonymous: true }).catch(() => {});
    this.#lastMemoryMb = Math.max(0, memoryKb(pid, 'VmHWM') - memoryBefore) / 1024;
    return {
      cpuMs: after.cpuMs - before.cpuMs,
      apiMs: after.apiMs - before.apiMs,
      stretchMs: Number(readFileSync(this.#file, 'utf8')),
      memoryMb: this.#lastMemoryMb,
    };
  }

  async #startOver(): Promise<void> {
    const collects = this.#lastMemoryMb > MUCH_MB || ++this.#sinceCollected >= COLLECT_EACH;
    if (collects) this.#sinceCollected = 0;
    writeFileSync(this.#file, collects ? COLLECT : '');
    this.#service.child.kill('SIGUSR2');
    while (['', COLLECT].includes(readFileSync(this.#file, 'utf8'))) {
      if (hasEnded(this.#service)) throw new Error('The service has ended.');
      await delay(1);
    }
  }
}

export const hasEnded = ({ child }: ServiceProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function quiet(pid: number): Promise<void> {
  let before = times(pid).cpuMs;
  for (let n = 0; n < MAX_WAITS; n++) {
    await delay(QUIET_MS);
    const now = times(pid).cpuMs;
    if (now - before < QUIET_MS / 4) return;
    before = now;
  }
}

function times(pid: number): { cpuMs: number; apiMs: number } {
  let [cpuNs, apiNs] = [0, 0];
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const ns = Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]);
      cpuNs += ns;
      if (thread === String(pid)) apiNs = ns;
    } catch {
      // It has ended.
    }
  }
  return { cpuMs: cpuNs / 1e6, apiMs: apiNs / 1e6 };
}

function memoryKb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]);
}
