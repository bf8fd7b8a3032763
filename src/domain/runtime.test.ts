import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRuntime } from './runtime.ts';

test('the clocks are those of the system', () => {
  const [before, monotonic] = [Date.now(), systemRuntime.monotonicMs()];
  const nowMs = systemRuntime.nowMs();
  assert.ok(before <= nowMs && nowMs <= Date.now());
  assert.ok(monotonic <= systemRuntime.monotonicMs());
});

test('an action comes once after its delay, unless it is canceled', async () => {
  const called: string[] = [];
  const cancelled = systemRuntime.after(1, () => called.push('cancelled'));
  cancelled.cancel();
  await new Promise<void>((resolve) => {
    systemRuntime.after(5, () => {
      called.push('kept');
      resolve();
    });
  });
  assert.deepEqual(called, ['kept']);
});

test('sleep ends after its time, or at once when the signal fires', async () => {
  await systemRuntime.sleep(1);
  const aborted = AbortSignal.abort();
  await assert.rejects(systemRuntime.sleep(1_000_000, aborted), { name: 'AbortError' });
});

test('random bytes are as many as wanted', () => {
  assert.equal(systemRuntime.randomBytes(10).length, 10);
});
