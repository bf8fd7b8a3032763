import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemDemand } from '../dataset/kept-items.ts';
import { itemRoom } from './item-room.ts';

const GB = 1e9;
const ADDRESSABLE = 2 ** 32;

/** Describes a catalog of this many items with this many users each. */
const demand = (items: number, users: number, events = items * users): ItemDemand => ({
  events,
  dislikes: 0,
  userCount: Math.ceil(events / 20),
  usersOfItems: new Uint32Array(items).fill(users),
});
const fitting = (kernelBytes: number, modelBytes: number, of: ItemDemand) =>
  itemRoom(() => ({ kernelBytes, modelBytes })).fit(of);

test('more items than fit are cut to a few millions at most, and never to less than a million', () => {
  const many = demand(3e6, 20);
  const most = fitting(ADDRESSABLE, 64 * GB, many);
  assert.ok(most > 1.3e6 && most < 2.3e6, `${most} items`);
  assert.equal(fitting(1 * GB, 1 * GB, many), itemRoom(() => ({ kernelBytes: 0, modelBytes: 0 })).least);
});

test('what fits grows with either memory, and all of fewer items fit', () => {
  const many = demand(3e6, 20);
  const usual = fitting(3.5 * GB, 64 * GB, many);
  assert.ok(usual > fitting(2.9 * GB, 64 * GB, many));
  assert.ok(usual > fitting(3.5 * GB, 3 * GB, many));
  const fewer = demand(usual, 20);
  assert.equal(fitting(3.5 * GB, 64 * GB, fewer), usual);
});

test('where few items have most of the users, more fit: the search reads a sample, in which the others are not', () => {
  const skewed = Uint32Array.from({ length: 3e6 }, (_, item) => Math.max(1, Math.floor(3e6 / (item + 1))));
  const events = skewed.reduce((sum, users) => sum + users, 0);
  const few = fitting(ADDRESSABLE, 64 * GB, { ...demand(3e6, 1, events), usersOfItems: skewed });
  assert.ok(few < 2.25e6, `${few} items: rows that serve are on one memory, whatever training has`);
  assert.ok(few > fitting(ADDRESSABLE, 64 * GB, demand(3e6, Math.ceil(events / 3e6))) + 1e5, `${few} items`);
});

test('room is what is left next to the events', () => {
  const seen: number[] = [];
  const room = itemRoom((events) => {
    seen.push(events);
    return { kernelBytes: ADDRESSABLE, modelBytes: 64 * GB };
  });
  room.fit({ ...demand(1.2e6, 2), dislikes: 1e6 });
  assert.deepEqual(seen, [3.4e6]);
});
