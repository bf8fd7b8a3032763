import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScoringHistory } from '../history/user-signal.ts';
import { explainScores } from './explain-score.ts';
import type { ItemParts } from './score-parts.ts';

const ITEMS = 500;
const ROW = 32;

/** Every item has a row of the items after it. The columns count how often they are read. */
function lane() {
  const starts = Uint32Array.from({ length: ITEMS }, (_, n) => n * ROW);
  const columns = Uint32Array.from({ length: ITEMS * ROW }, (_, at) => (Math.floor(at / ROW) + (at % ROW) + 1) % ITEMS);
  const reads = { count: 0 };
  const counted = new Proxy(columns, {
    get(target, name) {
      reads.count++;
      return target[name as unknown as number];
    },
  });
  const rows = {
    starts,
    ends: starts.map((start) => start + ROW),
    columns: counted,
    values: new Float32Array(ITEMS * ROW).fill(1),
    query: new Float32Array(ITEMS).fill(1),
  };
  return { rows, reads };
}

const history: ScoringHistory = {
  length: ITEMS,
  items: Uint32Array.from({ length: ITEMS }, (_, n) => n),
  weights: new Float32Array(ITEMS).fill(1),
  seen: new Uint8Array(ITEMS),
};
const shown = (item: number): ItemParts => ({ item, ofExperts: Float32Array.of(1), own: 0, rest: 0 });

test('a list is explained by walking the rows of the history once for many items', () => {
  const { rows, reads } = lane();
  const parts = [
    ...explainScores(
      [rows],
      history,
      Array.from({ length: ITEMS }, (_, n) => shown(n)),
    ),
  ];
  assert.equal(parts.length, ITEMS);
  for (const [item, { terms, z }] of parts.entries()) {
    assert.equal(z, 1);
    assert.equal(terms.filter((term) => term > 0).length, ROW);
    assert.ok(terms[(item + ITEMS - 1) % ITEMS] > 0);
    assert.equal(terms[(item + 1) % ITEMS], 0);
  }
  assert.ok(reads.count <= 10 * ITEMS * ROW, `${reads.count} reads of ${ITEMS * ROW} entries`);
});

test('an item that is explained twice is explained alike', () => {
  const { rows } = lane();
  const [first, , third] = explainScores([rows], history, [shown(7), shown(8), shown(7)]);
  assert.deepEqual(first, third);
});
