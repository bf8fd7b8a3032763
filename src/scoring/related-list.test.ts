import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalog } from '../catalog/catalog.ts';
import type { ColdItems } from '../cold-start/cold-items.ts';
import type { Recommender } from './recommender.ts';
import { RelatedItems } from './related-items.ts';
import { relatedList } from './related-list.ts';

const ITEMS = 401;

/** Item 0 leads to all others, a little less to each later one. The user likes each later item more. */
function toyParts() {
  const catalog = new Catalog('items');
  for (let item = 0; item < ITEMS; item++) catalog.put(`i${item}`, {});
  const columns = Uint32Array.from({ length: ITEMS - 1 }, (_, n) => n + 1);
  const values = Float32Array.from(columns, (item) => 0.5 - item / 1e5);
  const offsets = new Uint32Array(ITEMS + 1).fill(columns.length, 1);
  const numbers = Uint32Array.from({ length: ITEMS }, (_, item) => item);
  const related = new RelatedItems({
    relations: { similar: { rowCount: ITEMS, columnCount: ITEMS, offsets, columns, values } },
    coldItems: { count: 0, alikeItems: () => ({ warm: [], likeness: [] }) } as unknown as ColdItems,
    itemOfWarm: numbers,
    warmOf: (item) => item,
    popularity: new Float32Array(ITEMS).fill(1),
    byPopularity: numbers,
  });
  const recommender = {
    catalog,
    listed: () => catalog.stored(),
    scoreCandidates: (_: unknown, items: readonly number[]) => Float32Array.from(items),
  } as unknown as Recommender;
  return { recommender, related };
}

test("a list of any length has the best of more related items by the user's taste", () => {
  const parts = toyParts();
  const user = { history: [], attributes: {} };
  for (const [limit, candidates] of [
    [10, 100],
    [50, 100],
    [150, 300],
  ]) {
    const request = { items: [0], relation: 'similar', limit } as const;
    const plain = relatedList(parts, request).items.map(({ item }) => item);
    assert.deepEqual([plain.length, plain[0], plain.at(-1)], [limit, 1, limit]);
    const personal = relatedList(parts, { ...request, user }).items.map(({ item }) => item);
    assert.deepEqual([personal.length, personal[0], personal.at(-1)], [limit, candidates, candidates - limit + 1]);
  }
});
