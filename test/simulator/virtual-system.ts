// The system's clocks and random bytes while a run lasts, for code that is not given a runtime.
import { performance } from 'node:perf_hooks';
import { systemRuntime } from '../../src/domain/runtime.ts';
import { randomBytesOf, WALL_START_MS } from './machine.ts';
import type { World } from './world.ts';

export async function withVirtualSystem<T>(world: World, run: () => Promise<T>): Promise<T> {
  const [monotonicMs, nowMs, { randomBytes }, { stackTraceLimit }] = [performance.now, Date.now, systemRuntime, Error];
  // Work in steps must not be split by how fast this machine is.
  performance.now = () => world.nowMs;
  Date.now = () => Math.floor(WALL_START_MS + world.wallMs);
  systemRuntime.randomBytes = randomBytesOf(world);
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
