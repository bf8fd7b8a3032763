import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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

test('an action comes again and again until it is canceled', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let calls = 0;
  const timer = systemRuntime.every(10, () => calls++);
  t.mock.timers.tick(35);
  assert.equal(calls, 3);
  timer.cancel();
  t.mock.timers.tick(100);
  assert.equal(calls, 3);
});

test('what runs in the background does not keep the process running, another delay does', () => {
  const program = (call: string) =>
    `import { systemRuntime as runtime } from ${JSON.stringify(import.meta.resolve('./runtime.ts'))};
     ${call}`;
  const endedAfter = (call: string): string =>
    execFileSync(process.execPath, ['--input-type=module-typescript', '-e', program(call)], { encoding: 'utf8' });
  const say = `() => console.log('called')`;
  assert.equal(endedAfter(`runtime.every(1000, ${say});`), '');
  assert.equal(endedAfter(`runtime.after(1000, ${say}, { background: true });`), '');
  assert.equal(endedAfter(`runtime.after(50, ${say});`), 'called\n');
});

test('sleep ends after its time, or at once when the signal fires', async () => {
  await systemRuntime.sleep(1);
  const aborted = AbortSignal.abort();
  await assert.rejects(systemRuntime.sleep(1_000_000, aborted), { name: 'AbortError' });
});

test('random bytes are as many as wanted', () => {
  assert.equal(systemRuntime.randomBytes(10).length, 10);
});
