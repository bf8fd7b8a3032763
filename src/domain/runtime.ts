// Where code that coordinates nodes, workers and jobs gets its time, its timers and its random bytes. The service uses the system's;
// the simulation (test/simulator) uses its own, so that a run follows from a seed and can be repeated. The folders of
// test/contract/runtime.test.ts may not ask the system directly.
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
  /** Calls the action once, after the delay. */
  after(delayMs: number, action: () => void): Timer;
  /** Rejects when the signal fires. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  randomBytes(count: number): Uint8Array;
}

export const systemRuntime: Runtime = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
  sleep: (delayMs, signal) => sleep(delayMs, undefined, { signal }),
  randomBytes,
};
