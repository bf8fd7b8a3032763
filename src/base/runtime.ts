// The source of the service's time, timers and random bytes. The service uses the system's. The simulation (test/simulator) uses
// its own, so that a run depends only on its seed and can be repeated. Only the files that test/contract/runtime.test.ts names
// may ask the system directly.
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Timer {
  cancel(): void;
}

export interface Runtime {
  /** Milliseconds since 1970. Differs between machines and may jump. */
  nowMs(): number;
  /** Milliseconds of a clock that never jumps, comparable within a process only. It may not move while the machine is suspended. */
  monotonicMs(): number;
  /** Calls the action once, after the delay. In the background it does not keep the process running. */
  after(delayMs: number, action: () => void, options?: { background: boolean }): Timer;
  /** Calls the action again and again, in the background. */
  every(periodMs: number, action: () => void): Timer;
  /** Rejects when the signal fires. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  randomBytes(count: number): Uint8Array;
}

export const systemRuntime: Runtime = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, action, { background } = { background: false }) {
    const timer = setTimeout(action, delayMs);
    if (background) timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
  every(periodMs, action) {
    const timer = setInterval(action, periodMs).unref();
    return { cancel: () => clearInterval(timer) };
  },
  sleep: (delayMs, signal) => sleep(delayMs, undefined, { signal }),
  randomBytes,
};
