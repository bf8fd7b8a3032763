import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toyModel } from '../../test/support/toy-model.ts';
import type { ItemToItemExpert } from '../artifact/g1-model.ts';
import { OWN_NUMBERS } from '../history/fold-events.ts';
import { createScorer } from './create-scorer.ts';

const LED_TO = 2;
const PLAIN = toyModel(['a', 'b', 'c'].map((item) => ({ user: item, item })));

/**
 * An expert that leads from this item to the last one. The first of the two experts starts at item 0, the second at
 * item 1.
 */
const leadingFrom = (item: number): ItemToItemExpert => ({
  kind: 'item-to-item',
  name: `from ${item}`,
  query: { kind: 'power', rho: 0 },
  settings: {},
  rows: {
    rowCount: 3,
    columnCount: 3,
    columns: Uint32Array.of(LED_TO),
    values: Float32Array.of(1),
    offsets: Uint32Array.from({ length: 4 }, (_, row) => (row > item ? 1 : 0)),
  },
});
const EXPERTS = [leadingFrom(0), leadingFrom(1), PLAIN.experts[1]];
const FEATURES = 3 * EXPERTS.length + 24;

/** The terms of the history's three items, and the rest, by a ranker that knows one feature. */
function explainedBy(feature: number): number[] {
  const weights = Array.from({ length: FEATURES }, (_, n) => (n === feature ? 1 : 0));
  const blend = { weights: [1, 1, 1], transform: { kind: 'linear' as const } };
  const ranker = { candidates: 3, deep: [1, 0], weights, bias: Float32Array.of(0, 0, 0.25) };
  const scorer = createScorer({ ...PLAIN, experts: EXPERTS, blend, moments: { arriving: { blend, ranker } } });
  const history = {
    length: 3,
    items: Uint32Array.of(1, 0, LED_TO),
    weights: new Float32Array(3).fill(1),
    seen: new Uint8Array(3),
    own: new Float32Array(3 * OWN_NUMBERS).fill(1),
  };
  let explained: number[] = [];
  scorer.explainEach(history, [LED_TO], (_, terms, rest) => {
    explained = [...terms, rest - 0.25];
  });
  return explained;
}

test('what a feature of a ranker adds counts for the item that it comes from', () => {
  /** Places in what is explained: items 1, 0 and 2 of the history, and what the item has by itself. */
  const [SECOND, FIRST, OWN, REST] = [0, 1, 2, 3];
  const logsOfShares = [FIRST, SECOND, REST, FIRST, SECOND, REST, FIRST, SECOND, REST];
  // The experts whose single contributions count are the second and the first; the newest item is the second's.
  const contributions = [0, 1, 2].flatMap(() => [SECOND, FIRST, null, null]);
  const ofNewest = [0, 1].flatMap(() => [SECOND, null, null, null]);
  const own = Array.from({ length: OWN_NUMBERS }, () => OWN);
  const expected = [...logsOfShares, ...contributions, ...ofNewest, ...own];
  assert.equal(expected.length, FEATURES);
  const found = expected.map((_, feature) => {
    const places = explainedBy(feature).flatMap((part, place) => (part > 0 ? [place] : []));
    return places.length > 1 ? places : (places[0] ?? null);
  });
  assert.deepEqual(found, expected);
});
