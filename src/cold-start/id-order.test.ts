import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemHash } from '../base/id-hash.ts';
import { IdOrder } from './id-order.ts';

/** Two ids with equal hashes. */
const PAIR = ['i8474', 'i94457'];
const IDS = [...Array.from({ length: 5000 }, (_, n) => `item-${n}`), ...PAIR];

test('ids are in the order of their hashes, and of themselves where hashes are equal, however they came', () => {
  const hashOf = (id: string) => itemHash(id) >>> 0;
  assert.equal(hashOf(PAIR[0]), hashOf(PAIR[1]));
  const wanted = IDS.toSorted((a, b) => hashOf(a) - hashOf(b) || (a < b ? -1 : 1));
  for (const ids of [IDS, IDS.toReversed(), IDS.toSorted()]) {
    const order = new IdOrder((place) => ids[place]);
    for (const _ of ids) order.add();
    assert.deepEqual(
      Array.from(order.places(), (place) => ids[place]),
      wanted,
    );
    assert.ok(order.compare(ids.indexOf(wanted[0]), ids.indexOf(wanted[1])) < 0);
  }
});

test('a place that is added later comes where its id belongs', () => {
  const ids: string[] = [];
  const order = new IdOrder((place) => ids[place]);
  assert.deepEqual([...order.places()], []);
  for (const id of IDS.slice(0, 200)) {
    ids.push(id);
    order.add();
    const places = [...order.places()];
    assert.deepEqual(
      places,
      places.toSorted((a, b) => order.compare(a, b)),
    );
    assert.equal(places.length, ids.length);
  }
});

test('a new place is compared with others, and no others with each other', () => {
  let lookedUp: string[] = [];
  const ids = [...PAIR, ...IDS.slice(0, 1000)];
  const order = new IdOrder((place) => {
    lookedUp.push(ids[place]);
    return ids[place];
  });
  for (const _ of PAIR) order.add();
  for (const id of ids.slice(PAIR.length)) {
    lookedUp = [];
    order.add();
    assert.deepEqual(lookedUp, [id]);
  }
});
