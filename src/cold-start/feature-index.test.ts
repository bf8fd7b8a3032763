import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalog } from '../catalog/catalog.ts';
import type { Attributes } from '../domain/record.ts';
import { FeatureIndex } from './feature-index.ts';

const ITEMS = 40;
const TAGS = 3000;
const NUMBERS = 20;

/** Says before which step each item was read. */
class WatchedCatalog extends Catalog {
  step = 0;
  readonly reads: number[] = [];

  override attributesOf(item: number): Attributes {
    this.reads.push(this.step);
    return super.attributesOf(item);
  }
}

test('an index is finished in short steps too, once its items have been read', () => {
  const catalog = new WatchedCatalog('items');
  const tags = Array.from({ length: TAGS }, (_, n) => `t${n}`);
  const numbers = Array.from({ length: NUMBERS }, (_, n) => `number-${n}`);
  for (let n = 0; n < ITEMS; n++) {
    catalog.put(`i${n}`, { tags, ...Object.fromEntries(numbers.map((name) => [name, n / 7])) });
  }
  const steps = FeatureIndex.make(
    catalog,
    Uint32Array.from({ length: ITEMS }, (_, n) => n),
  );
  while (!steps.next().done) catalog.step++;
  const { step, reads } = catalog;
  assert.equal(reads.length, 2 * ITEMS, 'once for the bins, once for the features');
  assert.ok(reads[ITEMS] - reads[ITEMS - 1] > NUMBERS, 'a step for the bins of each attribute');
  assert.ok(step - reads[2 * ITEMS - 1] > 6, 'several for each look at all features of all items');
});
