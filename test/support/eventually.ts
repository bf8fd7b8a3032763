// Waits for what comes about by itself, long enough for a machine that has much else to do.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

const LIMIT_MS = 120_000;

export async function eventually(holds: () => boolean | Promise<boolean>, limitMs = LIMIT_MS): Promise<void> {
  const deadlineMs = performance.now() + limitMs;
  while (!(await holds())) {
    assert.ok(performance.now() < deadlineMs, 'it did not come true in time');
    await delay(20);
  }
}
