import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listInputs } from '../../test/support/list-inputs.ts';
import { parseFilter } from '../../test/support/parse-filter.ts';
import { bought, TOY_ITEMS, TOY_NOW, toyRecommender } from '../../test/support/toy-catalog.ts';
import { AppError } from '../errors.ts';
import type { ListInputs, Pin } from './item-list.ts';
import { makeList } from './make-list.ts';
import { checkPins, type PinRules, usablePins } from './pins.ts';

const generator = toyRecommender();
const { catalog } = generator;
const rules: PinRules = {
  catalog,
  listed: generator.listed(),
  allow: null,
  exclude: new Set(),
  shown: new Set(),
  offset: 0,
};

function listWith(pins: readonly Pin[], change: Partial<ListInputs> = {}): string[] {
  const exclude = new Set([...(change.exclude ?? []), ...pins.map(({ item }) => item)]);
  const base = { generator, objective: 'any' as const, history: bought(1), nowMs: TOY_NOW, limit: 4 };
  return makeList(listInputs({ ...base, ...change, pins, exclude })).items.map(({ item_id }) => item_id);
}

const plain = listWith([], { limit: TOY_ITEMS });
const numberOf = (id: string) => catalog.indexOf(id);

test('pinned items are at their positions and nowhere else', () => {
  const last = numberOf(plain[11]);
  const second = numberOf(plain[1]);
  assert.deepEqual(listWith([{ item: last, position: 2 }]), [plain[0], plain[11], plain[1], plain[2]]);
  assert.deepEqual(
    listWith([
      { item: last, position: 1 },
      { item: second, position: 3 },
    ]),
    [plain[11], plain[0], plain[1], plain[2]],
  );
});

test('a place beyond the page is on a later one, beyond the list it is the end', () => {
  const pin = { item: numberOf(plain[0]), position: 6 };
  assert.deepEqual(listWith([pin]), plain.slice(1, 5));
  const shown = new Set(plain.slice(1, 5).map(numberOf));
  assert.deepEqual(listWith([pin], { exclude: shown, offset: 4 }), [plain[5], plain[0], plain[6], plain[7]]);
  const allow = catalog.select(parseFilter('n < 2'));
  assert.deepEqual(listWith([{ item: 0, position: 4 }], { allow }), ['i1', 'i0']);
});

test('where given items are put in order, a pin of another item is skipped', () => {
  const pins = ['i1', 'i2'].map((item_id, n) => ({ item_id, position: n + 1 }));
  const found = usablePins(pins, { ...rules, given: new Set(['i2', 'i3']) });
  assert.deepEqual(found.pins, [{ item: numberOf('i2'), position: 2 }]);
  assert.deepEqual(found.skipped, [{ item_id: 'i1', reason: 'not given' }]);
});

test('a pin is skipped if its item is unknown, deleted, filtered or left out, and told why', () => {
  catalog.put('gone', { n: 50 });
  catalog.remove('gone');
  const pins = ['i0', 'i4', 'nothing', 'gone', 'i5'].map((item_id, n) => ({ item_id, position: n + 1 }));
  const allow = catalog.select(parseFilter('n >= 4'));
  const found = usablePins(pins, { ...rules, listed: generator.listed(), allow, exclude: new Set([4]) });
  assert.deepEqual(found.pins, [{ item: 5, position: 5 }]);
  assert.deepEqual(found.skipped, [
    { item_id: 'i0', reason: 'filtered' },
    { item_id: 'i4', reason: 'excluded' },
    { item_id: 'nothing', reason: 'unknown' },
    { item_id: 'gone', reason: 'unknown' },
  ]);
});

test('what an earlier page showed, or a place there, needs no pin and no warning', () => {
  const pins = [
    { item_id: 'i0', position: 2 },
    { item_id: 'i3', position: 9 },
    { item_id: 'i2', position: 7 },
  ];
  const found = usablePins(pins, { ...rules, shown: new Set([3]), offset: 4 });
  assert.deepEqual(found, { pins: [{ item: 2, position: 7 }], skipped: [] });
});

test('pins that contradict each other are refused with the one that is wrong', () => {
  const refused = (pins: { item_id: string; position: number }[], pointer: string) =>
    assert.throws(
      () => checkPins(pins),
      (error: unknown) =>
        error instanceof AppError && error.code === 'INVALID_REQUEST' && pointer === error.errors?.[0].pointer,
    );
  checkPins([
    { item_id: 'a', position: 1 },
    { item_id: 'b', position: 2 },
  ]);
  refused(
    [
      { item_id: 'a', position: 1 },
      { item_id: 'b', position: 1 },
    ],
    '/pins/1',
  );
  refused(
    [
      { item_id: 'a', position: 1 },
      { item_id: 'b', position: 2 },
      { item_id: 'a', position: 3 },
    ],
    '/pins/2',
  );
});
