// Upserts warn of what is probably a mistake, on both databases, and store it all the same.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestService, type TestService } from '../support/service.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

type Warning = { index: number; id: string; code: string; message: string };

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let event_dataset_id: string;
    let next = 0;
    const nowMs = Date.now();
    const event = (change: object = {}) => ({
      event_id: `e${next++}`,
      user_id: 'u',
      item_id: 'SKU-1',
      ts: nowMs,
      event_type: 'view',
      ...change,
    });
    const upsert = (events: object[]) =>
      service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events }) as Promise<{
        succeed_ids: string[];
        warnings: Warning[];
      }>;

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService({
        ...place.env,
      });
      ({ event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'events' }));
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    test('a time in seconds is stored with a warning', async () => {
      const { warnings, succeed_ids } = await upsert([event(), event({ ts: Math.floor(nowMs / 1000) })]);
      assert.equal(succeed_ids.length, 2);
      assert.deepEqual(
        warnings.map(({ index, id, code }) => [index, id, code]),
        [[1, succeed_ids[1], 'SUSPICIOUS_TIME']],
      );
      assert.match(warnings[0].message, /seconds/);
    });

    test('a small dataset takes new ids without a word', async () => {
      assert.deepEqual((await upsert([event({ item_id: 'sku-1', event_type: 'views' })])).warnings, []);
    });

    test('a large one names new items and types that resemble known ones', async () => {
      for (let n = 0; n < 10; n++) {
        await upsert(Array.from({ length: 1000 }, (_, i) => event({ item_id: `SKU-${n * 100 + (i % 100)}` })));
      }
      const sent = [
        event({ item_id: 'sku-77' }),
        event({ item_id: 'SKU-77' }),
        event({ item_id: '78' }),
        event({ item_id: 'quite-another' }),
        event({ event_type: 'View' }),
        event({ event_type: 'purchase' }),
        event({ item_id: 'sku-77' }),
      ];
      const { warnings, succeed_ids } = await upsert(sent);
      assert.equal(succeed_ids.length, sent.length);
      assert.deepEqual(
        warnings.map(({ index, id, code }) => [index, id, code]),
        [
          [4, sent[4].event_id, 'UNKNOWN_TYPE'],
          [0, sent[0].event_id, 'UNKNOWN_ITEM'],
          [2, sent[2].event_id, 'UNKNOWN_ITEM'],
        ],
      );
      assert.match(warnings[1].message, /"sku-77".*"SKU-77"/);
      assert.deepEqual((await upsert([event({ item_id: 'sku-77', event_type: 'View' })])).warnings, [], 'known by now');
    });

    test('ids that are new together do not resemble each other, and a call has at most ten warnings', async () => {
      assert.deepEqual((await upsert([event({ item_id: 'Fresh' }), event({ item_id: 'fresh' })])).warnings, []);
      const { warnings } = await upsert(Array.from({ length: 50 }, (_, n) => event({ item_id: `sku-${n + 100}` })));
      assert.equal(warnings.length, 10);
    });
  });
}
