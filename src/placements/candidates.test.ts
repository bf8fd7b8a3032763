import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listInputs, type ToyListInputs } from '../../test/support/list-inputs.ts';
import { parseFilter } from '../../test/support/parse-filter.ts';
import { type ToyEvent, toyModel } from '../../test/support/toy-model.ts';
import { Catalog } from '../catalog/catalog.ts';
import type { UsedObjective } from '../domain/objective.ts';
import type { SignalEvent } from '../history/user-signal.ts';
import { createScorer } from '../scoring/create-scorer.ts';
import { G1Recommender } from '../scoring/g1-recommender.ts';
import type { ItemList } from './item-list.ts';
import { makeList } from './make-list.ts';

const ITEMS = 12;
const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

/** Users take items that are three apart. */
function toyEvents(): ToyEvent[] {
  return Array.from({ length: 90 }, (_, n) => ({ user: `u${n % 30}`, item: `i${((n % 3) + 3 * (n % 7)) % ITEMS}` }));
}

function recommender(blend = { weights: [1, 0.1], transform: { kind: 'linear' as const } }): G1Recommender {
  const catalog = new Catalog('items');
  for (let n = 0; n < ITEMS; n++) catalog.put(`i${n}`, { n });
  return new G1Recommender(toyModel(toyEvents(), { blend }), catalog, createScorer);
}

const GENERATOR = recommender();

function did(type: string, item: number, days: number, value = 1): SignalEvent {
  return { item_id: `i${item}`, event_type: type, event_value: value, ts: NOW - days * DAY };
}

function listOf(objective: UsedObjective, history: SignalEvent[], change: Partial<ToyListInputs> = {}): ItemList {
  return makeList(listInputs({ generator: GENERATOR, objective, history, nowMs: NOW, ...change }));
}

const ids = ({ items }: ItemList) => items.map(({ item_id }) => item_id);
const meeting = ({ items }: ItemList) => items.filter(({ filled }) => !filled).map(({ item_id }) => item_id);
const HISTORY = [did('view', 0, 1), did('view', 3, 2), did('buy', 6, 3), did('buy', 9, 4)];

test('no item is listed twice, and every list is filled while items exist', () => {
  for (const objective of ['discover', 'continue', 'again', 'any'] as const) {
    for (const limit of [1, 3, ITEMS, 50]) {
      const list = ids(listOf(objective, HISTORY, { limit }));
      assert.equal(list.length, Math.min(limit, ITEMS));
      assert.equal(new Set(list).size, list.length);
    }
  }
});

test('a shorter list is the beginning of a longer one', () => {
  for (const objective of ['discover', 'continue', 'again', 'any'] as const) {
    const all = ids(listOf(objective, HISTORY, { limit: ITEMS }));
    for (const limit of [1, 2, 5, 9]) assert.deepEqual(ids(listOf(objective, HISTORY, { limit })), all.slice(0, limit));
  }
});

test('what meets the objective comes first, and only the rest is marked', () => {
  assert.deepEqual(meeting(listOf('continue', HISTORY)), ['i0', 'i3']);
  assert.deepEqual(meeting(listOf('again', HISTORY)), ['i6', 'i9']);
  const discover = listOf('discover', HISTORY, { limit: ITEMS });
  assert.equal(meeting(discover).length, ITEMS - 4);
  assert.deepEqual(new Set(ids(discover).slice(ITEMS - 4)), new Set(['i0', 'i3', 'i6', 'i9']));
  assert.equal(meeting(listOf('any', HISTORY, { limit: ITEMS })).length, ITEMS);
});

test('a list that nothing meets says so and is filled as discover is', () => {
  for (const objective of ['continue', 'again'] as const) {
    const list = listOf(objective, []);
    assert.equal(list.isMet, false);
    assert.deepEqual(meeting(list), []);
    assert.deepEqual(ids(list), ids(listOf('discover', [])));
  }
  const known = Array.from({ length: ITEMS }, (_, item) => did('buy', item, 1));
  const list = listOf('discover', known);
  assert.equal(list.isMet, false);
  assert.equal(list.items.length, 5);
  assert.deepEqual(meeting(list), [], 'everything is known: the list is filled all the same');
});

test('items of equal score come in one order, the newer first', () => {
  const history = [did('view', 5, 1), did('view', 2, 1), did('view', 7, 1)];
  assert.deepEqual(meeting(listOf('continue', history)), meeting(listOf('continue', history.toReversed())));
});

test('a filter and exclusions hold in every source of a list', () => {
  const allow = GENERATOR.catalog.select(parseFilter('n < 6'));
  for (const objective of ['discover', 'continue', 'again', 'any'] as const) {
    const history = [...HISTORY, did('view', 1, 5, -1)];
    const list = ids(listOf(objective, history, { limit: ITEMS, allow, excludeSeen: true }));
    assert.deepEqual(new Set(list), new Set(['i0', 'i2', 'i3', 'i4', 'i5']), objective);
  }
});

test('a ranker orders what the model found, and not what the user did', () => {
  const ranker = recommender({ weights: [-1, 0.001], transform: { kind: 'linear' } });
  const bought = [did('buy', 1, 1)];
  const plain = meeting(listOf('discover', bought, { limit: ITEMS }));
  const ranked = meeting(listOf('discover', bought, { limit: ITEMS, ranker }));
  assert.deepEqual(new Set(ranked), new Set(plain));
  assert.equal(ranked.at(-1), plain[0], 'it turns the taste round');
  assert.deepEqual(meeting(listOf('continue', HISTORY, { ranker })), ['i0', 'i3']);
});

test('reasons of continue and again say what the user did, how often and when', () => {
  const history = [did('view', 0, 1), did('view', 0, 2), did('buy', 6, 3), did('buy', 6, 30)];
  const reasonOf = (objective: UsedObjective) => listOf(objective, history, { explain: true }).items[0].reasons![0];
  const { contribution, ...continued } = reasonOf('continue');
  assert.deepEqual(continued, { kind: 'continue', item_id: 'i0', event_type: 'view', ts: NOW - DAY, count: 2 });
  assert.equal(contribution, listOf('continue', history).items[0].score);
  const again = reasonOf('again');
  assert.ok(again.kind === 'again' && again.count === 2 && again.ts === NOW - 3 * DAY && again.event_type === 'buy');
});
