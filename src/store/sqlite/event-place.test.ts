import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../test/support/fast-check.ts';
import { sharedColumns } from './event-columns.ts';
import { MOMENT_BYTES, momentAt, momentOf, seqsOf } from './event-moment.ts';
import { PlaceEncoder, PlaceReader, shardStart, userRange } from './event-place.ts';

const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const event = fc.record({
  datasetNo: fc.integer({ min: 1, max: 2 ** 32 - 2 }),
  shard: fc.integer({ min: 0, max: 99_999 }),
  user: uint32,
  ts: fc.integer({ min: 0, max: 8.64e15 }),
  seq: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  item: uint32,
  type: uint32,
  value: fc.double({ noNaN: true }),
});
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

function placeOf({ datasetNo, shard, user, ts, seq, item, type, value }: Event): Uint8Array {
  return new PlaceEncoder().owner(datasetNo, shard, user).time(ts, seq).payload(item, type, value).bytes;
}

const order = (a: Uint8Array, b: Uint8Array): number => Math.sign(Buffer.compare(a, b));

test('a place reads back what was written', () => {
  fc.assert(
    fc.property(event, (written) => {
      const place = new PlaceReader(placeOf(written));
      const { user, ts, seq, item, type, value } = written;
      assert.deepEqual(
        [place.user(0), place.ts(0), place.seq(0), place.item(0), place.type(0), place.value(0)],
        [user, ts, seq, item, type, value],
      );
      const columns = sharedColumns(1);
      assert.equal(place.writeTo(columns, 0), 1);
      assert.deepEqual(
        [columns.user[0], columns.ts[0], columns.item[0], columns.type[0], columns.value[0]],
        [user, ts, item, type, value],
      );
    }),
  );
});

test('bytes of places sort as dataset, shard, user, time and order of writing do', () => {
  fc.assert(
    fc.property(event, event, fc.integer({ min: 0, max: 4 }), (a, b, same) => {
      const fields = ['datasetNo', 'shard', 'user', 'ts', 'seq'] as const;
      for (const field of fields.slice(0, same)) b[field] = a[field];
      const first = fields.find((field) => a[field] !== b[field]);
      if (first) assert.equal(order(placeOf(a), placeOf(b)), Math.sign(a[first] - b[first]));
    }),
  );
});

test('ranges of a shard, a user and a time hold exactly their events', () => {
  fc.assert(
    fc.property(event, event, fc.boolean(), (a, b, sameUser) => {
      if (sameUser) Object.assign(b, { datasetNo: a.datasetNo, shard: a.shard, user: a.user });
      const place = placeOf(b);
      const inShard =
        order(shardStart(a.datasetNo, a.shard), place) < 0 && order(place, shardStart(a.datasetNo, a.shard + 1)) < 0;
      assert.equal(inShard, a.datasetNo === b.datasetNo && a.shard === b.shard);
      const { from, to } = userRange(a.datasetNo, a.shard, a.user);
      const isOfUser = order(from, place) < 0 && order(place, to) < 0;
      assert.equal(isOfUser, inShard && a.user === b.user);
      const moment = momentOf(place, new Uint8Array(MOMENT_BYTES));
      assert.equal(order(momentAt(b.datasetNo, a.ts), moment) <= 0, a.ts <= b.ts);
      assert.deepEqual(seqsOf(moment), [b.seq]);
    }),
  );
});

test('the places before the start of a shard are those of the datasets and shards before it', () => {
  const small = event.map((e) => ({ ...e, datasetNo: e.datasetNo % 3, shard: e.shard % 3 }));
  const shard = fc.integer({ min: 0, max: 3 });
  fc.assert(
    fc.property(fc.array(small, { maxLength: 40 }), shard, shard, (events, datasetNo, shardNo) => {
      const places = events.map((e) => placeOf(e).slice()).sort(order);
      const before = new PlaceReader(new Uint8Array(Buffer.concat(places))).before(shardStart(datasetNo, shardNo));
      const expected = events.filter(
        (e) => e.datasetNo < datasetNo || (e.datasetNo === datasetNo && e.shard < shardNo),
      );
      assert.equal(before.length, expected.length);
      assert.deepEqual(before.all(), new Uint8Array(Buffer.concat(places.slice(0, expected.length))));
    }),
  );
});
