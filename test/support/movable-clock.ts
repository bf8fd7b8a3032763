// The system's runtime with a wall clock that a test moves ahead, instead of waiting.
import { type Runtime, systemRuntime } from '../../src/base/runtime.ts';

export interface MovableClock {
  readonly runtime: Runtime;
  moveAhead(ms: number): void;
}

export function movableClock(): MovableClock {
  let aheadMs = 0;
  return {
    runtime: { ...systemRuntime, nowMs: () => systemRuntime.nowMs() + aheadMs },
    moveAhead(ms) {
      aheadMs += ms;
    },
  };
}
