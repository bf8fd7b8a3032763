import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import type { Recommendation } from './recommendation.ts';
import { type EventRules, MAX_ENTITY_BYTES, readEntities, readEvents as readEventsBy } from './record-batch.ts';

const NOW_MS = Date.UTC(2026, 10, 15);
const readEvents = (batch: readonly unknown[], rules: EventRules = { nowMs: NOW_MS }) => readEventsBy(batch, rules);
const event = (change: object = {}) => ({
  event_id: 'e',
  user_id: 'u',
  item_id: 'i',
  ts: NOW_MS,
  event_type: 't',
  ...change,
});

test('an event gets its defaults', () => {
  assert.deepEqual(readEvents([event()]).records, [event({ event_value: 1, attributes: {} })]);
});

test('the last record of an id decides, for good and for bad, and keeps its place', () => {
  const { records, indexes, failures } = readEntities(
    [
      { user_id: 'a', attributes: { n: 1 } },
      { user_id: 'b' },
      { user_id: 'a', attributes: { n: 2 } },
      { user_id: 'b', attributes: 7 },
    ],
    'user_id',
    null,
  );
  assert.deepEqual(records, [{ id: 'a', attributes: { n: 2 } }]);
  assert.deepEqual(indexes, [2]);
  assert.deepEqual(
    failures.map(({ index, id }) => [index, id]),
    [[3, 'b']],
  );
});

test('null for an optional field of a record means left out', () => {
  const plain = readEvents([event()]).records;
  assert.deepEqual(readEvents([event({ event_value: null, attributes: null })]).records, plain);
  assert.deepEqual(readEntities([{ user_id: 'u', attributes: null }], 'user_id', null).records, [
    { id: 'u', attributes: {} },
  ]);
});

test('a record whose id is unusable is named by what was given, or by its index', () => {
  const long = 'x'.repeat(2000);
  const batch = [
    { user_id: 7 },
    { user_id: true },
    { user_id: '' },
    { user_id: null },
    {},
    { user_id: ['a'] },
    { user_id: long },
    { user_id: 'tab\t' },
    'text',
    null,
    { user_id: 7 },
    { user_id: '7' },
  ];
  const { records, failures } = readEntities(batch, 'user_id', null);
  assert.deepEqual(
    failures.map(({ index, id }) => [index, id]),
    [
      [1, 'true'],
      [2, '#2'],
      [3, '#3'],
      [4, '#4'],
      [5, '#5'],
      [6, '#6'],
      [7, 'tab\t'],
      [8, '#8'],
      [9, '#9'],
      [10, '7'],
    ],
  );
  assert.deepEqual(
    records.map(({ id }) => id),
    ['7'],
    'the number 7 does not replace the record of the id "7"',
  );
});

test('a time before 2000 or more than a day ahead is stored with a warning', () => {
  const seconds = NOW_MS / 1000;
  const ahead = NOW_MS + 86_400_001;
  const times = [NOW_MS, seconds, ahead, NOW_MS + 86_400_000, Date.UTC(2000, 0, 1), Date.UTC(2000, 0, 1) - 1];
  const { records, warnings } = readEvents(
    times.map((ts, n) => event({ event_id: `e${n}`, ts })),
    { nowMs: NOW_MS },
  );
  assert.equal(records.length, times.length);
  assert.deepEqual(
    warnings.map(({ index, id, code }) => [index, id, code]),
    [1, 2, 5].map((n) => [n, `e${n}`, 'SUSPICIOUS_TIME']),
  );
  assert.match(warnings[0].message, /seconds/);
});

test('a schema binds users and items: numbers, categories, arrays of categories, null for absent', () => {
  const schema = { age: 'NUMERICAL', tags: 'CATEGORICAL' } as const;
  const outcome = (attributes: object) =>
    readEntities([{ item_id: 'x', attributes }], 'item_id', schema).failures[0]?.code ?? 'stored';
  for (const fine of [
    { age: 1.5 },
    { age: null },
    { tags: 'a' },
    { tags: 3 },
    { tags: [true, 'b', 2] },
    { tags: [] },
    { other: { deep: [1] } },
    {},
  ]) {
    assert.equal(outcome(fine), 'stored', JSON.stringify(fine));
  }
  for (const unfit of [
    { age: '1' },
    { age: [1] },
    { age: true },
    { tags: { a: 1 } },
    { tags: [['a']] },
    { tags: [null] },
  ]) {
    assert.equal(outcome(unfit), 'ATTRIBUTE_TYPE_MISMATCH', JSON.stringify(unfit));
  }
});

test('an event is too large exactly from 20,481 bytes of UTF-8 JSON, whatever it is made of', () => {
  const pieces = ['a', 'é', '漢', '😀', '"', '\\', '\n', '\u0001'];
  for (const piece of pieces) {
    const record = { ...event(), attributes: { text: '', pad: '' } };
    const size = () => Buffer.byteLength(JSON.stringify(record));
    while (size() + 40 < 20_480) record.attributes.text += piece.repeat(5);
    record.attributes.pad = 'p'.repeat(20_480 - size());
    assert.equal(size(), 20_480);
    assert.equal(readEvents([record]).failures.length, 0, JSON.stringify(piece));
    record.attributes.pad += 'p';
    assert.equal(readEvents([record]).failures[0].code, 'RECORD_TOO_LARGE', JSON.stringify(piece));
  }
});

test('whatever is sent, each record is stored or fails once, and nothing throws', () => {
  const id = fc.oneof(fc.string({ unit: 'binary', maxLength: 4 }), fc.constantFrom('a', 'b', undefined, null, 1));
  const record = fc.oneof(fc.anything(), fc.record({ user_id: id, attributes: fc.oneof(fc.object(), fc.anything()) }));
  fc.assert(
    fc.property(fc.array(record, { maxLength: 20 }), (batch) => {
      const sent = JSON.parse(JSON.stringify(batch) ?? '[]');
      const { records, indexes, failures } = readEntities(sent, 'user_id', { n: 'NUMERICAL' });
      const places = [...indexes, ...failures.map(({ index }) => index)];
      assert.equal(new Set(places).size, places.length);
      const ids = records.map((one) => one.id);
      assert.equal(new Set(ids).size, ids.length);
      // Every record is reported: what is left out is an earlier record of an id that is.
      const reported = new Set([...ids, ...failures.map((one) => one.id)]);
      sent.forEach((one: { user_id?: unknown }, index: number) => {
        assert.ok(places.includes(index) || reported.has(String(one.user_id)));
      });
      assert.ok(failures.every(({ id }) => typeof id === 'string' && id.length > 0));
    }),
    { numRuns: 300 },
  );
});

test('the signature of a list is checked once for all events of a batch that carry its id', () => {
  const checked: string[] = [];
  const readList = (id: string) => {
    checked.push(id);
    return id === 'forged' ? null : ({ createdMs: NOW_MS } as Recommendation);
  };
  const carried = ['a', 'forged', 'a', 'b', 'forged', 'a'];
  const batch = carried.map((recommendation_id, n) => event({ event_id: `e${n}`, recommendation_id }));
  const { records, failures } = readEvents(batch, { nowMs: NOW_MS, readList });
  assert.deepEqual(checked.sort(), ['a', 'b', 'forged']);
  assert.deepEqual(
    records.map(({ event_id }) => event_id),
    ['e0', 'e2', 'e3', 'e5'],
  );
  assert.deepEqual(
    failures.map(({ code }) => code),
    ['INVALID_RECOMMENDATION_ID', 'INVALID_RECOMMENDATION_ID'],
  );
});

test('an event from a list of more than 31 days ago is stored with a warning', () => {
  const age = 31 * 86_400_000;
  const readList = (id: string) => ({ createdMs: id === 'old' ? NOW_MS - age - 1 : NOW_MS - age }) as Recommendation;
  const batch = ['old', 'live', 'old'].map((recommendation_id, n) => event({ event_id: `e${n}`, recommendation_id }));
  const { records, warnings } = readEvents(batch, { nowMs: NOW_MS, readList });
  assert.deepEqual(
    records.map(({ recommendation_id }) => recommendation_id),
    ['old', 'live', 'old'],
  );
  assert.deepEqual(
    warnings.map(({ index, id, code }) => [index, id, code]),
    [
      [0, 'e0', 'RECOMMENDATION_EXPIRED'],
      [2, 'e2', 'RECOMMENDATION_EXPIRED'],
    ],
  );
});

test('a user or item is too large exactly from a byte over a mebibyte of JSON', () => {
  const record = { item_id: 'i', attributes: { text: '' } };
  record.attributes.text = 'x'.repeat(MAX_ENTITY_BYTES - JSON.stringify(record).length);
  assert.deepEqual(readEntities([record], 'item_id', null).failures, []);
  record.attributes.text += 'x';
  assert.equal(readEntities([record], 'item_id', null).failures[0].code, 'RECORD_TOO_LARGE');
});

test('each field of an event is checked', () => {
  const failureOf = (change: object) => readEvents([event(change)]).failures[0]?.message ?? 'none';
  for (const fine of [{ ts: 0 }, { ts: 8.64e15 }, { event_value: -2.5 }, { event_value: 0 }]) {
    assert.equal(failureOf(fine), 'none', JSON.stringify(fine));
  }
  for (const ts of [-1, 8.64e15 + 2, 1.5, '5', undefined, null, Number.NaN]) assert.match(failureOf({ ts }), /^ts /);
  for (const event_value of ['1', Number.NaN, Number.POSITIVE_INFINITY, true]) {
    assert.match(failureOf({ event_value }), /^event_value /);
  }
  for (const field of ['user_id', 'item_id', 'event_type', 'event_id']) {
    for (const value of ['', null, 5]) assert.match(failureOf({ [field]: value }), new RegExp(`^${field} `));
  }
  assert.match(failureOf({ attributes: [] }), /^attributes must be an object/);
  assert.match(failureOf({ usr_id: 'u' }), /usr_id.*did you mean "user_id"/);
  assert.match(failureOf({ color: 'red' }), /color.*attributes/);
});

test('an event with the id of a list is refused where nobody can read it', () => {
  assert.equal(readEvents([event({ recommendation_id: 'r' })]).failures[0].code, 'INVALID_RECOMMENDATION_ID');
  assert.equal(readEvents([event({ recommendation_id: 5 })]).failures[0].code, 'INVALID_RECOMMENDATION_ID');
  assert.deepEqual(readEvents([event({ recommendation_id: null })]).failures, []);
});

test('a user or item with an unknown field is refused', () => {
  const { failures } = readEntities(
    [
      { user_id: 'u', atributes: {} },
      { user_id: 'v', color: 1 },
    ],
    'user_id',
    null,
  );
  assert.match(failures[0].message, /atributes.*did you mean "attributes"/);
  assert.match(failures[1].message, /color.*attributes/);
});

test('a message names a long field by its beginning', () => {
  const [failure] = readEvents([event({ ['x'.repeat(10_000)]: 1 })]).failures;
  assert.ok(failure.message.includes('x'.repeat(64)) && failure.message.length < 300);
});
