import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Scripted, startScriptedServer } from '../../../test/support/scripted-server.ts';
import { Kindred } from '../../client/index.ts';
import { firstUsers } from './first-users.ts';

const idsTo = (count: number): string[] => Array.from({ length: count }, (_, n) => `u${n}, ]}]}`);

/** The result in the form the service writes it. */
function resultOf(count: number): string {
  const users = idsTo(count).map((user_id) => `\n${JSON.stringify({ user_id, usages: [0.5], basis: 'history' })}`);
  return `{"message":"Übermäßig","queries":[\n{"count":${count},"users":[${users.join(',')}]}]}\n`;
}

async function first(limit: number, responses: Scripted[], signal?: AbortSignal): Promise<string[]> {
  const server = await startScriptedServer((_, nth) => responses[Math.min(nth, responses.length) - 1]);
  const retry = { maxRetries: 1, baseDelayMs: 1 };
  const kindred = new Kindred({ baseUrl: server.baseUrl, apiKey: 'k', clientSecret: 's', retry });
  const job = { job_result: { download_url: `${server.baseUrl}/results/r` } };
  try {
    const { message, queries } = await firstUsers(kindred, job, { limit, signal });
    assert.equal(message, 'Übermäßig');
    return queries[0].users.map(({ user_id }) => user_id);
  } finally {
    await server.close();
  }
}

test('the first users of a list are those of the whole list', async () => {
  for (const count of [0, 1, 4, 5, 6, 7, 500]) {
    assert.deepEqual(await first(5, [{ body: resultOf(count) }]), idsTo(Math.min(5, count)));
  }
});

test('a list is not downloaded further than its first users, and again after a lost connection', async () => {
  const body = resultOf(10_000);
  assert.deepEqual(await first(5, [{ body, stall: true }]), idsTo(5));
  const short = resultOf(5);
  assert.deepEqual(await first(5, [{ body: short, cut: 'midway' }, { body: short }]), idsTo(5));
});

test('a download that stalls ends with the reason of the signal', async () => {
  const signal = AbortSignal.timeout(50);
  await assert.rejects(first(5, [{ body: resultOf(5), stall: true }], signal), { name: 'TimeoutError' });
});
