// Calls at once under a rate: as many are accepted as a second has, and those that are added while the calls are on their way.
import assert from 'node:assert/strict';
import type { CallResponse } from './service.ts';

export async function callsAtOnce({ calls, qps }: { calls: number; qps: number }, call: () => Promise<CallResponse>) {
  const startMs = performance.now();
  const responses = await Promise.all(Array.from({ length: calls }, call));
  const accepted = responses.filter(({ status }) => status !== 429).length;
  const most = Math.floor(qps + (qps * (performance.now() - startMs)) / 1000);
  assert.ok(accepted >= qps && accepted <= most, `${accepted} of ${calls} were accepted, at most ${most} may be`);
  return { responses, accepted };
}
