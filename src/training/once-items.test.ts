import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EventTable, EventTableBuilder } from '../dataset/event-table.ts';
import { heldEvents } from '../dataset/training-events.ts';
import { findOnceItems } from './once-items.ts';

const DAY = 86_400_000;
const COFFEES = 5;
const SOFAS = 20;
const ITEMS = [
  ...Array.from({ length: COFFEES }, (_, n) => `coffee-${n}`),
  ...Array.from({ length: SOFAS }, (_, n) => `sofa-${n}`),
];

/** Each user buys a coffee every week and one sofa. `users` is the number of buyers per sofa. */
function shop(users: number): EventTable {
  const builder = new EventTableBuilder();
  for (let user = 0; user < users * SOFAS; user++) {
    builder.beginUser();
    for (let week = 0; week < 5; week++) {
      builder.add(user % COFFEES, 0, 1, week * 7 * DAY);
      if (week === 1) builder.add(COFFEES + (user % SOFAS), 0, 1, week * 7 * DAY);
    }
  }
  return builder.finish({ itemIds: ITEMS, typeNames: ['buy'], targetType: 0 });
}

async function* records(attributesOf: (id: string) => Record<string, string>) {
  yield ITEMS.map((id) => ({ id, attributes: attributesOf(id) }));
}
const kinds = () => records((id) => ({ title: id, kind: id.split('-')[0] }));
const namesOf = (once: Uint8Array) => ITEMS.filter((_, item) => once[item] === 1);
const sofas = ITEMS.slice(COFFEES);

test('items with many users tell by themselves that nobody comes back to them', async () => {
  const once = await findOnceItems({ events: heldEvents(shop(40)), hiddenOf: null });
  assert.deepEqual(namesOf(once), sofas);
});

test('items with few users are told by what they have in common with others, not by what is their own', async () => {
  assert.deepEqual(
    namesOf(await findOnceItems({ events: heldEvents(shop(3)), hiddenOf: null })),
    [],
    'three users say too little',
  );
  assert.deepEqual(namesOf(await findOnceItems({ events: heldEvents(shop(3)), hiddenOf: null, items: kinds })), sofas);
  const titles = () => records((id) => ({ title: id }));
  assert.deepEqual(namesOf(await findOnceItems({ events: heldEvents(shop(3)), hiddenOf: null, items: titles })), []);
});

test('hidden events, users who were there once and data without returns say nothing', async () => {
  const table = shop(40);
  const hidden = new Uint8Array(table.length).fill(1);
  assert.deepEqual(
    namesOf(await findOnceItems({ events: heldEvents(table), hiddenOf: () => hidden, items: kinds })),
    [],
  );
  const builder = new EventTableBuilder();
  for (let user = 0; user < 100; user++) {
    builder.beginUser();
    builder.add(user % ITEMS.length, 0, 1, 0);
  }
  const single = builder.finish({ itemIds: ITEMS, typeNames: ['buy'], targetType: 0 });
  assert.deepEqual(namesOf(await findOnceItems({ events: heldEvents(single), hiddenOf: null, items: kinds })), []);
});
