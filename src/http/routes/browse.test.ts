import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntityRecord } from '../../domain/record.ts';
import { createLogger } from '../../observability/logger.ts';
import { createMetrics } from '../../observability/metrics.ts';
import type { PageRequest } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import { AttributeSamples } from '../attribute-samples.ts';
import { Lifecycle } from '../lifecycle.ts';
import { createServer } from '../server.ts';
import { browseRoutes } from './browse.ts';

/** Lists `count` users, each with a text of `bytes` bytes. */
async function serverOf(count: number, bytes: number) {
  const list = async (_datasetId: string, { page_size, page_token }: PageRequest) => {
    const from = Number(page_token ?? 0);
    const to = Math.min(count, from + page_size);
    const entries = Array.from(
      { length: to - from },
      (_, n): EntityRecord => ({ id: `u-${from + n}`, attributes: { text: 'x'.repeat(bytes) } }),
    );
    return { entries, next_page_token: to < count ? String(to) : null };
  };
  const dataset = { dataset_id: 'uds_1', kind: 'user', attribute_schema: null, num_records: count };
  const store = { users: { list }, datasets: { get: async () => dataset } } as unknown as Store;
  const lifecycle = new Lifecycle();
  lifecycle.ready();
  const server = createServer({
    routes: browseRoutes({ store, samples: new AttributeSamples(store) }),
    authenticate: () => ({ accountId: 'acc_1', keyId: 'key_1', scopes: [] }),
    lifecycle,
    metrics: createMetrics(),
    log: createLogger('silent'),
    checkResponses: true,
  });
  return async (query: string) => {
    const response = await server.inject({ url: `/list-dataset-records?user_dataset_id=uds_1&${query}` });
    assert.equal(response.statusCode, 200, response.body.slice(0, 500));
    const { records, next_page_token } = response.json();
    return { ids: records.map(({ user_id }: { user_id: string }) => user_id) as string[], next: next_page_token };
  };
}

/** The token without the mark of its list. */
const placeOf = (token: string) => token.split('=')[0];

test('a page has the requested number of records if they are small', async () => {
  const list = await serverOf(1234, 10);
  assert.equal((await list('')).ids.length, 100);
  const first = await list('page_size=1000');
  assert.deepEqual([first.ids.length, first.ids[999], placeOf(first.next)], [1000, 'u-999', '1000']);
  const last = await list(`page_size=1000&page_token=${first.next}`);
  assert.deepEqual([last.ids.length, last.ids[0], last.next], [234, 'u-1000', null]);
  const three = await list('page_size=3');
  assert.deepEqual([three.ids, placeOf(three.next)], [['u-0', 'u-1', 'u-2'], '3']);
});

test('a page of large records ends early, and the next continues where it ended', async () => {
  const list = await serverOf(450, 100_000);
  const pages: number[] = [];
  const seen: string[] = [];
  let next: string | null = '0';
  while (next !== null) {
    const page = await list(`page_size=1000&page_token=${next}`);
    pages.push(page.ids.length);
    seen.push(...page.ids);
    ({ next } = page);
  }
  assert.deepEqual(pages, [100, 100, 100, 100, 50]);
  assert.deepEqual(
    seen,
    Array.from({ length: 450 }, (_, n) => `u-${n}`),
  );
});
