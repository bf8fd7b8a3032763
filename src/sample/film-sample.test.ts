import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filmSample, SAMPLE_SIZES } from './film-sample.ts';

const endMs = Date.UTC(2026, 0, 1);

test('the same seed gives the same sample, another seed another one', () => {
  const make = (seed: number) =>
    JSON.stringify([...filmSample({ users: 50, items: 40, events: 800, seed, endMs }).events()]);
  assert.equal(make(3), make(3));
  assert.notEqual(make(3), make(4));
});

test('the demo sample has about the promised size, and only ids that exist', () => {
  const sample = filmSample({ ...SAMPLE_SIZES.demo, endMs });
  const items = new Set([...sample.items()].map(({ item_id }) => item_id));
  const users = new Set([...sample.users()].map(({ user_id }) => user_id));
  const names = new Set([...sample.items()].map(({ attributes }) => attributes.name));
  assert.equal(items.size, SAMPLE_SIZES.demo.items);
  assert.equal(users.size, SAMPLE_SIZES.demo.users);
  assert.equal(names.size, items.size, 'every film has a name of its own');
  const eventIds = new Set<string>();
  let count = 0;
  for (const event of sample.events()) {
    count += 1;
    eventIds.add(event.event_id);
    assert.ok(items.has(event.item_id) && users.has(event.user_id));
    assert.ok(Number.isInteger(event.ts) && event.ts < endMs && event.ts > endMs - 200 * 86_400_000);
  }
  assert.equal(eventIds.size, count);
  assert.ok(Math.abs(count / SAMPLE_SIZES.demo.events - 1) < 0.15, `${count} events`);
});

test('taste is planted: viewers watch the genres of their history far more than others do', () => {
  const sample = filmSample({ users: 400, items: 300, events: 16_000, endMs });
  const horror = new Set(
    [...sample.items()].filter((item) => item.attributes.genres.includes('Horror')).map((item) => item.item_id),
  );
  const shares = new Map<string, { horror: number; all: number }>();
  for (const event of sample.events()) {
    if (event.event_type !== 'watch') continue;
    const share = shares.get(event.user_id) ?? { horror: 0, all: 0 };
    share.all += 1;
    if (horror.has(event.item_id)) share.horror += 1;
    shares.set(event.user_id, share);
  }
  const sorted = [...shares.values()]
    .filter(({ all }) => all >= 5)
    .map(({ horror, all }) => horror / all)
    .sort((a, b) => b - a);
  assert.ok(sorted[Math.floor(sorted.length * 0.02)] > 0.4, 'some love it');
  assert.ok(sorted[Math.floor(sorted.length * 0.5)] < 0.15, 'most do not');
});
