// While a run lasts nothing asks the system for the time or random bytes: everything that coordinates has its machine's runtime.
import { performance } from 'node:perf_hooks';
import { systemRuntime } from '../../src/base/runtime.ts';
import type { World } from './world.ts';

export async function withVirtualSystem<T>(world: World, run: () => Promise<T>): Promise<T> {
  const [monotonicMs, nowMs, { randomBytes }, { stackTraceLimit }] = [performance.now, Date.now, systemRuntime, Error];
  // Work in steps must not be split by how fast this machine is.
  performance.now = () => world.nowMs;
  Date.now = refuse;
  systemRuntime.randomBytes = refuse;
  // Lost messages are errors by the thousand, and nobody reads their stacks.
  Error.stackTraceLimit = 0;
  try {
    return await run();
  } finally {
    performance.now = monotonicMs;
    Date.now = nowMs;
    systemRuntime.randomBytes = randomBytes;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function refuse(): never {
  throw new Error('This run asks the system, not its runtime.');
}
