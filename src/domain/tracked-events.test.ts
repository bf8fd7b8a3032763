import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce } from '../base/steps.ts';
import type { Recommendation } from './recommendation.ts';
import { MAX_TRACKED_AGE_MS, MAX_TRACKED_BYTES, MAX_TRACKED_VALUE, readTracked } from './tracked-events.ts';

const NOW = 1_800_000_000_000;
const VIEW = { item_id: 'i1', event_type: 'view' };
const read = (...given: Parameters<typeof readTracked>) => atOnce(readTracked(...given));
const idsOf = (events: object[], visitor = 'v1', nowMs = NOW) =>
  read(events, visitor, { nowMs }).records.map(({ event_id }) => event_id);
const problemsOf = (event: unknown) => read([VIEW, event], 'v1', { nowMs: NOW }).failures;

test('what is sent again gets the same ids, and different events different ones', () => {
  for (const event of [{ ...VIEW, ts: NOW - 5 }, VIEW, { ...VIEW, event_id: 'e1' }]) {
    assert.deepEqual(idsOf([event]), idsOf([event], 'v1', NOW + 1000));
    assert.notDeepEqual(idsOf([event]), idsOf([event], 'v2'));
  }
  assert.deepEqual(idsOf([{ ...VIEW, ts: NOW }]), idsOf([{ ...VIEW, ts: NOW }], 'v1', NOW + 86_400_000));
  const given = (event_id: string, change: object = {}) => ({ ...VIEW, ts: NOW, event_id, ...change });
  assert.equal(new Set(idsOf([given('a'), given('b'), { ...VIEW, ts: NOW }])).size, 3);
  assert.deepEqual(idsOf([given('a')]), idsOf([given('a', { ts: NOW - 5, event_value: 2 })]));
  const different = [VIEW, VIEW, { ...VIEW, ts: NOW }, { ...VIEW, ts: NOW - 1 }, { ...VIEW, event_value: 2 }];
  assert.equal(new Set(idsOf(different)).size, different.length);
});

test("an id of the page's own is never the stored id, so events of other users cannot be replaced", () => {
  const [mine] = idsOf([{ ...VIEW, event_id: 'order-1' }], 'v1');
  const [others] = idsOf([{ ...VIEW, event_id: 'order-1' }], 'v2');
  assert.ok(mine !== 'order-1' && mine !== others);
  assert.match(mine, /^trk_[\w-]{27}$/);
  assert.deepEqual(idsOf([{ ...VIEW, event_id: mine }], 'v2').includes(mine), false);
});

test('a time ahead of the clock becomes now, one far ahead or long past is refused', () => {
  const [ahead] = read([{ ...VIEW, ts: NOW + 3_600_000 }], 'v1', { nowMs: NOW }).records;
  assert.equal(ahead.ts, NOW);
  const [old] = read([{ ...VIEW, ts: NOW - MAX_TRACKED_AGE_MS }], 'v1', { nowMs: NOW }).records;
  assert.equal(old.ts, NOW - MAX_TRACKED_AGE_MS);
  for (const ts of [NOW - MAX_TRACKED_AGE_MS - 1, NOW + 86_400_001, 1_800_000_000, NOW - 0.5, -1, '5']) {
    assert.equal(problemsOf({ ...VIEW, ts })[0]?.code, 'INVALID_RECORD', String(ts));
  }
});

test('a wrong event fails alone and says why', () => {
  const wrong: unknown[] = [
    null,
    [],
    'view',
    {},
    { ...VIEW, user_id: 'v2' },
    { ...VIEW, item_id: 7 },
    { ...VIEW, event_id: '' },
    { ...VIEW, event_id: 5 },
    { ...VIEW, event_value: 1_000_001 },
    { ...VIEW, color: 'red' },
    { ...VIEW, attributes: [] },
  ];
  for (const event of wrong) {
    const [failure, ...others] = problemsOf(event);
    assert.equal(failure?.code, 'INVALID_RECORD', JSON.stringify(event));
    assert.equal(failure.index, 1);
    assert.ok(failure.id === '#1' || failure.id.startsWith('trk_'), failure.id);
    assert.equal(others.length, 0);
  }
  assert.equal(problemsOf({ ...VIEW, attributes: { text: 'x'.repeat(5000) } })[0].code, 'RECORD_TOO_LARGE');
});

test('the list an event came from is kept with it, and an id that nobody signed is refused', () => {
  const list = { createdMs: NOW, items: 1, random: 1, userHash: 1, modelId: null, placement: null, variant: null };
  const readList = (id: string) => (id === 'r' ? { ...list, accountId: 'a', projectId: 'p', seriesKey: 'p' } : null);
  const sent = { ...VIEW, attributes: { a: 1 } };
  const [event] = read([{ ...sent, recommendation_id: 'r' }], 'v1', { nowMs: NOW, readList }).records;
  assert.deepEqual([event.attributes, event.recommendation_id], [{ a: 1 }, 'r']);
  for (const recommendation_id of ['s', 'x'.repeat(513), 7]) {
    const { failures } = read([{ ...sent, recommendation_id }], 'v1', { nowMs: NOW, readList });
    assert.deepEqual(
      failures.map(({ code }) => code),
      ['INVALID_RECOMMENDATION_ID'],
    );
  }
});

test('places are those of what was sent', () => {
  const { indexes, failures, warnings } = read(
    [{ ...VIEW, ts: 'x' }, { ...VIEW, ts: NOW - 1 }, null, { ...VIEW, recommendation_id: 'old' }],
    'v1',
    { nowMs: NOW, readList: () => ({ createdMs: 0 }) as Recommendation },
  );
  assert.deepEqual(indexes, [1, 3]);
  assert.deepEqual(
    failures.map(({ index }) => index),
    [0, 2],
  );
  assert.deepEqual(
    warnings.map(({ index, code }) => [index, code]),
    [[3, 'RECOMMENDATION_EXPIRED']],
  );
});

test('an event may have 4,096 bytes, a value of a million and a time a day ahead', () => {
  const note = 'x'.repeat(MAX_TRACKED_BYTES - JSON.stringify({ ...VIEW, attributes: { note: '' } }).length);
  for (const event of [
    { ...VIEW, attributes: { note } },
    { ...VIEW, event_value: -MAX_TRACKED_VALUE },
    { ...VIEW, event_value: MAX_TRACKED_VALUE },
    { ...VIEW, ts: NOW + 86_400_000 },
  ]) {
    assert.deepEqual(problemsOf(event), []);
  }
  assert.equal(problemsOf({ ...VIEW, attributes: { note: `${note}x` } })[0].code, 'RECORD_TOO_LARGE');
  assert.equal(problemsOf({ ...VIEW, event_value: -MAX_TRACKED_VALUE - 1 })[0].code, 'INVALID_RECORD');
});
